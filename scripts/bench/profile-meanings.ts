import type { Heavy } from "./profile.ts";

/** The purpose of a function in a profile: the first pattern that matches its name and place. */
const MEANINGS: readonly { readonly what: RegExp; readonly meaning: string }[] = [
  {
    what: /store\/transaction\.js/,
    meaning: "COMMIT: mostly the fsync, shared by simultaneous writes",
  },
  { what: /^\(garbage collector\) /, meaning: "memory of completed requests and rows" },
  { what: /^\(program\) /, meaning: "native code of Node.js: the event loop and the sockets" },
  {
    what: /^(writev|writeBuffer|writeUtf8String|writeLatin1String) /,
    meaning: "a response is written to its socket",
  },
  {
    what: /^(parserOn|socketOnData|onParserExecute|parse |execute )/,
    meaning: "a request or response is read",
  },
  { what: /^(OutgoingMessage|ServerResponse|ClientRequest) /, meaning: "a response or request is started" },
  { what: /^(IncomingMessage|matchKnownFields|_addHeader)/, meaning: "the headers of a request are stored" },
  {
    what: /store\/accounts\.js/,
    meaning: "the account of the token, read at each request, so that a revocation applies at once",
  },
  { what: /store\/trips\.js/, meaning: "the trip in the journal is read, decided or marked" },
  { what: /store\/incidents\.js/, meaning: "the incident that a trip opens or joins" },
  { what: /store\/interventions\.js/, meaning: "the record itself is written or read" },
  {
    what: /store\/row-checksums\.js/,
    meaning: "a record, its outbox entry or a trip is written with its checksum",
  },
  { what: /store\/outbox\.js/, meaning: "the outbox entry of the record" },
  { what: /store\/event-log\.js/, meaning: "the event log entry, in the same transaction" },
  { what: /store\/intervention-(counts|lists)\.js/, meaning: "the counters for the totals of lists" },
  { what: /store\/idempotency\.js/, meaning: "the idempotency key, for repeated requests" },
  {
    what: /store\/(taken-message-store|deduplication-store|messages)\.js|taken-messages\.js|message-deduplication\.js/,
    meaning: "the identity of the message, to ignore its repetition",
  },
  { what: /store\/zone-states\.js/, meaning: "the zone's contact in the journal" },
  { what: /node_modules\/better-sqlite3\//, meaning: "a statement of SQLite" },
  { what: /generated\/validators\.js/, meaning: "validation of the body" },
  { what: /domain\/calendar\.js/, meaning: "local times and time zones" },
  { what: /service\/tokens\.js/, meaning: "verification of the token" },
  { what: /ops\/log\.js/, meaning: "a line of the log" },
  { what: /inputs\/zone-(monitor|engine)\.js/, meaning: "a reading in the state machine of its zone" },
  {
    what: /inputs\/payload\.js|inputs\/zone-topics\.js|inputs\/mqtt-zones\.js/,
    meaning: "the values of a message and their zones",
  },
  { what: /client\/api-client\.js/, meaning: "the daemon as a client of its own API" },
  { what: /node_modules\/(mqtt|mqtt-packet)\//, meaning: "MQTT packets are read and written" },
  { what: /node_modules\/(router|express|path-to-regexp|parseurl)\//, meaning: "Express finds the route" },
  { what: /node_modules\/(body-parser|raw-body)\//, meaning: "Express reads the body" },
  { what: / build\//, meaning: "other code of the daemon" },
  { what: / node:(_http|internal\/http)/, meaning: "HTTP of Node.js" },
  {
    what: / node:(net|internal\/stream|stream|events|internal\/timers|timers|internal\/process)/,
    meaning: "sockets, events and timers of Node.js",
  },
  { what: / node:crypto| node:internal\/crypto/, meaning: "hashes" },
  { what: /^existsSync /, meaning: "a check for a file" },
  { what: / native$/, meaning: "a native function" },
];

/** The purpose of a function of a profile, in words; empty if unknown. */
export function meaningOf({ name, place }: Heavy): string {
  const text = `${name} ${place}`;
  return MEANINGS.find(({ what }) => what.test(text))?.meaning ?? "";
}

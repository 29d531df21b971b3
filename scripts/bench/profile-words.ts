import type { Heavy } from "./profile.ts";

/** What a function of a profile is about. The first that fits says it: by the function's name, then by where it stands. */
const MEANINGS: readonly { readonly what: RegExp; readonly meaning: string }[] = [
  {
    what: /store\/transaction\.js/,
    meaning: "COMMIT: nearly all of it is the flush of the disk, shared by what has arrived together",
  },
  { what: /^\(garbage collector\) /, meaning: "memory of requests and rows that are done with" },
  { what: /^\(program\) /, meaning: "Node's own native code: the event loop and the sockets" },
  {
    what: /^(writev|writeBuffer|writeUtf8String|writeLatin1String) /,
    meaning: "an answer goes to its socket",
  },
  {
    what: /^(parserOn|socketOnData|onParserExecute|parse |execute )/,
    meaning: "a request or answer is read",
  },
  { what: /^(OutgoingMessage|ServerResponse|ClientRequest) /, meaning: "an answer or request is begun" },
  { what: /^(IncomingMessage|matchKnownFields|_addHeader)/, meaning: "the headers of a request are kept" },
  {
    what: /store\/accounts\.js/,
    meaning: "the account behind the token, read anew at each request: revoked is revoked",
  },
  { what: /store\/trips\.js/, meaning: "the trip in the journal is read, decided or marked" },
  { what: /store\/incidents\.js/, meaning: "the incident that a trip opens or joins" },
  { what: /store\/interventions\.js/, meaning: "the record itself is written or read" },
  { what: /store\/outbox\.js/, meaning: "the record's place in the queue to the centre" },
  { what: /store\/event-log\.js/, meaning: "who did what, in the same transaction" },
  { what: /store\/intervention-counts\.js/, meaning: "the counters that lists take their totals from" },
  { what: /store\/idempotency\.js/, meaning: "the key under which a repetition gets the same answer" },
  {
    what: /store\/taken-message-store\.js|taken-messages\.js/,
    meaning: "what was taken, so that its repetition is left out",
  },
  { what: /store\/zone-states\.js/, meaning: "the zone's contact in the journal" },
  { what: /node_modules\/better-sqlite3\//, meaning: "a statement of SQLite" },
  { what: /generated\/validators\.js/, meaning: "the body against its schema" },
  { what: /domain\/calendar\.js/, meaning: "local times and time zones" },
  { what: /service\/tokens\.js/, meaning: "whether the token is good" },
  { what: /ops\/log\.js/, meaning: "a line of the log" },
  { what: /inputs\/zone-monitor\.js/, meaning: "what a reading means to its zone" },
  {
    what: /inputs\/payload\.js|inputs\/zone-topics\.js|inputs\/mqtt-zones\.js/,
    meaning: "what a message says, and to which zones",
  },
  { what: /client\/api-client\.js/, meaning: "the daemon as a client of its own API" },
  { what: /node_modules\/(mqtt|mqtt-packet)\//, meaning: "MQTT packets are read and written" },
  { what: /node_modules\/(router|express|path-to-regexp|parseurl)\//, meaning: "Express finds the route" },
  { what: /node_modules\/(body-parser|raw-body)\//, meaning: "Express reads the body" },
  { what: / dist\//, meaning: "the daemon's own work" },
  { what: / node:(_http|internal\/http)/, meaning: "HTTP, as Node has it" },
  {
    what: / node:(net|internal\/stream|stream|events|internal\/timers|timers|internal\/process)/,
    meaning: "sockets, events and timers, as Node has them",
  },
  { what: / node:crypto| node:internal\/crypto/, meaning: "hashes" },
  { what: /^existsSync /, meaning: "whether a file is there" },
  { what: / native$/, meaning: "a native function" },
];

/** In words for people what a function of a profile is about. */
export function meaningOf({ name, place }: Heavy): string {
  const text = `${name} ${place}`;
  return MEANINGS.find(({ what }) => what.test(text))?.meaning ?? "";
}

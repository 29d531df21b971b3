import type { ConditionCode } from "./condition.ts";

/**
 * What is said of conditions that are said in the same words each time, with names of values in braces. Whoever speaks
 * another language has the values, and sentences of their own.
 */
export const CONDITION_MESSAGES = {
  "restart-needed":
    "{options} changed in the configuration file and need a restart. The daemon runs with the old values until then: restart it, or change the file back and reload.",
  "upstream-unreachable":
    "the dispatch centre {centre} {what}: {answer}. Records wait and are sent by themselves.",
  "upstream-authentication-failed":
    "the dispatch centre {centre} {what}: {answer}. Records wait and are sent by themselves.",
  "upstream-unexpected-service":
    "the dispatch centre {centre} {what}: {answer}. Records wait and are sent by themselves.",
  "upstream-rejects-records":
    "{rejected} records refused, {blocked} waiting for their objective at the centre, {gone} deleted there; santinela sync status names them",
  "upstream-refuses-alarm":
    "{rejected} high-priority records are refused by the centre after four tries; no crew knows of them. santinela sync status names them and the centre's reason; call the centre.",
  "upstream-alarm-unproved":
    "{alarms} alarms were sent and not answered, and the centre's list cannot be read whole, so the search does not prove whether they arrived. Ask the dispatcher for intervention {interventionId} by name and time. If the centre does not have it: santinela sync retry {interventionId}.",
  "upstream-ids-given-again":
    "the centre's record {upstreamId} was intervention {interventionId} here and is another's now. It is left alone; the intervention is searched for there, and made again if it is nowhere. Ask the centre whether it was restored from a backup or gives ids again.",
  "upstream-reference-lost":
    "of {sent} characters in {field} the centre keeps {kept} (intervention {interventionId}), and our reference is not among them: a record is known again by objective, name and start alone. Set upstream.marker to the other text (notes or description), or have the centre keep longer texts.",
  "upstream-reference-shared":
    "at the centre, records with the reference {siteRef} that this site has not made: {records} ({name}, there {upstreamId}). Another daemon uses the same site.ref, and each takes over the other's records. Give every site its own site.ref.",
  "upstream-differs":
    "{here} records should be at the centre and {there} are; {differences} differ. santinela sync status names each.",
  "mqtt-unreachable":
    "the MQTT broker {broker} is not connected ({reason}). Check that it runs and that mqtt.url, username and passwordFile are right; it is tried again every {seconds} s.",
  "mqtt-session-taken-over":
    "the MQTT broker ends every connection at once: most likely another program, or a copy of this installation, is connected as {clientId}. Give each its own mqtt.clientId. Connecting goes on in {minutes} minutes; until then no sensor at this broker is heard.",
  "mqtt-subscription-refused":
    "the broker does not let this account read {topics}. Give it read access there, then restart the daemon.",
  "gpio-line-unstable":
    "line {line} changes more than {edges} times a second: a loose wire, a contact that is giving way, or interference. It is looked at every {pollMs} ms, and listened to again by itself.",
  "journal-write-failed": "the trip journal cannot be written: {reason}. Free disk space or mend the disk.",
  "outbox-write-failed": "the outbox cannot be used: {reason}. Free disk space or mend the disk.",
  "trip-refused": "the trip of zone {zone} was refused: {reason}. Check the zone's objective.",
  "zone-open":
    "zone {zone} is open since {since}, and no unfinished intervention names it. Close it, or bypass the zone.",
  "data-lost":
    "{database} was damaged: {missing} entries are missing, {altered} are not what was written, {pages} pages cannot be read ({named}). Compare them with the dispatch centre, check the disk, then remove {report}.",
  "trips-off-disk":
    "{changes} trips and changes of zones are in {file}, in memory, because the disk does not take them ({reason}). A power cut loses them. Free space on the disk or replace it now; they are then stored automatically.",
  "disk-nearly-full": "{freeMb} MB are free on the disk of {folder}. Remove what is not needed there.",
  "disk-full": "{freeMb} MB are free on the disk of {folder}. Remove what is not needed there.",
  "backup-overdue":
    "the newest copy of the database is of {newest}. Run santinela backup and see what it says.",
  "certificate-not-renewed": "the certificate is valid until {until} and has not been renewed",
} as const satisfies Readonly<Partial<Record<ConditionCode, string>>>;

export type SentenceCode = keyof typeof CONDITION_MESSAGES;

/** Values by their names; a moment is ISO 8601 UTC. */
export type ConditionValues = Readonly<Record<string, string | number>>;

/** What may be said of a condition: the values of its sentence, or words for what its sentence does not fit. */
export type ConditionDetail<Code extends ConditionCode> =
  | string
  | (Code extends SentenceCode
      ? Readonly<Record<NamesIn<(typeof CONDITION_MESSAGES)[Code]>, string | number>>
      : never);

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The sentence of a condition with the values in the place of their names, or the words as they are. */
export function formatConditionMessage(code: ConditionCode, detail: string | ConditionValues): string {
  if (typeof detail === "string") return detail;
  const sentences: Readonly<Partial<Record<ConditionCode, string>>> = CONDITION_MESSAGES;
  const sentence = sentences[code] ?? "";
  return sentence.replace(/\{(\w+)\}/g, (braced, name: string) => String(detail[name] ?? braced));
}

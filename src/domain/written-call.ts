import { parseDateTime } from "./calendar.ts";
import { wordsOf } from "./kept-lines.ts";
import type { UpstreamRecord } from "./merge.ts";

const MINUTE_MS = 60_000;

/**
 * Whether a record of the centre has the objective, name and start that were sent, in whatever way the centre writes them: an id as a
 * text, a name in capitals or with escapes, a start in UTC or to the minute.
 * @param sent the record as sent
 * @param timezone IANA zone of a start without an offset
 */
export function isCallAsWritten(row: UpstreamRecord, sent: UpstreamRecord, timezone: string): boolean {
  const isAt = (["objectiveType", "objectiveId"] as const).every(
    (field) => textOf(row[field]) === textOf(sent[field]),
  );
  const [there, here] = [row, sent].map((record) => textOf(record["name"]));
  const words = wordsOf(here ?? "");
  const isNamed = there === here || (words !== "" && wordsOf(there ?? "") === words);
  return isAt && isNamed && isSameStart(textOf(row["dateStart"]), textOf(sent["dateStart"]), timezone);
}

function isSameStart(there: string, here: string, timezone: string): boolean {
  if (there === "" || here === "") return false;
  const thereMs = parseDateTime(there, timezone);
  const hereMs = parseDateTime(here, timezone);
  if (thereMs === undefined || hereMs === undefined) return false;
  const isToMinute = thereMs % MINUTE_MS === 0 && thereMs === Math.floor(hereMs / MINUTE_MS) * MINUTE_MS;
  return isToMinute || thereMs === hereMs || parseDateTime(there, "UTC") === hereMs;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

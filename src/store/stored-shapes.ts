import type { Comparison } from "../domain/difference.ts";
import type { IncidentZone, NoteTimestamp } from "../domain/incident.ts";
import type { SiteReport } from "../domain/site-report.ts";
import type { ConfirmWith } from "../domain/zone.ts";

/*
 * Whether a value that was parsed from a stored text still has the fields that its readers use. A flipped bit may leave JSON with
 * another name of a field: whatever reads it would fail at each attempt.
 */

type Fields = Readonly<Record<string, unknown>>;

export function isConfirmWith(value: unknown): value is ConfirmWith {
  const { zones, withinMs } = fieldsOf(value);
  return Array.isArray(zones) && zones.every(isText) && typeof withinMs === "number";
}

export function isIncidentZone(value: unknown): value is IncidentZone {
  const { zoneId, name, remark, first, last, openings, closed, line, device, confirmWith } = fieldsOf(value);
  return (
    [zoneId, name, remark].every(isText) &&
    [line, device].every((text) => text === null || isText(text)) &&
    [first, last].every(isStamp) &&
    (closed === null || isStamp(closed)) &&
    typeof openings === "number" &&
    (confirmWith === null || isConfirmWith(confirmWith))
  );
}

/** Large responses of the centre, one of which may have ended the thread or the process. */
export interface LargeRead {
  /** Of the machine when this was noted. */
  readonly bootId: string;
  /** Earlier ends while one was being read. */
  readonly ends: number;
  readonly isReading: boolean;
}

export function isLargeRead(value: unknown): value is LargeRead {
  const { bootId, ends, isReading } = fieldsOf(value);
  return isText(bootId) && typeof ends === "number" && typeof isReading === "boolean";
}

export function isSiteReport(value: unknown): value is SiteReport {
  const { name, version, upS } = fieldsOf(value);
  return [name, version].every(isText) && typeof upS === "number";
}

export function isComparison(value: unknown): value is Comparison {
  const { atMs, here, there, differing, differences } = fieldsOf(value);
  return (
    [atMs, here, there, differing].every((count) => typeof count === "number") &&
    Array.isArray(differences) &&
    differences.every((one) => Array.isArray(fieldsOf(one)["upstreamIds"]))
  );
}

function isStamp(value: unknown): value is NoteTimestamp {
  const { wallMs, bootId, monotonicMs, isDated } = fieldsOf(value);
  const isTime = typeof monotonicMs === "number" && Number.isFinite(new Date(wallMs as number).getTime());
  return isTime && typeof wallMs === "number" && isText(bootId) && typeof isDated === "boolean";
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

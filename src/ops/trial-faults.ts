import type { Condition, ConditionCode } from "../domain/condition.ts";
import type { Zone } from "../domain/zone.ts";
import { gateIdsOf, type ZoneChanges } from "../domain/zone-changes.ts";
import { ON_DEMAND_THREADS } from "./thread-failures.ts";

/** What a change of the zones can break, if not in a thread that is started when needed. Anything else, such as a lost link, takes no change back. */
const BROKEN_BY_ZONES: readonly ConditionCode[] = [
  "configuration-invalid",
  "mqtt-subscription-refused",
  "mqtt-broker-not-listening",
  "gpio-unavailable",
  "gpio-line-failed",
  "adc-unavailable",
  "adc-channel-failed",
  "loop-out-of-range",
  "journal-write-failed",
  "thread-failed",
];
/** Their subject is a zone. */
const OF_ONE_ZONE: readonly ConditionCode[] = ["gpio-line-failed", "adc-channel-failed", "loop-out-of-range"];

/** The faults before a change: for each condition what it names. */
export type KnownFaults = ReadonlyMap<string, readonly string[]>;

/** The open conditions that a change of the zones can cause. */
export function knownFaults(conditions: readonly Condition[]): KnownFaults {
  return new Map(broken(conditions).map((condition) => [keyOf(condition), namesIn(condition)]));
}

/**
 * The fault that a change has caused, as a text; undefined if there is none. A condition that lists zones counts only if it names
 * one that the change has added or altered, or its gate: a repair shortens the list, and a failing chip says what it no longer
 * reads later.
 * @param before the faults before the change
 * @param zones the zones in force after it
 */
export function faultOfChange(
  conditions: readonly Condition[],
  before: KnownFaults,
  { added, changed }: ZoneChanges,
  zones: readonly Zone[],
): string | undefined {
  const ids = new Set([...added, ...changed]);
  const ofChange = new Set([...ids, ...gateIdsOf(zones.filter(({ id }) => ids.has(id)))]);
  const found = broken(conditions).find((condition) => {
    const known = before.get(keyOf(condition));
    const names = namesIn(condition);
    if (names.length === 0) return known === undefined;
    const unread = names.filter((name) => known?.includes(name) !== true);
    return condition.code === "mqtt-subscription-refused"
      ? unread.length > 0
      : unread.some((name) => ofChange.has(name));
  });
  return found && `${found.title}: ${found.text}`;
}

function broken(conditions: readonly Condition[]): Condition[] {
  return conditions.filter(
    (condition) => BROKEN_BY_ZONES.includes(condition.code) && !isOfThreadOnDemand(condition),
  );
}

function keyOf({ code, subject }: Condition): string {
  return `${code}/${subject}`;
}

/** The zones or topics that a condition says are not read; none if it is about the daemon as a whole. */
function namesIn({ code, subject, text, values }: Condition): readonly string[] {
  if (OF_ONE_ZONE.includes(code)) return [subject];
  const list =
    code === "mqtt-subscription-refused"
      ? String(values?.["topics"] ?? "")
      : (/ Not read: (.*)\.$/.exec(text)?.[1] ?? "");
  return list.split(", ").filter((name) => name !== "");
}

/** Reading a list or a backup fails whatever the zones are. */
function isOfThreadOnDemand({ code, subject }: Condition): boolean {
  return code === "thread-failed" && ON_DEMAND_THREADS.some((thread) => thread === subject);
}

import { gapAfterWholeDay } from "../domain/gate.ts";
import { isLifeSafety } from "../domain/incident.ts";
import type { GateSchedule, Zone } from "../generated/types.ts";

/** Warnings about gates that probably disarm at an unexpected time; one for all zones with the same gate. */
export function gateWarnings(zones: readonly Zone[]): string[] {
  const zonesOf = new Map<string, string[]>();
  for (const { id, kind, gate, disabled } of zones) {
    if (disabled === true || isLifeSafety(kind) || typeof gate !== "object") continue;
    const text = warningOf(gate);
    if (text !== undefined) zonesOf.set(text, [...(zonesOf.get(text) ?? []), id]);
  }
  return [...zonesOf].map(([text, [zone, ...others]]) =>
    others.length === 0 ? `zone ${zone}: ${text}` : `several zones: ${text}`,
  );
}

function warningOf(gate: Exclude<NonNullable<Zone["gate"]>, "always">): string | undefined {
  return "schedule" in gate ? scheduleWarning(gate) : undefined;
}

function scheduleWarning({ schedule }: GateSchedule): string | undefined {
  const gap = gapAfterWholeDay(schedule);
  return (
    gap &&
    `the schedule ${JSON.stringify(schedule)} disarms on ${gap.day} from 00:00 to ${gap.until}, after a whole day: a range belongs to the days on which it starts, as in "sun-fri 18:00-07:00, sat-sun"`
  );
}

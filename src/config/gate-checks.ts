import { gapAfterWholeDay } from "../domain/gate.ts";
import { isLifeSafety } from "../domain/incident.ts";
import { plainValue } from "../domain/plain-value.ts";
import type { GateMqtt, GateSchedule, Zone } from "../generated/types.ts";

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
  if ("schedule" in gate) return scheduleWarning(gate);
  return "mqtt" in gate ? normalWarning(gate) : undefined;
}

function scheduleWarning({ schedule }: GateSchedule): string | undefined {
  const gap = gapAfterWholeDay(schedule);
  return (
    gap &&
    `the schedule ${JSON.stringify(schedule)} disarms on ${gap.day} from 00:00 to ${gap.until}, after a whole day: a range belongs to the days on which it starts, as in "sun-fri 18:00-07:00, sat-sun"`
  );
}

/** Values of which there is only one other: on, true and 1, off, false and 0, and these words. */
const TWO_VALUED: ReadonlySet<string> = new Set(["1", "0", "yes", "no", "armed"]);

/** A warning and no error: a site that runs with such a gate must still start. */
function normalWarning({ open, normal, bits = 0 }: GateMqtt): string | undefined {
  const isOneBit = bits > 0 && (bits & (bits - 1)) === 0;
  if (normal !== undefined || isOneBit || open.every((value) => TWO_VALUED.has(plainValue(value))))
    return undefined;
  return `its gate has no normal: ${open.join(", ")} arms, and every other value disarms. Add the values that disarm, such as normal: [disarmed]`;
}

import { hasOverlap, loopOf } from "../domain/loop.ts";
import { ADC_INPUT_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration } from "../generated/types.ts";
import type { Report } from "./problems.ts";

/** Two equal readings are needed: with a longer interval a signal of 400 ms may have only one (EN 50131-1, 8.3.1). */
const EVERY_MS_MAX = 200;

/** Errors in the loops with end-of-line resistors. */
export function reportLoops({ zones = [] }: Configuration, report: Report): void {
  const zoneOfInput = new Map<string, string>();
  for (const [index, { id, input, tamper, allowSlow }] of zones.entries()) {
    if (!("adc" in input)) continue;
    const path = ["zones", index, "input"];
    const { adc, channel, eol, everyMs = ADC_INPUT_DEFAULTS.everyMs } = input;
    const place = `${adc} ${channel}`;
    const other = zoneOfInput.get(place);
    if (other !== undefined)
      report([...path, "channel"], `input ${channel} of ${adc} is used by two zones, ${other} and ${id}`);
    zoneOfInput.set(place, id);
    const loop = loopOf(eol);
    if (hasOverlap(loop))
      report(
        [...path, "eol"],
        `normal (${loop.normalOhms} Ω) and alarm (${loop.alarmOhms} Ω) overlap with a tolerance of ${loop.tolerance * 100} %. Use resistors that differ more, or a smaller tolerancePercent`,
      );
    if (everyMs > EVERY_MS_MAX && allowSlow !== true)
      report(
        [...path, "everyMs"],
        `EN 50131 requires signals of 400 ms to be processed. Use at most ${EVERY_MS_MAX}, or allowSlow: true to allow a slower zone`,
      );
    if (tamper)
      report(
        ["zones", index, "tamper"],
        "the loop of the zone reports its tamper: cut and short circuit. Remove tamper",
      );
  }
}

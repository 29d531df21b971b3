import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { loopStateAt, ohmsAt } from "../domain/loop.ts";
import { findDevice, openChannel } from "../inputs/adc/iio-devices.ts";
import { error, ok, warning, type CheckResult } from "./check-result.ts";

/**
 * Reads each loop with end-of-line resistors once.
 * @param root directory before every path; empty for a real machine
 */
export async function converterChecks({ zones }: Pick<Config, "zones">, root = ""): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { id, input } of zones) {
    if (input.source !== "adc") continue;
    const check = `Loop ${id}`;
    try {
      const channel = await openChannel(await findDevice(input.adc, root), input.channel);
      const ohms = ohmsAt(input.loop, await channel.read());
      const state = loopStateAt(input.loop, ohms);
      const text = `${state}${ohms === Infinity ? "" : `, ${Math.round(ohms)} Ω`} at input ${input.channel} of ${input.adc}`;
      const isUsable = state === "normal" || state === "alarm";
      const remedy =
        "Compare the resistors, the cable, pullUp and supplyV with /usr/share/doc/santinela/docs/wiring.md.";
      results.push(isUsable ? ok(check, text) : warning(check, text, remedy));
    } catch (cause) {
      const remedy = cause instanceof AppError ? cause.hint : "Check the converter's supply and wires.";
      results.push(error(check, `not read: ${(cause as Error).message}`, remedy));
    }
  }
  return results;
}

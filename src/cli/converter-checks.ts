import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { loopStateAt, ohmsAt } from "../domain/loop.ts";
import { findDevice, openChannel, type IioDevice } from "../inputs/adc/iio-devices.ts";
import { error, ok, warning, type CheckResult } from "./check-result.ts";
import { documentationPage } from "./shipped-files.ts";

/** As long as a zone waits for a reading. */
const READING_MS_MAX = 2_000;

/**
 * Reads each loop with end-of-line resistors once. A converter that does not answer is waited for once, for two seconds.
 * @param root directory before every path; empty for a real machine
 */
export async function converterChecks({ zones }: Pick<Config, "zones">, root = ""): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const silent = new Set<string>();
  for (const { id, input } of zones) {
    if (input.source !== "adc") continue;
    const check = `Loop ${id}`;
    try {
      const device = await findDevice(input.adc, root);
      const ohms = ohmsAt(input.loop, await answered(device, input.channel, silent));
      const state = loopStateAt(input.loop, ohms);
      const text = `${state}${ohms === Infinity ? "" : `, ${Math.round(ohms)} Ω`} at input ${input.channel} of ${input.adc}`;
      const isUsable = state === "normal" || state === "alarm";
      const remedy = `Compare the resistors, the cable, pullUp and supplyV with ${documentationPage("wiring.md")}.`;
      results.push(isUsable ? ok(check, text) : warning(check, text, remedy));
    } catch (cause) {
      const remedy = cause instanceof AppError ? cause.hint : "Check the converter's supply and wires.";
      results.push(error(check, `not read: ${(cause as Error).message}`, remedy));
    }
  }
  return results;
}

/** @throws AppError `unavailable` for a converter that does not answer, which `silent` then has */
async function answered(device: IioDevice, channel: number, silent: Set<string>): Promise<number> {
  const { folder } = device;
  const hint = "Check its supply and its I2C or SPI wires.";
  const error = new AppError("unavailable", `no answer within ${READING_MS_MAX / 1000} s`, { hint });
  if (silent.has(folder)) throw error;
  const limit = AbortSignal.timeout(READING_MS_MAX);
  const answer = openChannel(device, channel).then((input) => input.read());
  const late = new Promise<never>((_resolve, reject) => {
    limit.addEventListener("abort", () => reject(error), { once: true });
  });
  try {
    return await Promise.race([answer, late]);
  } catch (cause) {
    if (cause === error) silent.add(folder);
    throw cause;
  }
}

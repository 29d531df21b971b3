import { isoTime, type Clock } from "../domain/clock.ts";
import { isFields } from "../domain/discovery/values.ts";
import { loopInputOf, loopStateAt, ohmsAt, type LoopInput, type LoopState } from "../domain/loop.ts";
import type { Contact } from "../domain/zone.ts";
import type { AdcInput } from "../generated/types.ts";
import { findDevice, openChannel } from "../inputs/adc/iio-devices.ts";
import type { TrialReadingView } from "./discovery-view.ts";

/** As long as a zone waits for a reading. */
const READING_MS_MAX = 2_000;
const RESISTANCE = /^(\d{1,8}(\.\d{1,3})?[RkM]?|\d{1,3}[RkM]\d{1,2})$/;
const CONTACTS: Readonly<Record<LoopState, Contact>> = {
  normal: "normal",
  alarm: "open",
  short: "unknown",
  cut: "unknown",
  outside: "unknown",
};

/** The loop of a request; undefined if it is none. */
export function loopTrialOf(input: Readonly<Record<string, unknown>>): LoopInput | undefined {
  const { adc, channel, eol } = input;
  if (typeof adc !== "string" || adc === "" || adc.length > 64 || !Number.isInteger(channel))
    return undefined;
  if (!isFields(eol)) return undefined;
  const { normal, alarm, pullUp, supplyV = 3.3, tolerancePercent = 10 } = eol;
  const isLoop =
    [normal, alarm, pullUp].every((one) => RESISTANCE.test(String(one))) &&
    [supplyV, tolerancePercent].every((one) => typeof one === "number" && one > 0 && one <= 40);
  return isLoop ? loopInputOf(input as unknown as AdcInput) : undefined;
}

/** Reads a loop once. @returns nothing if its converter is not there or does not answer */
export async function loopReading(
  { adc, channel, loop }: LoopInput,
  clock: Clock,
  root: string,
): Promise<TrialReadingView[]> {
  let cancel = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(READING_MS_MAX, () => resolve(undefined));
  });
  const reading = findDevice(adc, root)
    .then((device) => openChannel(device, channel))
    .then((input) => input.read())
    .catch(() => undefined);
  const millivolts = await Promise.race([reading, late]);
  cancel();
  if (millivolts === undefined) return [];
  const ohms = ohmsAt(loop, millivolts);
  const state = loopStateAt(loop, ohms);
  const value = ohms === Infinity ? state : `${state}, ${Math.round(ohms)} Ω`;
  return [{ contact: CONTACTS[state], value, message: null, at: isoTime(clock.wallMs()), isEarlier: false }];
}

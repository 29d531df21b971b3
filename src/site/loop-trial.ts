import { isoTime, type Clock } from "../domain/clock.ts";
import { loopStateAt, ohmsAt, type LoopInput, type LoopState } from "../domain/loop.ts";
import type { Contact } from "../domain/zone.ts";
import { findDevice, openChannel } from "../inputs/adc/iio-devices.ts";
import type { TrialReadingView } from "./discovery-view.ts";

/** As long as a zone waits for a reading. */
const READING_MS_MAX = 2_000;
const CONTACTS: Readonly<Record<LoopState, Contact>> = {
  normal: "normal",
  alarm: "open",
  short: "unknown",
  cut: "unknown",
  outside: "unknown",
};

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

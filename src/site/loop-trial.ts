import { isoTime, type Clock } from "../domain/clock.ts";
import { loopStateAt, ohmsAt, type LoopInput, type LoopState } from "../domain/loop.ts";
import type { Contact } from "../domain/zone.ts";
import { findDevice, openChannel } from "../inputs/adc/iio-devices.ts";
import { readAlone } from "../inputs/adc/readings-alone.ts";
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

/** Readings of loops for which there is no zone yet. */
export class LoopTrials {
  readonly #clock: Clock;
  readonly #root: string;
  /** The converters that have not answered yet: no further reading waits for them. */
  readonly #silent = new Set<string>();

  /** @param root directory before the paths of converters in /sys; empty for a real machine */
  constructor(clock: Clock, root = "") {
    this.#clock = clock;
    this.#root = root;
  }

  /** Reads a loop once. @returns nothing if its converter is not there or does not answer */
  async read({ adc, channel, loop }: LoopInput): Promise<TrialReadingView[]> {
    if (this.#silent.has(adc)) return [];
    const millivolts = await this.#inTime(adc, (isWanted) => this.#millivolts(adc, channel, isWanted));
    if (millivolts === undefined) return [];
    const ohms = ohmsAt(loop, millivolts);
    const state = loopStateAt(loop, ohms);
    const value = ohms === Infinity ? state : `${state}, ${Math.round(ohms)} Ω`;
    const at = isoTime(this.#clock.wallMs());
    return [{ contact: CONTACTS[state], value, message: null, at, isEarlier: false }];
  }

  async #millivolts(adc: string, channel: number, isWanted: () => boolean): Promise<number | undefined> {
    const device = await findDevice(adc, this.#root);
    return readAlone(device.folder, async () => (await openChannel(device, channel)).read(), isWanted);
  }

  /** @returns undefined for a reading that fails, or is not answered in time */
  async #inTime(
    adc: string,
    read: (isWanted: () => boolean) => Promise<number | undefined>,
  ): Promise<number | undefined> {
    let cancel = (): void => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = this.#clock.after(READING_MS_MAX, () => {
        this.#silent.add(adc);
        resolve(undefined);
      });
    });
    const reading = read(() => !this.#silent.has(adc)).catch(() => undefined);
    void reading.then(() => this.#silent.delete(adc));
    const millivolts = await Promise.race([reading, late]);
    cancel();
    return millivolts;
  }
}

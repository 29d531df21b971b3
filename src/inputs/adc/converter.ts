import type { CancelTimer } from "../../domain/clock.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { findDevice, openChannel, type Channel, type IioDevice } from "./iio-devices.ts";
import { readAlone } from "./readings-alone.ts";
import { MonitoredLoop, type LoopZone, type MonitoredLoopOptions } from "./monitored-loop.ts";

interface ConverterOptions extends MonitoredLoopOptions {
  /** Name, label or kernel device of the converter. */
  readonly name: string;
  /** Directory before every path; empty for a real machine. */
  readonly root: string;
}

/** A converter that appears, or can be read again, is used within this time. */
const SEARCH_EVERY_MS = 2_000;
/** A reading takes milliseconds. The kernel ends one at a hanging bus after a second or never. */
const READING_MS_MAX = 2_000;
/** Readings of one input that fail in succession before it counts as failed: an I2C bus has disturbances. */
const FAILURES_MAX = 3;

/** An input with its zone. */
interface Input {
  readonly loop: MonitoredLoop;
  channel: Channel | undefined;
  failures: number;
}

/**
 * Reads the loops of one converter, one after the other, in rounds. A reading runs outside the event loop; at most one is
 * under way, so that a converter that hangs occupies one thread of the pool and no more.
 */
export class Converter {
  readonly #options: ConverterOptions;
  #inputs: Input[] = [];
  #device: IioDevice | undefined;
  #cancelRound: CancelTimer = () => {};
  #isStopped = false;
  #isRunning = false;
  /** Whether a reading under way has not been answered in time. */
  #isHanging = false;

  constructor(options: ConverterOptions) {
    this.#options = options;
  }

  /** Reads for these zones from now on; a zone that was read before keeps its state. */
  exchange(zones: readonly LoopZone[]): void {
    const before = new Map(this.#inputs.map((input) => [input.loop.zone.id, input]));
    this.#inputs = zones.map((zone) => {
      const known = before.get(zone.id);
      if (known?.loop.zone.input.channel !== zone.input.channel)
        return { loop: new MonitoredLoop(zone, this.#options), channel: undefined, failures: 0 };
      before.delete(zone.id);
      known.loop.zone = zone;
      return known;
    });
    for (const { loop } of before.values()) loop.forget();
    if (zones.length === 0) this.#options.conditions.clear("adc-unavailable", this.#options.name);
    // The new zones must not look read, and their number is in the text.
    if (this.#isHanging) this.#lose(new HangingError());
    this.#begin();
  }

  loopOf(zoneId: string): MonitoredLoop | undefined {
    return this.#inputs.find(({ loop }) => loop.zone.id === zoneId)?.loop;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRound();
  }

  #begin(): void {
    this.#cancelRound();
    if (!this.#isRunning && !this.#isStopped && this.#inputs.length > 0) void this.#round();
  }

  async #round(): Promise<void> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    this.#isRunning = true;
    await this.#readAll();
    this.#isRunning = false;
    if (this.#isStopped || this.#inputs.length === 0) return;
    const isRead = this.#device && this.#inputs.some(({ failures }) => failures < FAILURES_MAX);
    const everyMs = isRead
      ? Math.min(...this.#inputs.map(({ loop }) => loop.zone.input.everyMs))
      : SEARCH_EVERY_MS;
    // A slow converter is read without a pause, but never twice at once.
    const waitMs = Math.max(1, startMs + everyMs - clock.monotonicMs());
    this.#cancelRound = clock.after(waitMs, () => this.#begin());
  }

  async #readAll(): Promise<void> {
    const { name, root, conditions } = this.#options;
    try {
      if (!this.#device) {
        this.#device = await this.#bounded(findDevice(name, root));
        for (const input of this.#inputs) input.channel = undefined;
      }
      for (const input of this.#inputs) await this.#readOne(this.#device, input);
      // With no input left it may have been removed, and come back under another number.
      if (this.#inputs.every(({ failures }) => failures >= FAILURES_MAX)) {
        const { folder } = this.#device;
        this.#device = undefined;
        this.#device = await this.#bounded(findDevice(name, root));
        if (this.#device.folder !== folder) for (const input of this.#inputs) input.channel = undefined;
      }
      conditions.clear("adc-unavailable", name);
    } catch (error) {
      this.#lose(error);
    }
  }

  /** @throws AppError `unavailable` when the converter does not answer at all */
  async #readOne(device: IioDevice, input: Input): Promise<void> {
    const { conditions } = this.#options;
    const { loop } = input;
    try {
      const millivolts = await this.#bounded(
        readAlone(
          device.folder,
          async () => {
            input.channel ??= await openChannel(device, loop.zone.input.channel);
            return input.channel.read();
          },
          () => !this.#isStopped,
        ),
      );
      if (millivolts === undefined || this.#isStopped || !this.#inputs.includes(input)) return;
      input.failures = 0;
      conditions.clear("adc-channel-failed", loop.zone.id);
      loop.take(millivolts);
    } catch (error) {
      if (error instanceof HangingError) throw error;
      input.channel = undefined;
      input.failures += 1;
      if (input.failures < FAILURES_MAX || !this.#inputs.includes(input)) return;
      loop.lose();
      conditions.raise("adc-channel-failed", this.#sentenceOf(error, [loop]), loop.zone.id);
    }
  }

  #lose(error: unknown): void {
    const { name, conditions } = this.#options;
    if (this.#isStopped || this.#inputs.length === 0) return;
    const loops = this.#inputs.map(({ loop }) => loop);
    for (const loop of loops) {
      loop.lose();
      // It is one fault: the converter.
      conditions.clear("adc-channel-failed", loop.zone.id);
    }
    conditions.raise("adc-unavailable", this.#sentenceOf(error, loops), name);
  }

  #sentenceOf(error: unknown, loops: readonly MonitoredLoop[]): string {
    const zones = loops.map(({ zone }) => zone.id).join(", ");
    return `converter ${this.#options.name}: ${problemOf(error)} Not read: ${zones}.`;
  }

  /**
   * Waits for a reading, and reports a converter that does not answer while it goes on waiting: another reading would
   * occupy another thread.
   * @throws HangingError once a reading that took too long has ended, its own error otherwise
   */
  async #bounded<T>(reading: Promise<T>): Promise<T> {
    const { clock } = this.#options;
    let isLate = false;
    const cancel = clock.after(READING_MS_MAX, () => {
      isLate = this.#isHanging = true;
      this.#lose(new HangingError());
    });
    const result = await reading.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    cancel();
    this.#isHanging = false;
    // What a hanging converter answers in the end is old.
    if (isLate) throw new HangingError();
    if ("error" in result) throw result.error;
    return result.value;
  }
}

/** What failed, with the remedy. */
function problemOf(error: unknown): string {
  if (error instanceof AppError) return `${error.message}. ${error.hint}`;
  const { code } = error as NodeJS.ErrnoException;
  const what = code === undefined ? messageOf(error) : `the kernel reports ${code}`;
  return `${what}. Check its supply and its I2C or SPI wires.`;
}

class HangingError extends AppError {
  constructor() {
    super("unavailable", `a reading has not been answered within ${READING_MS_MAX / 1000} s`, {
      hint: "Check its supply and its I2C or SPI wires. It is read again automatically once it responds.",
    });
  }
}

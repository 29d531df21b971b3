import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import { Instant } from "../domain/instant.ts";
import type { Output } from "../domain/output.ts";
import type { OutputDevice } from "./output-device.ts";

interface SwitchedOutputOptions {
  readonly output: Output;
  readonly device: OutputDevice;
  readonly clock: Clock;
  readonly conditions: Conditions;
  readonly record: (event: NewEvent) => void;
}

/** Time after a failure until it is tried again. */
const RETRY_MS = 5_000;
/** Interval at which its state is set again: an expander that was unplugged, or a broker without its messages, has lost it. */
const REPEAT_MS = 30_000;
/** A failure of this time is reported: at a start the broker is not connected at once. */
const REPORTED_MS = 10_000;
/** A switch that takes longer, such as of a broker that does not answer, does not hold up the end of the daemon. */
const STOP_MS_MAX = 2_000;

/** One output with the state that it has, and its condition while it cannot be switched. */
export class SwitchedOutput {
  readonly output: Output;
  readonly #options: SwitchedOutputOptions;
  /** Null until it was switched once, and after a failure. */
  isOn: boolean | null = null;
  /** Its last switch; null before the first. */
  switched: Instant | null = null;
  fault: string | null = null;
  /** The switch that is under way; never rejects. */
  #switching: Promise<void> | undefined;
  #isStopped = false;
  #retryAtMs = -Infinity;
  #repeatAtMs = -Infinity;
  #failedSinceMs: number | undefined;

  constructor(options: SwitchedOutputOptions) {
    this.#options = options;
    this.output = options.output;
    options.device.onLost = () => this.#lost();
  }

  /** It is driven again at the next check. A device that fails at its switch is tried more slowly. */
  #lost(): void {
    if (this.isOn === null || this.#isStopped) return;
    this.isOn = null;
    this.#retryAtMs = -Infinity;
  }

  /**
   * Switches it if it has another state. Never rejects; one switch at a time, so the caller repeats what it wants.
   * @param isTest whether a test is the reason, also of its end
   */
  async set(isOn: boolean, isTest = false): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    const isRepeated = this.isOn === isOn;
    if (this.#isStopped || this.#switching || nowMs < this.#retryAtMs) return;
    if (isRepeated && nowMs < this.#repeatAtMs) return;
    this.#switching = this.#switch(isOn, { isRepeated, isTest });
    await this.#switching;
    this.#switching = undefined;
  }

  async #switch(
    isOn: boolean,
    { isRepeated, isTest }: { readonly isRepeated: boolean; readonly isTest: boolean },
  ): Promise<void> {
    const { device, clock, conditions } = this.#options;
    const { name, isInverted } = this.output;
    // Before the switch: a broker that loses its messages meanwhile makes it due at once.
    this.#repeatAtMs = clock.monotonicMs() + REPEAT_MS;
    try {
      await device.set(isOn);
      if (isRepeated) return;
      // The state after a start is no event, unless the reason of the output is given.
      const isFirst = this.isOn === null && isOn === isInverted;
      this.isOn = isOn;
      this.switched = new Instant(clock);
      this.fault = null;
      conditions.clear("output-failed", name);
      this.#failedSinceMs = undefined;
      if (!isFirst) this.#note(isOn, isTest);
    } catch (error) {
      this.isOn = null;
      this.fault = sentenceOf(error);
      const nowMs = clock.monotonicMs();
      this.#retryAtMs = nowMs + RETRY_MS;
      this.#failedSinceMs ??= nowMs;
      if (nowMs - this.#failedSinceMs >= REPORTED_MS)
        conditions.raise("output-failed", { output: name, reason: this.fault }, name);
    }
  }

  #note(isOn: boolean, isTest: boolean): void {
    this.#options.record({
      event: "output-switched",
      who: "santinela",
      from: "itself",
      subject: `output ${this.output.name}`,
      detail: { state: isOn ? "on" : "off", reason: isTest ? "test" : this.output.reason },
    });
  }

  /** Switches it again to the state that it has: a broker may have lost its retained messages. */
  repeat(): void {
    const { isOn } = this;
    // The next check repeats it, after a switch to the other state that may be under way.
    this.#repeatAtMs = -Infinity;
    if (isOn === null) this.#retryAtMs = -Infinity;
    if (isOn === null || this.#switching) return;
    // A failure shows at the next switch.
    this.#options.device.set(isOn).catch(() => (this.isOn = null));
  }

  /**
   * Switches it off and releases it, within two seconds. A switch that is under way ends first: the last one counts.
   * @returns whether it is off; a broker or a chip may not be reachable
   */
  async stop(): Promise<boolean> {
    const { device, clock, conditions } = this.#options;
    this.#isStopped = true;
    let cancel = (): void => {};
    const limit = new Promise<boolean>((resolve) => {
      cancel = clock.after(STOP_MS_MAX, () => resolve(false));
    });
    const stopped = Promise.resolve(this.#switching).then(() => device.stop());
    const isOff = stopped.then(
      () => true,
      () => false,
    );
    const result = await Promise.race([isOff, limit]);
    cancel();
    conditions.clear("output-failed", this.output.name);
    return result;
  }

  /** As `stop`, for an output that the configuration no longer has: the event log names the switch. */
  async remove(): Promise<boolean> {
    const isOff = await this.stop();
    if (isOff && this.isOn === true) this.#note(false, false);
    return isOff;
  }
}

/** Why it cannot be switched, with the remedy. */
function sentenceOf(error: unknown): string {
  const hint = error instanceof AppError ? error.hint : "";
  return hint === "" ? messageOf(error) : `${messageOf(error)}. ${hint.replace(/\.$/, "")}`;
}

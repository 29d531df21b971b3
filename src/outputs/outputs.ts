import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import { isGiven, type Output, type OutputFacts, type OutputView } from "../domain/output.ts";
import { canonical } from "../domain/zone-changes.ts";
import type { AlarmPulses } from "./alarm-pulses.ts";
import type { OutputDevice } from "./output-device.ts";
import { SwitchedOutput } from "./switched-output.ts";

interface OutputsOptions {
  readonly outputs: readonly Output[];
  readonly deviceOf: (target: Output["target"]) => OutputDevice;
  readonly pulses: AlarmPulses;
  /** Called once a second if an output depends on it. @throws Error if a database cannot be read */
  readonly readState: () => OutputFacts;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
}

/** Maximum delay of an output after its reason; a pulse may be longer by as much. */
const INTERVAL_MS = 1_000;
/** Delay after a trip: its dispatch comes first. */
const SOON_MS = 100;
/** Duration of a test: long enough to hear a siren, too short to take it for an alarm. */
const TEST_MS = 2_000;

/** Drives all outputs. Nothing here delays a trip: a line or a broker that fails is a condition. */
export class Outputs {
  readonly #options: OutputsOptions;
  #switched: readonly SwitchedOutput[];
  /** Since when the reason of each output is given, monotonic; absent while it is not. */
  readonly #since = new Map<Output, number>();
  readonly #testEndMs = new Map<Output, number>();
  readonly #pulseEndMs = new Map<Output, number>();
  /** Those that a test has switched last, and not their reason. */
  readonly #onlyTested = new Set<Output>();
  #cancel: CancelTimer = () => {};
  #isRunning = false;
  #isSoon = false;
  #hasFailed = false;

  constructor(options: OutputsOptions) {
    this.#options = options;
    this.#switched = options.outputs.map((output) => this.#newOutput(output));
  }

  start(): void {
    this.#isRunning = true;
    this.check();
  }

  /**
   * Uses other outputs from now on. An output that stays as it is keeps its state; any other is switched off first, so that
   * a line or topic may move between outputs.
   * @param onRemoved called once the former ones are off, with those that have not answered for two seconds; the new ones come
   * after it
   */
  async exchange(
    outputs: readonly Output[],
    onRemoved: (left: readonly Output[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const wanted = new Set(outputs.map((output) => canonical(output)));
    const isKept = ({ output }: SwitchedOutput): boolean => wanted.has(canonical(output));
    const former = this.#switched.filter((one) => !isKept(one));
    const kept = new Map(this.#switched.filter(isKept).map((one) => [canonical(one.output), one]));
    this.#switched = [...kept.values()];
    for (const { output } of former)
      for (const known of [this.#since, this.#testEndMs, this.#pulseEndMs, this.#onlyTested])
        known.delete(output);
    const left = await outputsLeftOn(former, (one) => this.#remove(one));
    await onRemoved(left);
    this.#switched = outputs.map((output) => kept.get(canonical(output)) ?? this.#newOutput(output));
    this.check();
  }

  /** Called after each trip: the outputs follow soon, and a burst of trips is read at once. */
  checkSoon(): void {
    if (!this.#isRunning || this.#isSoon || this.#switched.length === 0) return;
    this.#isSoon = true;
    this.#cancel();
    this.#cancel = this.#options.clock.after(SOON_MS, () => this.check());
  }

  /** Switches what has changed. */
  check(): void {
    if (!this.#isRunning) return;
    this.#isSoon = false;
    this.#cancel();
    if (this.#switched.length === 0) return;
    this.#cancel = this.#options.clock.after(INTERVAL_MS, () => this.check());
    try {
      this.#readReasons();
      this.#hasFailed = false;
    } catch (error) {
      // The outputs keep their state: an unreadable database must not stop the processing of alarms.
      if (!this.#hasFailed) this.#options.log.warn("outputs-update-failed", { reason: messageOf(error) });
      this.#hasFailed = true;
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const one of this.#switched) {
      const { output } = one;
      if (this.#isReasonShown(output, nowMs)) this.#onlyTested.delete(output);
      void one.set(this.#isOn(output, nowMs), this.#onlyTested.has(output));
    }
  }

  /** Publishes the state of every topic again. */
  repeatTopics(): void {
    for (const one of this.#switched) if (one.output.target.by === "mqtt") one.repeat();
    this.check();
  }

  list(): OutputView[] {
    const nowMs = this.#options.clock.monotonicMs();
    return this.#switched.map(({ output, isOn, switched, fault }) => ({
      name: output.name,
      reason: output.reason,
      target: output.target.by === "mqtt" ? output.target.topic : lineText(output.target),
      isOn,
      since: switched === null ? null : isoTime(switched.wallMs),
      fault,
      ...this.#useOf(output, nowMs),
    }));
  }

  #useOf(output: Output, nowMs: number): Pick<OutputView, "isInUse" | "until"> {
    if (!this.#isReasonShown(output, nowMs)) return { isInUse: false, until: null };
    const endMs = isAlarmPulse(output)
      ? this.#options.pulses.endMs(output.pulseMs, output.kinds)
      : this.#pulseEndMs.get(output);
    const until = endMs === undefined ? null : isoTime(this.#options.clock.wallMs() + endMs - nowMs);
    return { isInUse: true, until };
  }

  /**
   * Switches an output for two seconds.
   * @throws AppError `not-found` for an unknown output, `conflict` while its reason is given, `unavailable` while it cannot be
   * switched
   */
  test(name: string, by: Actor): OutputView[] {
    const tested = this.#switched.find((one) => one.output.name === name);
    if (!tested) throw new AppError("not-found", `output ${name} does not exist`);
    const { output, fault } = tested;
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#isOn(output, nowMs) !== output.isInverted)
      throw new AppError("conflict", `output ${name} is in use now`, {
        hint: isAlarmPulse(output)
          ? "Test it afterwards. A walk test or a bypass of the zone switches it off earlier."
          : "Test it afterwards.",
      });
    if (fault !== null) throw new AppError("unavailable", `output ${name} cannot be switched: ${fault}`);
    this.#testEndMs.set(output, nowMs + TEST_MS);
    this.#onlyTested.add(output);
    this.#options.record({ event: "output-tested", ...by, subject: `output ${name}`, detail: {} });
    this.check();
    this.#options.clock.after(TEST_MS, () => this.check());
    return this.list();
  }

  /** Switches all outputs off: nothing watches them any longer. @returns those that may still be on */
  async stop(): Promise<readonly Output[]> {
    this.#isRunning = false;
    this.#cancel();
    return outputsLeftOn(this.#switched, (one) => one.stop());
  }

  /** Nothing drives it any longer: a line that cannot be reached stays as it is, and a person has to look. */
  async #remove(former: SwitchedOutput): Promise<boolean> {
    const isOff = await former.remove();
    if (!isOff) this.#options.log.warn("output-removal-failed", { output: former.output.name });
    return isOff;
  }

  #newOutput(output: Output): SwitchedOutput {
    const device = this.#options.deviceOf(output.target);
    return new SwitchedOutput({ ...this.#options, output, device });
  }

  #readReasons(): void {
    const { pulses, readState, clock } = this.#options;
    const outputs = this.#switched.map(({ output }) => output);
    if (outputs.some(isAlarmPulse)) pulses.read();
    const others = outputs.filter((output) => !isAlarmPulse(output));
    if (others.length === 0) return;
    const facts = readState();
    const nowMs = clock.monotonicMs();
    for (const output of others) {
      if (!isGiven(output, facts, this.#since.has(output))) this.#since.delete(output);
      else if (!this.#since.has(output)) this.#since.set(output, nowMs);
    }
  }

  #isOn(output: Output, nowMs: number): boolean {
    const isTested = (this.#testEndMs.get(output) ?? -Infinity) > nowMs;
    return (this.#isReasonShown(output, nowMs) || isTested) !== output.isInverted;
  }

  #isReasonShown(output: Output, nowMs: number): boolean {
    const { pulseMs, delayMs } = output;
    if (isAlarmPulse(output))
      return (this.#options.pulses.endMs(output.pulseMs, output.kinds) ?? -Infinity) > nowMs;
    const sinceMs = this.#since.get(output);
    if (sinceMs === undefined) this.#pulseEndMs.delete(output);
    if (sinceMs === undefined || nowMs - sinceMs < delayMs) return false;
    if (pulseMs === null) return true;
    const endMs = this.#pulseEndMs.get(output) ?? nowMs + pulseMs;
    this.#pulseEndMs.set(output, endMs);
    return nowMs < endMs;
  }
}

/** Whether it sounds for a time at each alarm, until a person silences its zone. */
function isAlarmPulse(output: Output): output is Output & { readonly pulseMs: number } {
  return output.reason === "alarm" && output.pulseMs !== null;
}

/** Ends outputs at once. @returns those that may still be on */
async function outputsLeftOn(
  switched: readonly SwitchedOutput[],
  end: (one: SwitchedOutput) => Promise<boolean>,
): Promise<Output[]> {
  const results = await Promise.all(
    switched.map(async (one) => ({ output: one.output, isOff: await end(one) })),
  );
  return results.flatMap(({ output, isOff }) => (isOff ? [] : [output]));
}

function lineText({ gpio, chip }: Extract<Output["target"], { by: "gpio" }>): string {
  return chip === undefined ? `GPIO ${gpio}` : `${chip} ${gpio}`;
}

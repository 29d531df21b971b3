import type { Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { Log } from "../../domain/log.ts";
import {
  isSettled,
  nextRun,
  ohmsAt,
  type LoopInput,
  type LoopRun,
  type LoopState,
  type LoopView,
} from "../../domain/loop.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneEngine } from "../zone-engine.ts";

export interface MonitoredLoopOptions {
  readonly monitor: ZoneEngine;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** A zone at an input of a converter. */
export type LoopZone = Zone & { readonly input: LoopInput };

/** A state is reported again after this time: a write to the journal may have failed, and supervision needs signs of life. */
const REPEAT_MS = 10_000;

/** One loop: decides from its readings what it shows, and reports contact, tamper and availability of its zone. */
export class MonitoredLoop {
  /** The zone that it is read for; a reload may replace it by one with the same sensor. */
  zone: LoopZone;
  readonly #options: MonitoredLoopOptions;
  #run: LoopRun | undefined;
  #ohms: number | null = null;
  /** The state in force, and when it was last reported, monotonic. */
  #reported: { readonly state: LoopState | "unread"; readonly atMs: number } | undefined;

  constructor(zone: LoopZone, options: MonitoredLoopOptions) {
    this.zone = zone;
    this.#options = options;
  }

  get view(): LoopView {
    return { state: this.#reported?.state ?? "unread", ohms: this.#ohms };
  }

  /** @param millivolts at its input, just read */
  take(millivolts: number): void {
    const { loop } = this.zone.input;
    const nowMs = this.#options.clock.monotonicMs();
    const ohms = ohmsAt(loop, millivolts);
    // Two digits: open pages are sent each change.
    this.#ohms = ohms === Infinity ? null : Number(ohms.toPrecision(2));
    this.#run = nextRun(loop, this.#run, ohms);
    if (!isSettled(this.#run)) return;
    const { state } = this.#run;
    const before = this.#reported;
    if (before?.state !== state || nowMs - before.atMs >= REPEAT_MS) this.#report(state);
  }

  /** It cannot be read. A state that it had before has to be seen again. */
  lose(): void {
    this.#run = undefined;
    this.#ohms = null;
    if (this.#reported?.state !== "unread") this.#report("unread");
  }

  /** It is no longer read for this zone. */
  forget(): void {
    for (const code of ["loop-out-of-range", "adc-channel-failed"] as const)
      this.#options.conditions.clear(code, this.zone.id);
  }

  #report(state: LoopState | "unread"): void {
    const { monitor, clock, log } = this.#options;
    const { id } = this.zone;
    this.#setCondition(state);
    try {
      if (state === "normal" || state === "alarm")
        monitor.read(id, state === "alarm" ? "open" : "normal", { live: true });
      // A loop that shows nothing usable is unavailable; what it showed before stays in force.
      const isUp = state !== "outside" && state !== "unread";
      monitor.take(id, { kind: "availability", up: isUp }, { live: true });
      if (isUp)
        monitor.take(id, { kind: "tamper", open: state === "short" || state === "cut" }, { live: true });
      this.#reported = { state, atMs: clock.monotonicMs() };
    } catch (error) {
      // The journal has raised its condition; the next reading reports the state again.
      log.error("loop-reading-write-failed", { zone: id, error });
    }
  }

  #setCondition(state: LoopState | "unread"): void {
    const { conditions } = this.#options;
    const { id, input } = this.zone;
    if (state !== "outside") return conditions.clear("loop-out-of-range", id);
    // One text for each time that it leaves its bands: the zone has the value of now.
    if (this.#reported?.state === "outside") return;
    const { normalOhms: normal, alarmOhms: alarm } = input.loop;
    conditions.raise("loop-out-of-range", { zone: id, ohms: this.#ohms ?? "∞", normal, alarm }, id);
  }
}

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
/** Twice as many as the slowest state needs: after this many readings without a state, the loop is unstable. */
const UNSETTLED_MAX = 20;

/** One loop: decides from its readings what it shows, and reports contact, tamper and availability of its zone. */
export class MonitoredLoop {
  /** The zone that it is read for; a reload may replace it by one with the same sensor. */
  zone: LoopZone;
  readonly #options: MonitoredLoopOptions;
  #run: LoopRun | undefined;
  /** Monotonic time of the first reading of the run: a change occurred before it was certain. */
  #runSinceMs = 0;
  /** Readings since the last certain one. */
  #unsettled = 0;
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
    const { state, readings } = this.#run;
    if (readings === 1) this.#runSinceMs = nowMs;
    if (!isSettled(this.#run)) return this.#takeUnsettled(state);
    this.#unsettled = 0;
    const before = this.#reported;
    if (before?.state !== state) this.#report(state, this.#runSinceMs);
    else if (nowMs - before.atMs >= REPEAT_MS) this.#report(state, nowMs);
  }

  /** It cannot be read. A state that it had before has to be seen again. */
  lose(): void {
    this.#run = undefined;
    this.#unsettled = 0;
    this.#ohms = null;
    if (this.#reported?.state !== "unread") this.#report("unread");
  }

  /** It is no longer read for this zone. */
  forget(): void {
    for (const code of ["loop-out-of-range", "adc-channel-failed"] as const)
      this.#options.conditions.clear(code, this.zone.id);
  }

  /**
   * A loop that changes at each reading shows nothing usable, which must not look like its last state. Its contact goes to the
   * filters of the zone, which detect chatter.
   */
  #takeUnsettled(state: LoopState): void {
    this.#unsettled += 1;
    if (this.#unsettled < UNSETTLED_MAX) return;
    if (this.#reported?.state !== "outside") this.#report("outside");
    if (state === "normal" || state === "alarm") this.#attempt(() => this.#read(state));
  }

  /** @param atMs when the state began, monotonic; now if undefined */
  #report(state: LoopState | "unread", atMs?: number): void {
    const { monitor, clock } = this.#options;
    const { id } = this.zone;
    this.#setCondition(state);
    this.#attempt(() => {
      if (state === "normal" || state === "alarm") this.#read(state, atMs);
      // A loop that shows nothing usable is unavailable; what it showed before stays in force.
      const isUp = state !== "outside" && state !== "unread";
      monitor.take(id, { kind: "availability", up: isUp }, { live: true });
      if (isUp)
        monitor.take(id, { kind: "tamper", open: state === "short" || state === "cut" }, { live: true });
      this.#reported = { state, atMs: clock.monotonicMs() };
    });
  }

  /** The journal has raised its condition if this fails; the next reading reports the state again. */
  #attempt(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.#options.log.error("loop-reading-write-failed", { zone: this.zone.id, error });
    }
  }

  #read(state: "normal" | "alarm", atMs?: number): void {
    this.#options.monitor.read(this.zone.id, state === "alarm" ? "open" : "normal", { live: true, atMs });
  }

  #setCondition(state: LoopState | "unread"): void {
    const { conditions } = this.#options;
    const { id, input } = this.zone;
    if (state !== "outside") return conditions.clear("loop-out-of-range", id);
    // One text for each time that it leaves its bands: the zone has the value of now.
    if (this.#reported?.state === "outside") return;
    if (this.#unsettled >= UNSETTLED_MAX) return conditions.raise("loop-out-of-range", unstableText(id), id);
    const { normalOhms: normal, alarmOhms: alarm } = input.loop;
    conditions.raise("loop-out-of-range", { zone: id, ohms: this.#ohms ?? "∞", normal, alarm }, id);
  }
}

function unstableText(zoneId: string): string {
  return `the loop of zone ${zoneId} changes with each reading, so it has no state. Check its terminals, its cable and the supply.`;
}

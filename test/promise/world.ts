import { TIMER_MS_MAX, type CancelTimer, type Clock } from "../../src/domain/clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly action: () => void;
}

/** Time as it really passes, and the machines that keep it each in its own way. All moments are milliseconds since 1970. */
export class World {
  #nowMs: number;
  #order = 0;
  readonly #timers: Timer[] = [];
  readonly #routines = new Set<() => void>();
  #isQuiet = false;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): CancelTimer {
    const waitMs = Math.min(Math.max(0, delayMs), TIMER_MS_MAX);
    const timer = { dueMs: this.#nowMs + waitMs, order: (this.#order += 1), action };
    const index = this.#timers.findIndex(({ dueMs }) => dueMs > timer.dueMs);
    this.#timers.splice(index < 0 ? this.#timers.length : index, 0, timer);
    return () => {
      const place = this.#timers.indexOf(timer);
      if (place >= 0) this.#timers.splice(place, 1);
    };
  }

  /** A look that the daemon repeats; while nothing happens it is made so rarely that a week can be played at once. */
  routine(delayMs: number, action: () => void): CancelTimer {
    let cancel: CancelTimer = () => {};
    const wait = (forMs: number): void => {
      cancel = this.after(forMs, () => {
        this.#routines.delete(hurry);
        action();
      });
    };
    const hurry = (): void => {
      cancel();
      wait(Math.min(delayMs, WAKES_WITHIN_MS));
    };
    if (this.#isQuiet) this.#routines.add(hurry);
    wait(this.#isQuiet ? delayMs * QUIET_FACTOR : delayMs);
    return () => {
      this.#routines.delete(hurry);
      cancel();
    };
  }

  /** Whether nothing happens for a while. */
  set isQuiet(isQuiet: boolean) {
    this.#isQuiet = isQuiet;
    if (isQuiet) return;
    const waiting = [...this.#routines];
    this.#routines.clear();
    for (const hurry of waiting) hurry();
  }

  isDueWithin(ms: number): boolean {
    const next = this.#timers[0];
    return next !== undefined && next.dueMs <= this.#nowMs + ms;
  }

  /** Goes on to the next timer up to a moment and runs it. @returns false when there is none; then it is that moment */
  runNext(untilMs: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.dueMs > untilMs) {
      this.#nowMs = Math.max(this.#nowMs, untilMs);
      return false;
    }
    this.#timers.shift();
    this.#nowMs = Math.max(this.#nowMs, next.dueMs);
    next.action();
    return true;
  }
}

const QUIET_FACTOR = 360;
/** After quiet hours each look is made so soon. */
const WAKES_WITHIN_MS = 5_000;

/** The clocks of one run of a machine, from one power-up to the next. */
export class MachineClock implements Clock {
  readonly #world: World;
  readonly #bootMs: number;
  /** By how much the wall clock is wrong. */
  #wrongByMs: number;
  #isOff = false;

  constructor(world: World, wrongByMs: number) {
    this.#world = world;
    this.#bootMs = world.nowMs - BOOT_TAKES_MS;
    this.#wrongByMs = wrongByMs;
  }

  get wrongByMs(): number {
    return this.#wrongByMs;
  }

  wallMs(): number {
    return this.#world.nowMs + this.#wrongByMs;
  }

  monotonicMs(): number {
    return this.#world.nowMs - this.#bootMs;
  }

  after(delayMs: number, action: () => void): CancelTimer {
    if (this.#isOff) return () => {};
    const act = (): void => {
      if (!this.#isOff) action();
    };
    const isRoutine = delayMs === DISK_LOOK_MS || (delayMs >= ROUTINE_MS_MIN && delayMs <= ROUTINE_MS_MAX);
    return isRoutine ? this.#world.routine(delayMs, act) : this.#world.after(delayMs, act);
  }

  afterEventLoopTurn(action: () => void): void {
    setImmediate(() => {
      if (!this.#isOff) action();
    });
  }

  /** A time server or a person sets the wall clock. */
  set(wrongByMs: number): void {
    this.#wrongByMs = wrongByMs;
  }

  /** The power goes: nothing that was planned happens. */
  off(): void {
    this.#isOff = true;
  }
}

/**
 * The daemon looks whether there is anything to do after delays of this length. In the quiet hours of a week that is most
 * of the work; what is about one contact is shorter, or over before the quiet hours begin, or longer.
 */
const ROUTINE_MS_MIN = 10_000;
const ROUTINE_MS_MAX = 60_000;
/** It asks how much room the disk has every five seconds; what else takes as long is about a start, and soon over. */
const DISK_LOOK_MS = 5_000;

/** What follows from the last happening has so long at the daemon's own pace before the hours count as quiet. */
export const CALMING_MS = 20_000;
/** Before people look after quiet hours, the daemon has this much time at its own pace. */
export const AWAKE_MS = 25_000;

/** From the power-up until the daemon is started. */
const BOOT_TAKES_MS = 12_000;

let wallMs: (() => number) | undefined;
const SystemDate = Date;

/** Has `Date` show the time of a machine, for packages that ask it themselves; undefined for the real time. */
export function showTimeOf(clock: Clock | undefined): void {
  wallMs = clock === undefined ? undefined : () => clock.wallMs();
  globalThis.Date = clock === undefined ? SystemDate : MachineDate;
}

const MachineDate = new Proxy(SystemDate, {
  construct: (target, values, made) =>
    Reflect.construct(target, values.length === 0 && wallMs ? [wallMs()] : values, made) as object,
  get: (target, name, receiver) =>
    name === "now" && wallMs ? wallMs : (Reflect.get(target, name, receiver) as unknown),
});

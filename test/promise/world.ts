import { TIMER_MS_MAX, type CancelTimer, type Clock } from "../../src/domain/clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly action: () => void;
}

/** Real time, and the clocks of the simulated machines. All times are milliseconds since 1970. */
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

  /** A periodic check of the daemon; without events it runs rarely, so that a week can be simulated quickly. */
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

  /** Whether there are no events for some time. */
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

  /**
   * Advances to the next timer before a time and runs it.
   * @returns false if there is none; the clock then shows that time
   */
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
/** Delay of each periodic check after quiet hours. */
const WAKES_WITHIN_MS = 5_000;

/** Clocks of a machine between two power-ups. */
export class MachineClock implements Clock {
  readonly #world: World;
  readonly #bootMs: number;
  /** Error of the wall clock. */
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

  /** Sets the wall clock, like a time server or a user. */
  set(wrongByMs: number): void {
    this.#wrongByMs = wrongByMs;
  }

  /** Cuts the power: no pending timer runs. */
  off(): void {
    this.#isOff = true;
  }
}

/**
 * Periodic checks of the daemon have these delays. In the quiet hours of a week they are most of the work;
 * timers of a contact are shorter, end before the quiet hours, or are longer.
 */
const ROUTINE_MS_MIN = 10_000;
const ROUTINE_MS_MAX = 60_000;
/** The disk space is checked every five seconds; other timers of this length belong to a start and end soon. */
const DISK_LOOK_MS = 5_000;

/** Time at normal pace after the last event before the quiet hours start. */
export const CALMING_MS = 20_000;
/** Time at normal pace before an observation after quiet hours. */
export const AWAKE_MS = 25_000;

/** Time from the power-up to the start of the daemon. */
const BOOT_TAKES_MS = 12_000;

let wallMs: (() => number) | undefined;
const SystemDate = Date;

/** Replaces `Date` by the clock of a machine, for packages that use it; undefined restores real time. */
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

import { DeadlineTimer, type Clock } from "../../domain/clock.ts";
import { gateStateOf, type GateState } from "../../domain/gate.ts";
import type { Contact } from "../../domain/zone.ts";

/**
 * How long a key switch must keep its position before it counts, in milliseconds: interference on its cable must neither
 * cancel an alarm nor begin an exit delay. To disarm takes longer, because that is what suppresses alarms.
 */
const STABLE_MS = { open: 50, closed: 250 } as const;

/** A position that has not lasted long enough yet. */
interface Pending {
  readonly state: "open" | "closed";
  /** Monotonic time of its first reading. */
  readonly sinceMs: number;
}

/** The contact of one key switch. Its first position counts at once, also after a time in which it could not be read. */
export class KeySwitch {
  readonly #clock: Clock;
  readonly #report: (state: GateState) => void;
  readonly #timer: DeadlineTimer;
  #state: GateState = "unknown";
  #pending: Pending | undefined;

  /** @param report called with the state in force: after each change, and for each reading that confirms it */
  constructor(clock: Clock, report: (state: GateState) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#timer = new DeadlineTimer(clock, () => this.#settle(clock.monotonicMs()), { afterInput: true });
  }

  /** @param atMs time of the reading on the monotonic clock; now if undefined */
  readonly take = (contact: Contact, atMs = this.#clock.monotonicMs()): void => {
    const state = gateStateOf(contact);
    // A position that has lasted long enough before this reading counts, even if its timer is late.
    this.#settle(atMs);
    if (state === "unknown" || this.#state === "unknown" || state === this.#state) this.#set(state);
    else if (this.#pending === undefined) {
      this.#pending = { state, sinceMs: atMs };
      this.#timer.arm([atMs + STABLE_MS[state]]);
    }
  };

  stop(): void {
    this.#timer.stop();
  }

  #settle(nowMs: number): void {
    if (this.#pending === undefined) return;
    const { state, sinceMs } = this.#pending;
    if (nowMs - sinceMs >= STABLE_MS[state]) this.#set(state);
  }

  #set(state: GateState): void {
    this.#timer.stop();
    this.#pending = undefined;
    this.#state = state;
    this.#report(state);
  }
}

import { DeadlineTimer, type Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { gateStateOf, type GateState } from "../../domain/gate.ts";
import { lineName } from "../../domain/gpio-chip.ts";
import type { Contact } from "../../domain/zone.ts";
import type { KeyGate } from "./line-bindings.ts";

interface KeySwitchOptions {
  readonly clock: Clock;
  readonly conditions: Conditions;
  /** Called with the state in force: after each change, and for each reading that confirms it. */
  readonly report: (state: GateState) => void;
  /** Reads its line now and passes the reading to `take`, if the line is open. */
  readonly readAgain: () => void;
}

/**
 * How long a key switch must keep its position before it counts, in milliseconds: interference on its cable must neither
 * cancel an alarm nor begin an exit delay. To disarm takes longer, because that is what suppresses alarms.
 */
const STABLE_MS = { open: 50, closed: 250 } as const;
/** Changes within two seconds that did not last. A key that is turned bounces ten times. */
const UNSETTLED_MAX = 20;
const UNSETTLED_WINDOW_MS = 2_000;
/** Time without a change after which an unsettled position counts again; long, because polls of a storm can agree by chance. */
const REST_MS = 5_000;

/** A position that has not lasted long enough yet. */
interface Pending {
  readonly state: "open" | "closed";
  /** Monotonic time of its first reading. */
  readonly sinceMs: number;
}

/**
 * The contact of one key switch. Its first position counts at once, also after a time in which it could not be read. One that
 * does not settle is unknown, so that its zones are armed: interference on the cable must not keep them disarmed.
 */
export class KeySwitch {
  readonly #gate: KeyGate;
  readonly #options: KeySwitchOptions;
  readonly #timer: DeadlineTimer;
  #state: GateState = "unknown";
  #pending: Pending | undefined;
  /** Changes that did not last, since the start of a window. */
  #unsettled = 0;
  #windowMs = -Infinity;
  #isUnstable = false;

  constructor(gate: KeyGate, options: KeySwitchOptions) {
    this.#gate = gate;
    this.#options = options;
    // The end of a disturbance may not have been reported: only a position that is still there counts.
    this.#timer = new DeadlineTimer(options.clock, options.readAgain, { afterInput: true });
  }

  /** @param atMs time of the reading on the monotonic clock; now if undefined */
  readonly take = (contact: Contact, atMs = this.#options.clock.monotonicMs()): void => {
    const state = gateStateOf(contact);
    if (state === "unknown" || (this.#state === "unknown" && !this.#isUnstable)) this.#set(state);
    else if (state === this.#state) this.#return(atMs);
    else this.#wait(state, atMs);
  };

  /** Its line changes too often to be followed, so its position is unknown until it rests. */
  readonly unsettle = (): void => {
    const { conditions } = this.#options;
    this.#isUnstable = true;
    conditions.raise("key-switch-unstable", { line: lineName(this.#gate) }, this.#gate.id);
    this.#set("unknown");
  };

  stop(): void {
    this.#timer.stop();
  }

  /** It is no longer read. */
  forget(): void {
    this.stop();
    this.#options.conditions.clear("key-switch-unstable", this.#gate.id);
  }

  #wait(state: "open" | "closed", atMs: number): void {
    const sinceMs = this.#pending?.state === state ? this.#pending.sinceMs : atMs;
    const untilMs = sinceMs + (this.#isUnstable ? REST_MS : STABLE_MS[state]);
    if (atMs >= untilMs) return this.#settle(state);
    this.#pending = { state, sinceMs };
    this.#timer.arm([untilMs]);
  }

  /** The position in force again; one that was pending did not last. */
  #return(atMs: number): void {
    if (this.#pending) {
      if (atMs - this.#windowMs >= UNSETTLED_WINDOW_MS) {
        this.#windowMs = atMs;
        this.#unsettled = 0;
      }
      this.#unsettled += 1;
      if (this.#unsettled >= UNSETTLED_MAX) return this.unsettle();
    }
    this.#set(this.#state);
  }

  #settle(state: "open" | "closed"): void {
    this.#isUnstable = false;
    this.#unsettled = 0;
    this.#options.conditions.clear("key-switch-unstable", this.#gate.id);
    this.#set(state);
  }

  #set(state: GateState): void {
    this.#timer.stop();
    this.#pending = undefined;
    this.#state = state;
    this.#options.report(state);
  }
}

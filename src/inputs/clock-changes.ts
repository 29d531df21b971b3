import type { Clock, TrustedTime } from "../domain/clock.ts";

/** A smaller step of the wall clock matters to no period, which has whole minutes. */
const STEP_MS = 30_000;

/** `trusted`: it was not trusted before, and what it said means nothing. `set`: it was trusted, and shows another time now. */
export type ClockChange = "trusted" | "set";

/** Notices changes of the wall clock. */
export class ClockChanges {
  readonly #clock: Clock;
  readonly #time: TrustedTime;
  #wasTrusted: boolean;
  /** Wall clock less monotonic clock, in milliseconds, when it was last trusted. */
  #offsetMs: number;

  constructor(clock: Clock, time: TrustedTime) {
    this.#clock = clock;
    this.#time = time;
    this.#wasTrusted = time.isTrusted();
    this.#offsetMs = this.#presentOffsetMs();
  }

  /** Calls back with the change since the last call; again with the next call if the callback throws. */
  look(onChange: (change: ClockChange) => void): void {
    if (!this.#time.isTrusted()) {
      this.#wasTrusted = false;
      return;
    }
    const offsetMs = this.#presentOffsetMs();
    if (!this.#wasTrusted) onChange("trusted");
    else if (Math.abs(offsetMs - this.#offsetMs) > STEP_MS) onChange("set");
    else return;
    this.#wasTrusted = true;
    this.#offsetMs = offsetMs;
  }

  #presentOffsetMs(): number {
    return this.#clock.wallMs() - this.#clock.monotonicMs();
  }
}

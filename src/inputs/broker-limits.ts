import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";

const LIMITS = ["connections", "memory", "packet", "retained", "sign-in"] as const;

/** What the built-in broker has only so much of. */
export type BrokerLimit = (typeof LIMITS)[number];

/** A limit that was not reached for so long is no trouble any more. */
const LIMIT_CLEAR_MS = 600_000;

/** Says once that the built-in broker is at one of its limits, for as long as it goes on. */
export class BrokerLimits {
  readonly #conditions: Conditions;
  readonly #clock: Clock;
  readonly #reached = new Map<BrokerLimit, CancelTimer>();
  /** How often each limit was reached since the start. */
  readonly counts = new Map<BrokerLimit, number>(LIMITS.map((limit) => [limit, 0]));

  constructor({ conditions, clock }: { conditions: Conditions; clock: Clock }) {
    this.#conditions = conditions;
    this.#clock = clock;
  }

  /** @param text what happens because of it, and the way out; the first one stands while the limit goes on being reached */
  reached(limit: BrokerLimit, text: string): void {
    this.counts.set(limit, (this.counts.get(limit) ?? 0) + 1);
    const cancel = this.#reached.get(limit);
    if (cancel) cancel();
    else this.#conditions.raise("mqtt-broker-at-limit", text, limit);
    this.#reached.set(
      limit,
      this.#clock.after(LIMIT_CLEAR_MS, () => this.#over(limit)),
    );
  }

  stop(): void {
    for (const [limit, cancel] of this.#reached) {
      cancel();
      this.#over(limit);
    }
  }

  #over(limit: BrokerLimit): void {
    this.#reached.delete(limit);
    this.#conditions.clear("mqtt-broker-at-limit", limit);
  }
}

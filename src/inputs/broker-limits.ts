import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";

const LIMITS = ["client-id", "connections", "memory", "packet", "retained", "sign-in"] as const;

/** A limited resource of the built-in broker. */
type BrokerLimit = (typeof LIMITS)[number];

/** Time without reaching a limit after which its condition clears. */
const LIMIT_CLEAR_MS = 600_000;

/** Raises one condition for each limit of the built-in broker while it is being reached. */
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

  /** Clears what a broker left that was ended by a defect. */
  start(): void {
    for (const limit of LIMITS) this.#clear(limit);
  }

  /** @param text effect and remedy; the first text is kept while the condition is open */
  reached(limit: BrokerLimit, text: string): void {
    this.counts.set(limit, (this.counts.get(limit) ?? 0) + 1);
    const cancel = this.#reached.get(limit);
    if (cancel) cancel();
    else this.#conditions.raise("mqtt-broker-at-limit", text, limit);
    this.#reached.set(
      limit,
      this.#clock.after(LIMIT_CLEAR_MS, () => this.#clear(limit)),
    );
  }

  stop(): void {
    for (const [limit, cancel] of this.#reached) {
      cancel();
      this.#clear(limit);
    }
  }

  #clear(limit: BrokerLimit): void {
    this.#reached.delete(limit);
    this.#conditions.clear("mqtt-broker-at-limit", limit);
  }
}

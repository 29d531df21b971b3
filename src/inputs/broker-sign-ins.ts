import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { SignInThrottle, type SignInAttempt } from "../domain/sign-in-throttle.ts";
import type { BrokerLimits } from "./broker-limits.ts";

/** Four times the connections of the built-in broker; the oldest is forgotten beyond it. */
const KNOWN_CLIENTS_MAX = 1_000;

/**
 * Slows down the guessing of the built-in broker's password, by network address. A client id that has signed in from its
 * address before has a count of its own: another program at that address, with a wrong password, keeps no sensor out.
 */
export class BrokerSignIns {
  readonly #limits: BrokerLimits;
  readonly #throttle: SignInThrottle;
  readonly #knownClients = new Map<string, string>();
  #clients = 0;

  constructor(limits: BrokerLimits, clock: Clock) {
    this.#limits = limits;
    this.#throttle = new SignInThrottle(clock);
  }

  /** Whether a client may sign in. @param fits compares its password; not asked while its address has to wait */
  admits(clientId: string, address: string, fits: () => boolean): boolean {
    const client = JSON.stringify([address, clientId]);
    // Counted by address alone: a count by user name would let any stranger keep every sensor out.
    const attempt: SignInAttempt = {
      email: clientId,
      address: this.#knownClients.get(client) ?? address,
      isKnownPlace: false,
      isRandomPassword: true,
    };
    try {
      this.#throttle.assertOpen(attempt);
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
    if (fits()) {
      this.#remember(client);
      return true;
    }
    const blockedForS = this.#throttle.failed(attempt);
    if (blockedForS > 0)
      this.#limits.reached(
        "sign-in",
        `${address} tries wrong passwords at the built-in broker, the last time as client ${JSON.stringify(clientId.slice(0, 100))}, and waits up to 15 minutes between two. Correct the password of that sensor, or look for what guesses there.`,
      );
    return false;
  }

  #remember(client: string): void {
    if (this.#knownClients.has(client)) return;
    // The dot has the throttle take it as it is, not as the address of a network.
    this.#knownClients.set(client, `client.${(this.#clients += 1)}`);
    const [oldest] = this.#knownClients.keys();
    if (this.#knownClients.size > KNOWN_CLIENTS_MAX && oldest !== undefined)
      this.#knownClients.delete(oldest);
  }
}

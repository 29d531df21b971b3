import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import { SignInThrottle, type SignInAttempt } from "../domain/sign-in-throttle.ts";
import type { BrokerLimits } from "./broker-limits.ts";

/** Four times the maximum number of connections; beyond it the oldest is removed. */
const KNOWN_CLIENTS_MAX = 1_000;
/** Names come from the network and may have 64 KiB. */
const NAME_LENGTH_MAX = 100;
/** The event log gets one entry in this time, with the number of the others, so that guessing cannot fill it. */
const RECORDED_EVERY_MS = 60_000;

export interface BrokerSignInsOptions {
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
}

/** What a client sends when it signs in. */
export interface BrokerSignIn {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly address: string;
}

/**
 * Rate limit for wrong passwords at the built-in broker, by network address. A client id that has signed in from its
 * address before is counted separately, so another program with a wrong password at that address does not block it.
 */
export class BrokerSignIns {
  readonly #options: BrokerSignInsOptions;
  readonly #throttle: SignInThrottle;
  readonly #knownClients = new Map<string, string>();
  #clients = 0;
  #recordedAtMs: number | undefined;
  #unrecorded = 0;

  constructor(options: BrokerSignInsOptions) {
    this.#options = options;
    this.#throttle = new SignInThrottle(options.clock);
  }

  /** Whether a client may sign in. @param fits compares its password; not called while its address is blocked */
  admits(signIn: BrokerSignIn, isPasswordRight: () => boolean): boolean {
    const { clientId, address } = signIn;
    const client = JSON.stringify([address, clientId]);
    // Counted by address only: with a count by user name, any client on the network could block every sensor.
    const attempt: SignInAttempt = {
      email: clientId,
      address: this.#knownClients.get(client) ?? address,
      isKnownAddress: false,
      isRandomPassword: true,
    };
    try {
      this.#throttle.assertOpen(attempt);
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
    if (isPasswordRight()) {
      this.#remember(client);
      return true;
    }
    const blockedForS = this.#throttle.failed(attempt);
    if (blockedForS > 0) {
      this.#options.limits.reached(
        "sign-in",
        `${address} tries wrong passwords at the built-in broker, most recently as client ${JSON.stringify(clientId.slice(0, NAME_LENGTH_MAX))}, and must wait up to 15 minutes between attempts. Correct the password of that sensor, or find the program that guesses.`,
      );
      this.#record(signIn, blockedForS);
    }
    return false;
  }

  #record({ clientId, username, address }: BrokerSignIn, blockedForS: number): void {
    const { clock, record, log } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#recordedAtMs !== undefined && nowMs - this.#recordedAtMs < RECORDED_EVERY_MS) {
      this.#unrecorded += 1;
      return;
    }
    const others = this.#unrecorded > 0 ? { othersMeanwhile: this.#unrecorded } : {};
    const client = clientId.slice(0, NAME_LENGTH_MAX);
    try {
      record({
        event: "sign-in-blocked",
        who: (username ?? "").slice(0, NAME_LENGTH_MAX),
        from: address,
        subject: "built-in MQTT broker",
        detail: { client, blockedForS, ...others },
      });
      this.#recordedAtMs = nowMs;
      this.#unrecorded = 0;
    } catch (error) {
      // Such as on a full disk; the condition still names the address.
      log.warn("mqtt-sign-in-event-write-failed", { error });
    }
  }

  #remember(client: string): void {
    if (this.#knownClients.has(client)) return;
    // The dot keeps the throttle from shortening it to the network of an IP address.
    this.#knownClients.set(client, `client.${(this.#clients += 1)}`);
    const [oldest] = this.#knownClients.keys();
    if (this.#knownClients.size > KNOWN_CLIENTS_MAX && oldest !== undefined)
      this.#knownClients.delete(oldest);
  }
}

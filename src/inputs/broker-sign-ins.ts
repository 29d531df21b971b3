import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import { networkOf } from "../domain/client-network.ts";
import { SignInThrottle, type SignInAttempt } from "../domain/sign-in-throttle.ts";
import { describeClient, shortName, type BrokerLimits } from "./broker-limits.ts";

/** What a client sends when it signs in. */
interface BrokerSignIn {
  readonly clientId: string;
  /** Empty without one. */
  readonly username: string;
  readonly address: string;
}

interface BrokerSignInsOptions {
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
}

/** Twice the maximum number of connections. */
const KNOWN_CLIENTS_OF_ACCOUNT_MAX = 512;
/** The event log gets one entry of an address in this time, so that guessing cannot fill it. */
const RECORDED_EVERY_MS = 60_000;
/** Addresses with an entry in that time. The next entry has the number of what was left out. */
const RECORDED_ADDRESSES_MAX = 20;

/**
 * Rate limit for wrong passwords at the built-in broker, by network address. A client that has signed in to an account from its
 * address before is counted separately for this account, so another program with a wrong password at that address does not
 * block it.
 */
export class BrokerSignIns {
  readonly #options: BrokerSignInsOptions;
  readonly #throttle: SignInThrottle;
  readonly #known = new KnownClients();
  /** When each address last had an entry, oldest first. */
  readonly #recordedAtMs = new Map<string, number>();
  #unrecorded = 0;

  constructor(options: BrokerSignInsOptions) {
    this.#options = options;
    this.#throttle = new SignInThrottle(options.clock);
  }

  /** Whether a client may sign in. @param isPasswordRight compares its password; not called while its address is blocked */
  admits(signIn: BrokerSignIn, isPasswordRight: () => boolean): boolean {
    const { clientId, address } = signIn;
    // Counted by address only: with a count by user name, any client on the network could block every sensor.
    const attempt: SignInAttempt = {
      email: clientId,
      address: this.#known.counterOf(signIn) ?? address,
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
      this.#known.add(signIn);
      return true;
    }
    const blockedForS = this.#throttle.failed(attempt);
    if (blockedForS > 0) {
      const text = `${address} tries wrong passwords at the built-in broker as ${describeClient({ address: "", clientId })}, and must wait up to 15 minutes between attempts. Correct the password of that sensor, or find the program that guesses.`;
      this.#options.limits.reached("sign-in", { address, clientId }, text);
      this.#record(signIn, blockedForS);
    }
    return false;
  }

  #record({ clientId, username, address }: BrokerSignIn, blockedForS: number): void {
    const { clock, record, log } = this.#options;
    const nowMs = clock.monotonicMs();
    const network = networkOf(address);
    for (const [recorded, atMs] of this.#recordedAtMs)
      if (nowMs - atMs >= RECORDED_EVERY_MS) this.#recordedAtMs.delete(recorded);
    if (this.#recordedAtMs.has(network) || this.#recordedAtMs.size >= RECORDED_ADDRESSES_MAX) {
      this.#unrecorded += 1;
      return;
    }
    const others = this.#unrecorded > 0 ? { othersMeanwhile: this.#unrecorded } : {};
    try {
      record({
        event: "sign-in-blocked",
        who: shortName(username),
        from: address,
        subject: "built-in MQTT broker",
        detail: { client: shortName(clientId), blockedForS, ...others },
      });
      this.#recordedAtMs.set(network, nowMs);
      this.#unrecorded = 0;
    } catch (error) {
      // Such as on a full disk; the condition still names the address.
      log.warn("mqtt-sign-in-event-write-failed", { error });
    }
  }
}

interface KnownClient {
  readonly network: string;
  /** Key of its wrong passwords. */
  readonly counter: string;
}

/**
 * The clients that have signed in, by account: a client with the password of one account gets no further guesses at another, and
 * removes no client of another.
 */
class KnownClients {
  readonly #ofAccounts = new Map<string, Map<string, KnownClient>>();
  #counters = 0;

  counterOf(signIn: BrokerSignIn): string | undefined {
    return this.#ofAccounts.get(signIn.username)?.get(keyOf(signIn))?.counter;
  }

  /** @param signIn with the right password: so there are no more accounts than in the configuration */
  add(signIn: BrokerSignIn): void {
    const { username } = signIn;
    const clients = this.#ofAccounts.get(username) ?? new Map<string, KnownClient>();
    this.#ofAccounts.set(username, clients);
    const key = keyOf(signIn);
    // The dot keeps the throttle from shortening it to the network of an IP address.
    const client = clients.get(key) ?? {
      network: networkOf(signIn.address),
      counter: `client.${(this.#counters += 1)}`,
    };
    // Re-inserting keeps the map in the order of the last sign-in.
    clients.delete(key);
    clients.set(key, client);
    if (clients.size > KNOWN_CLIENTS_OF_ACCOUNT_MAX) removeOne(clients);
  }
}

function keyOf({ address, clientId }: BrokerSignIn): string {
  return JSON.stringify([address, clientId]);
}

/** Removes the oldest client of the network with the most, so that ever new client ids at one place remove no other's. */
function removeOne(clients: Map<string, KnownClient>): void {
  const counts = new Map<string, number>();
  for (const { network } of clients.values()) counts.set(network, (counts.get(network) ?? 0) + 1);
  const most = Math.max(...counts.values());
  for (const [key, { network }] of clients)
    if (counts.get(network) === most) {
      clients.delete(key);
      return;
    }
}

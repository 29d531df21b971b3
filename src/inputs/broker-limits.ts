import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";

const LIMITS = [
  "client-id",
  "connections",
  "memory",
  "packet",
  "protocol",
  "retained",
  "sign-in",
  "will",
] as const;

/** A limited resource of the built-in broker, or a reason why it rejects a client. */
export type BrokerLimit = (typeof LIMITS)[number];

/** Time without reaching a limit after which its condition clears. */
const LIMIT_CLEAR_MS = 600_000;
/** Addresses that one condition names, and clients of each: one that uses ever new ids must not hide the others. */
const ADDRESSES_NAMED_MAX = 6;
const CLIENTS_NAMED_MAX = 3;
/** Names come from the network and may have 64 KiB. */
const NAME_LENGTH_MAX = 100;

/** Who has reached a limit. */
export interface LimitedClient {
  readonly address: string;
  /** Undefined where it has not signed in, or where its address is enough to find it. */
  readonly clientId?: string | undefined;
}

interface ReachedLimit {
  readonly text: string;
  /** Client ids by address, with an empty one for an address alone. */
  readonly named: Map<string, Set<string>>;
  areOthersUnnamed: boolean;
  cancelClear: CancelTimer;
}

/** Raises one condition for each limit of the built-in broker while it is being reached. */
export class BrokerLimits {
  readonly #conditions: Conditions;
  readonly #clock: Clock;
  readonly #reached = new Map<BrokerLimit, ReachedLimit>();
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

  /** @param text effect and remedy; kept while the condition is open, with the names of other clients added to it */
  reached(limit: BrokerLimit, client: LimitedClient, text: string): void {
    this.counts.set(limit, (this.counts.get(limit) ?? 0) + 1);
    const earlier = this.#reached.get(limit);
    earlier?.cancelClear();
    const cancelClear = this.#clock.after(LIMIT_CLEAR_MS, () => this.#clear(limit));
    const reached = earlier ?? { text, named: new Map(), areOthersUnnamed: false, cancelClear };
    reached.cancelClear = cancelClear;
    this.#reached.set(limit, reached);
    if (isAdded(reached, client)) this.#conditions.raise("mqtt-broker-at-limit", textOf(reached), limit);
  }

  stop(): void {
    for (const [limit, { cancelClear }] of this.#reached) {
      cancelClear();
      this.#clear(limit);
    }
  }

  #clear(limit: BrokerLimit): void {
    this.#reached.delete(limit);
    this.#conditions.clear("mqtt-broker-at-limit", limit);
  }
}

/** A client as words of a condition; its address alone if it has not signed in, and its id alone once that has gone. */
export function describeClient({ address, clientId = "" }: LimitedClient): string {
  if (clientId === "") return address;
  const name = `the client ${JSON.stringify(shortName(clientId))}`;
  return address === "" ? name : `${name} at ${address}`;
}

/** A name from the network, shortened. */
export function shortName(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX);
}

/** Names a client, if there is room for its name. @returns whether the text has changed */
function isAdded(reached: ReachedLimit, { address, clientId = "" }: LimitedClient): boolean {
  const { named } = reached;
  const clients = named.get(address) ?? new Set<string>();
  const name = shortName(clientId);
  if (clients.has(name)) return false;
  if (clients.size < CLIENTS_NAMED_MAX && (named.has(address) || named.size < ADDRESSES_NAMED_MAX)) {
    named.set(address, clients.add(name));
    return true;
  }
  const isFirstUnnamed = !reached.areOthersUnnamed;
  reached.areOthersUnnamed = true;
  return isFirstUnnamed;
}

function textOf({ text, named, areOthersUnnamed }: ReachedLimit): string {
  const clients = [...named].flatMap(([address, ids]) => [...ids].map((clientId) => ({ address, clientId })));
  // The text names the first one.
  const others = clients.slice(1).map((client) => describeClient(client));
  if (areOthersUnnamed) others.push("and others");
  return others.length === 0 ? text : `${text} Also at this limit: ${others.join("; ")}.`;
}

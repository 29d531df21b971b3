import { timingSafeEqual } from "node:crypto";
import { covers, matchesFilter } from "../domain/topic-filter.ts";

/** A group of sensors or programs that sign in to the built-in broker under one name. */
export interface BrokerAccount {
  readonly username: string;
  readonly password: string;
  /** Topic filters that it may publish under; undefined for all topics. */
  readonly publish?: readonly string[];
  /** Topic filters that it may subscribe to, or to a part of; undefined for all. */
  readonly subscribe?: readonly string[];
}

/** Who may sign in to the built-in broker, and which topics each may use. */
export class BrokerAccounts {
  readonly #accounts: readonly BrokerAccount[];
  readonly #accountOf = new WeakMap<object, BrokerAccount>();

  /** @param accounts none: every client may sign in and use every topic */
  constructor(accounts: readonly BrokerAccount[]) {
    this.#accounts = accounts;
  }

  /** Whether a client's name and password fit; remembers whose it is. */
  admits(client: object, username: string | undefined, password: Uint8Array | undefined): boolean {
    if (this.#accounts.length === 0) return true;
    const account = this.#accounts.find((known) => known.username === username);
    if (!account || !isSame(account.password, password)) return false;
    this.#accountOf.set(client, account);
    return true;
  }

  /** The account that may not publish there; undefined when the client may. @param client null for the broker itself */
  refusesPublish(client: object | null, topic: string): BrokerAccount | undefined {
    const account = client ? this.#accountOf.get(client) : undefined;
    return account?.publish?.some((filter) => matchesFilter(topic, filter)) === false ? account : undefined;
  }

  /** The account that may not subscribe to that; undefined when the client may. */
  refusesSubscribe(client: object, filter: string): BrokerAccount | undefined {
    const account = this.#accountOf.get(client);
    return account?.subscribe?.some((allowed) => covers(allowed, filter)) === false ? account : undefined;
  }
}

function isSame(wanted: string, password: Uint8Array | undefined): boolean {
  const given = Buffer.from(password ?? "");
  const expected = Buffer.from(wanted);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

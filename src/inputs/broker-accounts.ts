import { timingSafeEqual } from "node:crypto";
import { covers, matchesFilter } from "../domain/topic-filter.ts";

/** A group of sensors or programs that sign in to the built-in broker with one user name. */
export interface BrokerAccount {
  readonly username: string;
  readonly password: string;
  /** Topic filters that it may publish to; undefined for all topics. */
  readonly publish?: readonly string[];
  /** Topic filters whose topics it may subscribe to; undefined for all. */
  readonly subscribe?: readonly string[];
}

/** Accounts of the built-in broker and the topics that each may use. */
export class BrokerAccounts {
  readonly #accounts: readonly BrokerAccount[];
  readonly #accountOf = new WeakMap<object, BrokerAccount>();

  /** @param accounts none: every client may sign in and use every topic */
  constructor(accounts: readonly BrokerAccount[]) {
    this.#accounts = accounts;
  }

  /** Checks a client's user name and password and remembers its account for the topic checks. */
  admits(client: object, username: string | undefined, password: Uint8Array | undefined): boolean {
    if (this.#accounts.length === 0) return true;
    const account = this.#accounts.find((known) => known.username === username);
    if (!account || !isSamePassword(account.password, password)) return false;
    this.#accountOf.set(client, account);
    return true;
  }

  /** Returns the account that may not publish to the topic, or undefined. @param client null for the broker itself */
  deniesPublish(client: object | null, topic: string): BrokerAccount | undefined {
    const account = client ? this.#accountOf.get(client) : undefined;
    return account?.publish?.some((filter) => matchesFilter(topic, filter)) === false ? account : undefined;
  }

  /** Returns the account that may not subscribe to the filter, or undefined. */
  deniesSubscribe(client: object, filter: string): BrokerAccount | undefined {
    const account = this.#accountOf.get(client);
    return account?.subscribe?.some((allowed) => covers(allowed, filter)) === false ? account : undefined;
  }
}

function isSamePassword(expectedPassword: string, password: Uint8Array | undefined): boolean {
  const given = Buffer.from(password ?? "");
  const expected = Buffer.from(expectedPassword);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

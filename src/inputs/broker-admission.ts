import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import type { AedesPublishPacket, AuthenticateError, Client, PublishPacket, Subscription } from "aedes";
import type { Clock } from "../domain/clock.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerAccount } from "../domain/mqtt-broker.ts";
import { covers, matchesFilter } from "../domain/topic-filter.ts";
import type { BrokerClients } from "./broker-clients.ts";
import type { BrokerLimits } from "./broker-limits.ts";
import { BrokerRejections } from "./broker-rejections.ts";
import { BrokerSignIns } from "./broker-sign-ins.ts";
import type { BrokerZones } from "./broker.ts";

interface BrokerAdmissionOptions {
  /** Without any, every client may sign in and use every topic. */
  readonly accounts?: readonly BrokerAccount[];
  readonly clients: BrokerClients;
  readonly counts: BrokerZones["counts"];
  readonly limits: BrokerLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
}

/** Topic that replaces the topic of a denied message: it is forwarded to no subscriber. */
const DENIED_TOPIC = "$SYS/santinela/refused";

/** Authorises clients of the built-in broker. Denied messages and subscriptions are counted by topic. */
export class BrokerAdmission {
  readonly #options: BrokerAdmissionOptions;
  readonly #signIns: BrokerSignIns;
  readonly rejections: BrokerRejections;
  /** The account of each client that has signed in. */
  readonly #accountOf = new WeakMap<object, BrokerAccount>();

  constructor(options: BrokerAdmissionOptions) {
    this.#options = options;
    this.#signIns = new BrokerSignIns(options);
    this.rejections = new BrokerRejections(options.limits);
  }

  /**
   * Signs a client in. A rejected one gets return code 5, not authorized (MQTT 3.1.1, 3.2.2.3), or that of the error.
   * @param done as of aedes
   */
  authenticate(
    client: Client,
    username: string | undefined,
    password: Uint8Array | undefined,
    done: (error: AuthenticateError | null, isAdmitted: boolean) => void,
  ): void {
    const rejection = this.rejections.reasonFor(client);
    if (rejection) done(rejection, false);
    else done(null, this.#admits(client, username, password));
  }

  #admits(client: Client, username: string | undefined, password: Uint8Array | undefined): boolean {
    const address = (client.conn as Socket).remoteAddress ?? "";
    const isPasswordRight = (): boolean => this.#isPasswordRight(client, username, password);
    const signIn = { clientId: client.id, username: username ?? "", address };
    if (this.#needsPassword && !this.#signIns.admits(signIn, isPasswordRight)) return false;
    const account = this.#accountOf.get(client);
    if (account) client.id = sessionName(client.id, account);
    this.#options.clients.signedIn(client);
    return true;
  }

  /** Whether a client may subscribe to a filter and there is memory for it. */
  async allowsFilter(client: Client, subscription: Subscription): Promise<boolean> {
    const { topic } = subscription;
    const allowed = this.#filtersOf(client, "subscribe");
    if (!allowed || allowed.some((filter) => covers(filter, topic)))
      return this.#options.clients.subscribed(client, subscription);
    await this.#options.counts.note(topic, "subscription-not-allowed", 0);
    return false;
  }

  /**
   * Whether a client may publish a message. A denied message is counted, emptied and still acknowledged (MQTT 3.1.1,
   * 3.3.5). Without a PUBACK a sensor would resend it indefinitely and hold up its next message.
   * @param client null for the broker itself
   */
  async allowsMessage(client: Client | null, packet: PublishPacket): Promise<boolean> {
    const allowed = client ? this.#filtersOf(client, "publish") : undefined;
    if (!allowed || allowed.some((filter) => matchesFilter(packet.topic, filter))) return true;
    await this.#options.counts.note(packet.topic, "not-allowed", packet.payload.length);
    packet.topic = DENIED_TOPIC;
    packet.payload = "";
    packet.retain = false;
    return false;
  }

  /** Whether a message is forwarded to its subscribers. */
  isForwarded({ topic }: AedesPublishPacket): boolean {
    return topic !== DENIED_TOPIC;
  }

  /** Name of the account that a client has signed in to; undefined if there is only one. */
  accountOf(client: Client): string | undefined {
    const { accounts = [] } = this.#options;
    return accounts.length > 1 ? this.#accountOf.get(client)?.username : undefined;
  }

  get #needsPassword(): boolean {
    return (this.#options.accounts ?? []).length > 0;
  }

  /** Filters that a client may use; undefined for all. */
  #filtersOf(client: Client, use: "publish" | "subscribe"): readonly string[] | undefined {
    const account = this.#accountOf.get(client);
    if (account || !this.#needsPassword) return account?.[use];
    // It has not signed in.
    return [];
  }

  #isPasswordRight(client: Client, username: string | undefined, password: Uint8Array | undefined): boolean {
    const { accounts = [] } = this.#options;
    const account = accounts.find((known) => known.username === username);
    if (!account || !isSamePassword(account.password, password)) return false;
    this.#accountOf.set(client, account);
    return true;
  }
}

/**
 * The name of a client's session. Each account has client ids of its own: with the id of another account's sensor a
 * client would end that sensor's connection and empty its queue. Encoded, so that no two accounts can share a name.
 */
function sessionName(clientId: string, { username }: BrokerAccount): string {
  return `${clientId}@${encodeURIComponent(username)}`;
}

function isSamePassword(expectedPassword: string, password: Uint8Array | undefined): boolean {
  const given = Buffer.from(password ?? "");
  const expected = Buffer.from(expectedPassword);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

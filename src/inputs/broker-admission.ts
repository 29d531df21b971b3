import type { Socket } from "node:net";
import type { AedesPublishPacket, Client, PublishPacket, Subscription } from "aedes";
import { BrokerAccounts, type BrokerAccount } from "./broker-accounts.ts";
import type { BrokerClients } from "./broker-clients.ts";
import { BrokerSignIns, type BrokerSignInsOptions } from "./broker-sign-ins.ts";
import type { MessageCounts } from "./mqtt-zones.ts";

export interface BrokerAdmissionOptions extends BrokerSignInsOptions {
  /** Accounts with their topics; without any, every client may use every topic. */
  readonly accounts?: readonly BrokerAccount[];
  readonly clients: BrokerClients;
  readonly counts: Pick<MessageCounts, "note">;
}

/** Topic that replaces the topic of a denied message: it is forwarded to no subscriber. */
const DENIED_TOPIC = "$SYS/santinela/refused";

/** Authorises clients of the built-in broker. Denied messages and subscriptions are counted by topic. */
export class BrokerAdmission {
  readonly #options: BrokerAdmissionOptions;
  readonly #signIns: BrokerSignIns;
  readonly #accounts: BrokerAccounts;

  constructor(options: BrokerAdmissionOptions) {
    this.#options = options;
    this.#signIns = new BrokerSignIns(options);
    this.#accounts = new BrokerAccounts(options.accounts ?? []);
  }

  admits(client: Client, username: string | undefined, password: Uint8Array | undefined): boolean {
    const address = (client.conn as Socket).remoteAddress ?? "";
    const isPasswordRight = (): boolean => this.#accounts.admits(client, username, password);
    if (!this.#signIns.admits({ clientId: client.id, username, address }, isPasswordRight)) return false;
    this.#options.clients.signedIn(client);
    return true;
  }

  /** Whether a client may subscribe to a filter and there is memory for it. */
  allowsFilter(client: Client, subscription: Subscription): boolean {
    const { topic } = subscription;
    if (!this.#accounts.deniesSubscribe(client, topic))
      return this.#options.clients.subscribed(client, subscription);
    this.#options.counts.note(topic, "subscription-not-allowed", 0);
    return false;
  }

  /**
   * Whether a client may publish a message. A denied message is counted, emptied and still acknowledged (MQTT 3.1.1,
   * 3.3.5). Without a PUBACK a sensor would resend it indefinitely and hold up its next message.
   */
  allowsMessage(client: Client | null, packet: PublishPacket): boolean {
    if (!this.#accounts.deniesPublish(client, packet.topic)) return true;
    this.#options.counts.note(packet.topic, "not-allowed", packet.payload.length);
    packet.topic = DENIED_TOPIC;
    packet.payload = "";
    packet.retain = false;
    return false;
  }

  /** Whether a message is forwarded to subscribers. */
  isForwarded({ topic }: AedesPublishPacket): boolean {
    return topic !== DENIED_TOPIC;
  }
}

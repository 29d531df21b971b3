import type { Socket } from "node:net";
import type { AedesPublishPacket, Client, PublishPacket, Subscription } from "aedes";
import { BrokerAccounts, type BrokerAccount } from "./broker-accounts.ts";
import type { BrokerClients } from "./broker-clients.ts";
import { BrokerSignIns, type BrokerSignInsOptions } from "./broker-sign-ins.ts";
import type { MessageCounts } from "./message-counts.ts";

export interface BrokerAdmissionOptions extends BrokerSignInsOptions {
  /** Who may sign in, and which topics each may use; without any, every client may use every topic. */
  readonly accounts?: readonly BrokerAccount[];
  readonly clients: BrokerClients;
  readonly counts: Pick<MessageCounts, "note">;
}

/** Where a message goes that its sender may not publish: no subscriber gets it. */
const REFUSED_TOPIC = "$SYS/santinela/refused";

/** Who may use the built-in broker, and for what. What is refused is counted by its topic. */
export class BrokerAdmission {
  readonly #options: BrokerAdmissionOptions;
  readonly #signIns: BrokerSignIns;
  readonly #accounts: BrokerAccounts;

  constructor(options: BrokerAdmissionOptions) {
    this.#options = options;
    this.#signIns = new BrokerSignIns(options);
    this.#accounts = new BrokerAccounts(options.accounts ?? []);
  }

  /** Whether a client may sign in. */
  admits(client: Client, username: string | undefined, password: Uint8Array | undefined): boolean {
    const address = (client.conn as Socket).remoteAddress ?? "";
    const fits = (): boolean => this.#accounts.admits(client, username, password);
    if (!this.#signIns.admits({ clientId: client.id, username, address }, fits)) return false;
    this.#options.clients.signedIn(client);
    return true;
  }

  /** Whether a client may subscribe to that, and there is room for it. */
  allowsFilter(client: Client, subscription: Subscription): boolean {
    const { topic } = subscription;
    if (!this.#accounts.refusesSubscribe(client, topic))
      return this.#options.clients.subscribed(client, subscription);
    this.#options.counts.note(topic, "subscription-not-allowed", 0);
    return false;
  }

  /**
   * Whether a client may publish a message; one that it may not is counted and made into nothing, which is acknowledged
   * like any other (MQTT 3.1.1, 3.3.5): without its PUBACK a sensor would send it for good, and its next message, which
   * it may send, would wait behind it.
   */
  allowsMessage(client: Client | null, packet: PublishPacket): boolean {
    if (!this.#accounts.refusesPublish(client, packet.topic)) return true;
    this.#options.counts.note(packet.topic, "not-allowed", packet.payload.length);
    packet.topic = REFUSED_TOPIC;
    packet.payload = "";
    packet.retain = false;
    return false;
  }

  /** Whether subscribers get a message. */
  isForwarded({ topic }: AedesPublishPacket): boolean {
    return topic !== REFUSED_TOPIC;
  }
}

import type { IPublishPacket, MqttClient } from "mqtt";
import type { ConnectionState, MqttZones } from "./mqtt-zones.ts";
import { deliveryOf } from "./message-deduplication.ts";

export interface BrokerMessagesOptions {
  readonly zones: MqttZones;
  /** Our client id at the broker, which numbers its messages under it. */
  readonly session: string;
  /** The connection: an acknowledgement must not go out on a later one than its message came in on. */
  readonly stream: MqttClient["stream"];
  /** Told of each message that is on the disk. */
  readonly onRecorded: () => void;
  /** Told of the first message that could not be written down; none is taken after it. */
  readonly onFailed: (topic: string, error: unknown) => void;
}

/** So many may be on their way to the disk at once; a broker sends some twenty before it waits. */
const UNDER_WAY_MAX = 256;
/** What mqtt.js is told to get the next packet out of it. */
const DEFERRED_ACK = new Error("acknowledged once it is on the disk");

/**
 * The messages of one connection to a broker, taken in their order and acknowledged when they are on the disk.
 *
 * mqtt.js hands over one packet and keeps the next one back until its callback is called, which also sends the PUBACK.
 * Told of an error, it hands over the next one and sends nothing: so it is told one, the messages that have arrived
 * together share a commit, and the PUBACK is ours to send. Where its callback is never called, it reads nothing more.
 */
export class BrokerMessages {
  readonly #options: BrokerMessagesOptions;
  readonly #line: ConnectionState = { isPaused: false };
  #isFailed = false;
  #underWay = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: BrokerMessagesOptions) {
    this.#options = options;
  }

  /** Takes a message. @param next mqtt.js's callback */
  take(packet: IPublishPacket, next: (error?: Error) => void): void {
    // What follows a message that could not be written down waits with it at the broker.
    if (this.#isFailed) return;
    // Nobody sends QoS 2 to a subscription for QoS 1; should it come, mqtt.js acknowledges it.
    const goesOn = packet.qos < 2 && this.#underWay < UNDER_WAY_MAX;
    this.#last = this.#record(packet, goesOn ? undefined : next);
    if (goesOn) next(DEFERRED_ACK);
  }

  /** Done when everything that was taken is on the disk, or has failed. */
  ended(): Promise<void> {
    return this.#last;
  }

  /** @param next where mqtt.js waits for it; it sends the acknowledgement then */
  async #record(packet: IPublishPacket, next: (() => void) | undefined): Promise<void> {
    const { zones, session, stream, onRecorded, onFailed } = this.#options;
    const { topic, qos, messageId, retain } = packet;
    const payload = Buffer.from(packet.payload as Uint8Array);
    const message = { topic, payload, isRetained: retain, ...deliveryOf(packet, session) };
    this.#underWay += 1;
    try {
      await zones.deliver(message, this.#line);
    } catch (error) {
      if (!this.#isFailed) onFailed(topic, error);
      this.#isFailed = true;
      return;
    } finally {
      this.#underWay -= 1;
    }
    onRecorded();
    if (stream.destroyed) return;
    if (next) next();
    else if (qos === 1) this.#acknowledge(messageId ?? 0);
  }

  #acknowledge(packetId: number): void {
    const { stream } = this.#options;
    // All that share a commit leave in one piece.
    stream.cork();
    process.nextTick(() => stream.uncork());
    // PUBACK (MQTT 3.1.1, 3.4).
    stream.write(Buffer.from([0x40, 2, packetId >> 8, packetId & 0xff]));
  }
}

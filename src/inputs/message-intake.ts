import type { IPublishPacket, MqttClient } from "mqtt";
import type { ConnectionState, MqttZones } from "./mqtt-zones.ts";
import { deliveryOf } from "./message-deduplication.ts";
import type { StaleRetained } from "./stale-retained.ts";
import { leftOutBytes } from "./oversized-payloads.ts";

interface MessageIntakeOptions {
  readonly zones: MqttZones;
  readonly staleRetained: Pick<StaleRetained, "ageOf">;
  /** The daemon's client id, under which the broker numbers its messages. */
  readonly session: string;
  /** The connection: an acknowledgement must be sent on the connection of its message. */
  readonly stream: MqttClient["stream"];
  /** Called after each message that was committed. */
  readonly onRecorded: () => void;
  /** Called with the first message that could not be stored; no further messages are accepted. */
  readonly onFailed: (topic: string, error: unknown) => void;
}

/** Maximum number of uncommitted messages; a broker sends about twenty before it waits. */
const PENDING_MAX = 256;
/** Of their payloads; one more message is accepted below it. */
const PENDING_BYTES_MAX = 4 * 1024 * 1024;
/** Error that makes mqtt.js pass the next packet without a PUBACK. */
const DEFERRED_ACK = new Error("acknowledged after the commit");

/**
 * Processes the messages of one broker connection in order, and acknowledges them once they are committed.
 *
 * mqtt.js passes one packet and holds back the next until its callback is called, which also sends the PUBACK. After an
 * error, it passes the next packet without a PUBACK. So the callback gets an error, messages that arrive together share
 * a commit, and this class sends the PUBACK. If the callback is never called, mqtt.js stops reading.
 */
export class MessageIntake {
  readonly #options: MessageIntakeOptions;
  readonly #connection: ConnectionState = { isPaused: false };
  #isFailed = false;
  #isClosed = false;
  #pending = 0;
  #pendingBytes = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: MessageIntakeOptions) {
    this.#options = options;
  }

  /** Processes a message. @param next callback of mqtt.js */
  take(packet: IPublishPacket, next: (error?: Error) => void): void {
    // Messages after one that could not be stored, or after the end, stay at the broker.
    if (this.#isFailed || this.#isClosed) return;
    // No broker sends QoS 2 to a subscription with QoS 1; if one does, mqtt.js acknowledges it.
    const hasRoom = this.#pending < PENDING_MAX && this.#pendingBytes < PENDING_BYTES_MAX;
    const continues = packet.qos < 2 && hasRoom;
    this.#last = this.#record(packet, continues ? undefined : next);
    if (continues) next(DEFERRED_ACK);
  }

  /**
   * Takes no further messages.
   * @returns once each one is committed and its acknowledgement passed to the connection, or it has failed
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    // The acknowledgements of the last commit are sent before this.
    await new Promise((resolve) => {
      process.nextTick(resolve);
    });
  }

  /** @param next set if mqtt.js waits for it; mqtt.js then sends the acknowledgement */
  async #record(packet: IPublishPacket, next: (() => void) | undefined): Promise<void> {
    const { zones, staleRetained, session, stream, onRecorded, onFailed } = this.#options;
    const { topic, qos, messageId, retain } = packet;
    const payload = Buffer.from(packet.payload as Uint8Array);
    const leftOut = leftOutBytes(payload);
    const size = leftOut === undefined ? {} : { leftOutBytes: leftOut };
    const age = staleRetained.ageOf(topic, payload, retain);
    const read = { isRetained: retain, isStale: age === "stale", ...deliveryOf(packet, session) };
    const message = { topic, payload, ...size, ...read };
    this.#pending += 1;
    this.#pendingBytes += payload.byteLength;
    try {
      if (age !== "repeated") await zones.deliver(message, this.#connection);
    } catch (error) {
      if (!this.#isFailed) onFailed(topic, error);
      this.#isFailed = true;
      return;
    } finally {
      this.#pending -= 1;
      this.#pendingBytes -= payload.byteLength;
    }
    onRecorded();
    if (stream.destroyed) return;
    if (next) next();
    else if (qos === 1) this.#acknowledge(messageId ?? 0);
  }

  #acknowledge(packetId: number): void {
    const { stream } = this.#options;
    // Acknowledgements of one commit are sent in one packet.
    stream.cork();
    process.nextTick(() => stream.uncork());
    // PUBACK (MQTT 3.1.1, 3.4).
    stream.write(Buffer.from([0x40, 2, packetId >> 8, packetId & 0xff]));
  }
}

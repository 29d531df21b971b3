import { connect, type Socket } from "node:net";
import { generate, type Packet } from "mqtt-packet";

/** An MQTT client without the manners of a library: it acknowledges nothing, and can stop reading. */
export class RawClient {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("error", () => "the broker cuts it on purpose");
    this.#closed = new Promise((resolve) => {
      this.#socket.on("close", () => {
        this.isClosed = true;
        resolve();
      });
    });
    this.#socket.resume();
  }

  /** @param isLasting whether the session outlives the connection */
  connect(clientId: string, isLasting: boolean): Promise<void> {
    const words = { protocolId: "MQTT", protocolVersion: 4, keepalive: 0 } as const;
    return this.#answered({ cmd: "connect", ...words, clientId, clean: !isLasting });
  }

  subscribe(filters: readonly string[], qos: 0 | 1): Promise<void> {
    return this.#answered(subscribeOf(filters, qos));
  }

  /** Sends bytes; resolves when the system has taken them, or the connection has ended. */
  send(packet: Buffer): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    const taken = new Promise<void>((resolve) => {
      this.#socket.write(packet, () => resolve());
    });
    return Promise.race([taken, this.#closed]);
  }

  /** From now on what the broker sends stays with the broker, as soon as the system's buffers are full. */
  stopReading(): void {
    this.#socket.pause();
  }

  end(): void {
    this.#socket.destroy();
  }

  async #answered(packet: Packet): Promise<void> {
    const answer = new Promise<void>((resolve) => {
      this.#socket.once("data", () => resolve());
    });
    await this.send(generate(packet));
    await Promise.race([answer, this.#closed]);
  }
}

export function subscribeOf(filters: readonly string[], qos: 0 | 1): Packet {
  return { cmd: "subscribe", messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos })) };
}

export function publishOf(topic: string, payload: Buffer, qos: 0 | 1 | 2, messageId = 1): Buffer {
  return generate({ cmd: "publish", topic, payload, qos, messageId, dup: false, retain: false });
}

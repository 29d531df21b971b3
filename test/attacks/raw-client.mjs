import { connect } from "node:net";
import { generate } from "mqtt-packet";

/** Response time-out; an attack continues without the response. */
const ANSWER_WITHIN_MS = 2_000;

/** A minimal MQTT client: it acknowledges nothing, and can stop reading. */
export class RawClient {
  #socket;
  #closed;
  isClosed = false;

  /** @param {number} port of the broker on loopback */
  constructor(port) {
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

  /** @param {string} clientId @param {boolean} isLasting whether the session is persistent */
  connect(clientId, isLasting) {
    const words = { protocolId: "MQTT", protocolVersion: 4, keepalive: 0 };
    return this.#answered({ cmd: "connect", ...words, clientId, clean: !isLasting });
  }

  /**
   * @param {readonly string[]} filters
   * @param {0 | 1} qos
   */
  subscribe(filters, qos) {
    return this.#answered(subscribeOf(filters, qos));
  }

  /**
   * Sends bytes; resolves when the system has taken them, or the connection has ended.
   *
   * A write to a connection that has ended fails within the same turn of the event loop. A client that goes on writing
   * would then never come to the turn in which the connection reports its end, nor to its timers.
   * @param {Buffer} packet
   */
  async send(packet) {
    if (this.isClosed) return;
    const taken = new Promise((resolve) => {
      this.#socket.write(packet, () => setImmediate(resolve));
    });
    await Promise.race([taken, this.#closed]);
  }

  /** Stops reading; the data stays at the broker once the system buffers are full. */
  stopReading() {
    this.#socket.pause();
  }

  end() {
    this.#socket.destroy();
  }

  async #answered(packet) {
    const answer = new Promise((resolve) => {
      this.#socket.once("data", () => resolve());
    });
    await this.send(generate(packet));
    await Promise.race([answer, this.#closed, pauseMs(ANSWER_WITHIN_MS)]);
  }
}

/**
 * @param {readonly string[]} filters
 * @param {0 | 1} qos
 */
export function subscribeOf(filters, qos) {
  return { cmd: "subscribe", messageId: 1, subscriptions: filters.map((topic) => ({ topic, qos })) };
}

/**
 * @param {string} topic
 * @param {Buffer} payload
 * @param {0 | 1 | 2} qos
 */
export function publishOf(topic, payload, qos, messageId = 1) {
  return generate({ cmd: "publish", topic, payload, qos, messageId, dup: false, retain: false });
}

/** @param {number} ms */
export function pauseMs(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

import type { BrokerLimits } from "./broker-limits.ts";

/** zigbee2mqtt publishes about twenty retained messages for each device in Home Assistant discovery. */
const TOPICS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** Limits the retained messages of the built-in broker by number and size. */
export class RetainedMessages {
  readonly #limits: BrokerLimits;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BrokerLimits) {
    this.#limits = limits;
  }

  /** Whether a retained message is stored; an empty payload deletes the earlier one. */
  keeps(topic: string, payload: Uint8Array): boolean {
    const earlierSize = this.#bytesOf.get(topic);
    this.#bytesOf.delete(topic);
    this.#bytes -= earlierSize ?? 0;
    if (payload.byteLength === 0) return true;
    const size = payload.byteLength + Buffer.byteLength(topic);
    if (this.#bytesOf.size < TOPICS_MAX && this.#bytes + size <= BYTES_MAX) {
      this.#bytesOf.set(topic, size);
      this.#bytes += size;
      return true;
    }
    // The earlier message stays.
    if (earlierSize !== undefined) {
      this.#bytesOf.set(topic, earlierSize);
      this.#bytes += earlierSize;
    }
    this.#limits.reached(
      "retained",
      `the built-in broker stores at most ${TOPICS_MAX} topics or ${BYTES_MAX / 1024 / 1024} MiB of retained messages: the message of ${JSON.stringify(topic)} was forwarded but not stored. Zones are not affected.`,
    );
    return false;
  }
}

import type { BrokerLimits } from "./broker-limits.ts";

/** zigbee2mqtt keeps some twenty messages for each device that it describes to Home Assistant. */
const TOPICS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** Which messages the built-in broker keeps for later subscribers, counted so that they do not fill the memory. */
export class RetainedMessages {
  readonly #limits: BrokerLimits;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BrokerLimits) {
    this.#limits = limits;
  }

  /** Whether a message that asks to be kept is kept; one without a payload makes room instead. */
  keeps(topic: string, payload: Uint8Array): boolean {
    const had = this.#bytesOf.get(topic);
    this.#bytesOf.delete(topic);
    this.#bytes -= had ?? 0;
    if (payload.byteLength === 0) return true;
    const size = payload.byteLength + Buffer.byteLength(topic);
    if (this.#bytesOf.size < TOPICS_MAX && this.#bytes + size <= BYTES_MAX) {
      this.#bytesOf.set(topic, size);
      this.#bytes += size;
      return true;
    }
    // The one before it stays where it is.
    if (had !== undefined) {
      this.#bytesOf.set(topic, had);
      this.#bytes += had;
    }
    this.#limits.reached(
      "retained",
      `the built-in broker keeps no more retained messages than ${TOPICS_MAX} topics or ${BYTES_MAX / 1024 / 1024} MiB: that of ${JSON.stringify(topic)} was passed on and not kept. Zones are not affected.`,
    );
    return false;
  }
}

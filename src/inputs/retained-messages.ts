import { Readable } from "node:stream";
import type { PublishPacket } from "aedes";
import type { Clock } from "../domain/clock.ts";
import { hasWildcard, matchesFilter } from "../domain/topic-filter.ts";
import { describeClient, type BrokerLimits, type LimitedClient } from "./broker-limits.ts";
import type { RetainedStore } from "./broker-persistence.ts";

/** zigbee2mqtt publishes about twenty retained messages for each device in Home Assistant discovery. */
const TOPICS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** A search with a wildcard compares this many topics before other work runs. */
const COMPARED_AT_ONCE = 500;

/** Limits the retained messages of the built-in broker by number and size, and finds those of a filter. */
export class RetainedMessages {
  readonly #limits: Pick<BrokerLimits, "reached">;
  readonly #clock: Pick<Clock, "afterEventLoopTurn">;
  readonly #changed: (bytes: number) => void;
  readonly #packets = new Map<string, PublishPacket>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  /** @param changed is called with the bytes that are added, or released as a negative number */
  constructor(
    limits: Pick<BrokerLimits, "reached">,
    clock: Pick<Clock, "afterEventLoopTurn">,
    changed: (bytes: number) => void,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#changed = changed;
  }

  /**
   * Replaces the search of aedes, which parses every retained topic for each filter: with thousands of topics a client
   * that subscribes quickly would block the event loop for seconds.
   */
  watch(persistence: RetainedStore): void {
    const store = persistence.storeRetained.bind(persistence);
    Object.assign(persistence, {
      storeRetained: (packet) => {
        if (packet.payload.length === 0) this.#packets.delete(packet.topic);
        else this.#packets.set(packet.topic, { ...packet });
        return store(packet);
      },
      createRetainedStreamCombi: (filters) => Readable.from(this.#find(filters)),
    } satisfies RetainedStore);
  }

  async *#find(filters: readonly string[]): AsyncGenerator<PublishPacket> {
    for (const filter of filters) {
      if (hasWildcard(filter)) yield* this.#search(filter);
      else {
        const packet = this.#packets.get(filter);
        if (packet) yield packet;
      }
    }
  }

  async *#search(filter: string): AsyncGenerator<PublishPacket> {
    let compared = 0;
    for (const [topic, packet] of this.#packets) {
      if (matchesFilter(topic, filter)) yield packet;
      compared += 1;
      if (compared % COMPARED_AT_ONCE === 0) {
        await new Promise<void>((resolve) => {
          this.#clock.afterEventLoopTurn(resolve);
        });
      }
    }
  }

  /**
   * Whether a retained message is stored; an empty payload deletes the earlier one.
   * @param sender named if it is not stored
   */
  keeps(topic: string, payload: Uint8Array, sender: LimitedClient): boolean {
    const earlierSize = this.#bytesOf.get(topic) ?? 0;
    const size = payload.byteLength === 0 ? 0 : payload.byteLength + Buffer.byteLength(topic);
    const topics = this.#bytesOf.size - (earlierSize > 0 ? 1 : 0);
    if (size === 0 || (topics < TOPICS_MAX && this.#bytes - earlierSize + size <= BYTES_MAX)) {
      if (size === 0) this.#bytesOf.delete(topic);
      else this.#bytesOf.set(topic, size);
      this.#bytes += size - earlierSize;
      this.#changed(size - earlierSize);
      return true;
    }
    // The earlier message stays.
    this.#limits.reached(
      "retained",
      sender,
      `the built-in broker stores at most ${TOPICS_MAX} topics or ${BYTES_MAX / 1024 / 1024} MiB of retained messages: the message of ${JSON.stringify(topic)} from ${describeClient(sender)} was forwarded but not stored. Zones are not affected.`,
    );
    return false;
  }
}

import { Readable } from "node:stream";
import type { PublishPacket } from "aedes";
import type { Clock } from "../domain/clock.ts";
import { hasWildcard, matchesFilter } from "../domain/topic-filter.ts";
import { describeClient, type BrokerLimits, type LimitedClient } from "./broker-limits.ts";
import type { RetainedStore } from "./broker-persistence.ts";

/** zigbee2mqtt publishes about twenty retained messages for each device in Home Assistant discovery. */
const TOPICS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;
/** Of both, for one of several accounts: the sensors of the others then still find room. */
const SHARE_OF_ACCOUNT = 0.75;
/** A search with a wildcard compares this many topics before other work runs. */
const COMPARED_AT_ONCE = 500;

/** What a stored message counts, and for whom. */
interface Counted {
  readonly bytes: number;
  /** Undefined for the daemon itself, and without several accounts. */
  readonly account: string | undefined;
}

interface Use {
  topics: number;
  bytes: number;
}

/** Who publishes a retained message. */
export interface RetainedSender extends LimitedClient {
  /** Of the account that it has signed in to, if there are several. */
  readonly account?: string | undefined;
}

/** Stores the retained messages of the built-in broker up to a number and size, and finds those of a filter. */
export class RetainedMessages {
  readonly #limits: Pick<BrokerLimits, "reached">;
  readonly #clock: Pick<Clock, "afterEventLoopTurn">;
  readonly #changed: (bytes: number) => void;
  readonly #packets = new Map<string, PublishPacket>();
  readonly #counted = new Map<string, Counted>();
  readonly #all: Use = { topics: 0, bytes: 0 };
  readonly #ofAccounts = new Map<string, Use>();

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
   * Replaces the store of aedes, which parses every retained topic for each filter: with thousands of topics a client
   * that subscribes quickly would block the event loop for seconds.
   */
  watch(persistence: RetainedStore): void {
    Object.assign(persistence, {
      storeRetained: async (packet) => {
        // What was removed while it was on its way is no longer counted, so it is not stored.
        if (this.#counted.has(packet.topic)) this.#packets.set(packet.topic, { ...packet });
        else this.#packets.delete(packet.topic);
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
   * Whether a retained message is stored; an empty payload deletes the earlier one. If it is not, the earlier one is deleted as
   * well: a zone would later read it as the present state.
   * @param sender named if it is not stored; undefined for the daemon itself, whose messages have no limit
   */
  keeps(topic: string, payload: Uint8Array, sender: RetainedSender | undefined): boolean {
    const account = sender?.account;
    this.#count(topic, undefined);
    if (payload.byteLength === 0) return true;
    const bytes = payload.byteLength + Buffer.byteLength(topic);
    if (sender === undefined || this.#hasRoom(bytes, account)) {
      this.#count(topic, { bytes, account });
      return true;
    }
    this.#packets.delete(topic);
    const share =
      account === undefined ? "" : ` One account may use at most ${SHARE_OF_ACCOUNT * 100} % of that.`;
    this.#limits.reached(
      "retained",
      sender,
      `the built-in broker stores at most ${TOPICS_MAX} topics or ${BYTES_MAX / 1024 / 1024} MiB of retained messages.${share} The message of ${JSON.stringify(topic)} from ${describeClient(sender)} was forwarded but not stored. Zones are not affected.`,
    );
    return false;
  }

  #hasRoom(bytes: number, account: string | undefined): boolean {
    const fits = (use: Use | undefined, share: number): boolean =>
      (use?.topics ?? 0) < TOPICS_MAX * share && (use?.bytes ?? 0) + bytes <= BYTES_MAX * share;
    return (
      fits(this.#all, 1) && (account === undefined || fits(this.#ofAccounts.get(account), SHARE_OF_ACCOUNT))
    );
  }

  #count(topic: string, counted: Counted | undefined): void {
    const earlier = this.#counted.get(topic);
    if (counted) this.#counted.set(topic, counted);
    else this.#counted.delete(topic);
    this.#add(earlier, -1);
    this.#add(counted, 1);
    const change = (counted?.bytes ?? 0) - (earlier?.bytes ?? 0);
    if (change !== 0) this.#changed(change);
  }

  #add(counted: Counted | undefined, sign: 1 | -1): void {
    if (!counted) return;
    const { account, bytes } = counted;
    const own =
      account === undefined ? undefined : (this.#ofAccounts.get(account) ?? { topics: 0, bytes: 0 });
    if (account !== undefined && own) this.#ofAccounts.set(account, own);
    for (const use of own ? [this.#all, own] : [this.#all]) {
      use.topics += sign;
      use.bytes += sign * bytes;
    }
  }
}

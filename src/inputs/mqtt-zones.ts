import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneSignal } from "../domain/zone-signal.ts";
import type { Journal } from "../store/journal.ts";
import { MessageCounts } from "./message-counts.ts";
import { RepeatedOpenings, type RepeatedOpeningsOptions } from "./repeated-openings.ts";
import { hashOf, MessageDeduplication, type Delivery } from "./message-deduplication.ts";
import type { ZoneEngine } from "./zone-engine.ts";
import { ZoneTopics } from "./zone-topics.ts";

export interface MqttZonesOptions extends Pick<
  RepeatedOpeningsOptions,
  "bootId" | "incidentWindowMs" | "record"
> {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneEngine;
  readonly journal: MqttJournal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Topic filters, from one configuration to another. */
export interface FilterChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Filters whose retained messages zones or gates have not read yet. */
  readonly news: readonly string[];
}

/** What of the journal the messages need. */
export type MqttJournal = Pick<Journal, "takenMessages" | "groupCommit" | "onRollback"> &
  RepeatedOpeningsOptions["journal"];

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** A value that the broker kept, not one that comes as it happens. */
  readonly isRetained: boolean;
  /** Absent for QoS 0, which nobody repeats. */
  readonly delivery?: Delivery;
}

/** The messages of one connection, which are taken in their order: after one that was not written down comes none. */
export interface ConnectionState {
  isPaused: boolean;
}

/** Takes messages to the zones that they concern: the same for every broker. */
export class MqttZones {
  readonly #options: MqttZonesOptions;
  /** What is not to be read once more. */
  readonly taken: MessageDeduplication;
  #topics: ZoneTopics;
  readonly #repeated: RepeatedOpenings;
  /** The messages that changed nothing. */
  readonly counts: MessageCounts;

  constructor(options: MqttZonesOptions) {
    this.#options = options;
    this.taken = new MessageDeduplication(options);
    this.#topics = new ZoneTopics(options.zones);
    this.#repeated = new RepeatedOpenings(options);
    this.counts = new MessageCounts(options);
  }

  /** What another configuration asks of a broker. */
  filtersOf(zones: readonly Zone[]): FilterChanges {
    const after = new ZoneTopics(zones, this.#topics);
    const { filters } = this.#topics;
    return {
      added: after.filters.filter((filter) => !filters.includes(filter)),
      removed: filters.filter((filter) => !after.filters.includes(filter)),
      news: after.newsBehind(this.#topics),
    };
  }

  /** Takes messages to other zones, from this turn on. */
  exchange(zones: readonly Zone[]): void {
    this.#topics = new ZoneTopics(zones, this.#topics);
    this.#repeated.exchange(zones);
  }

  /** The topic filters to subscribe to. */
  get filters(): readonly string[] {
    return this.#topics.filters;
  }

  /**
   * Reads a message for every zone that it concerns, in one commit with all that arrive with it: a burst costs a flush
   * of the disk for every handful of messages.
   * @returns once what the message means is on the disk and it may be acknowledged; rejects with whatever the journal
   * threw: the message must come again then, and what is already written is no edge any more
   */
  async deliver(message: MqttMessage, line: ConnectionState = { isPaused: false }): Promise<void> {
    try {
      await this.#options.journal.groupCommit(() => this.#readInLine(message, line));
    } catch (error) {
      // Not this message has failed, but the commit.
      if (!line.isPaused) this.#options.monitor.reportFailure(error);
      line.isPaused = true;
      throw error;
    }
  }

  #readInLine(message: MqttMessage, line: ConnectionState): void {
    if (line.isPaused) throw new Error("a message before it could not be written down");
    try {
      this.#read(message);
    } catch (error) {
      // At once: the next one may be in the same commit.
      line.isPaused = true;
      throw error;
    }
  }

  #read({ topic, payload, isRetained, delivery }: MqttMessage): void {
    const { signals, gates, refused, isUnmatched } = this.#topics.read(topic, payload, isRetained);
    // What a gate says must be known before the zones behind it are read.
    for (const { gateId, state } of gates) this.#options.monitor.setGate(gateId, state);
    const hash = delivery && signals.length > 0 ? hashOf(topic, payload) : "";
    for (const zoneId of new Set(signals.map((said) => said.zoneId))) {
      const read = (): void => {
        for (const said of signals) if (said.zoneId === zoneId) this.#tell(zoneId, said.signal, !isRetained);
      };
      if (delivery) this.taken.once(delivery, zoneId, hash, read);
      else read();
    }
    if (refused !== undefined) this.counts.note(topic, refused, payload.byteLength);
    else if (isUnmatched) this.counts.note(topic, "no-zone", payload.byteLength);
  }

  #tell(zoneId: string, signal: ZoneSignal, isLive: boolean): void {
    const { monitor, log } = this.#options;
    if (signal.kind !== "contact" && signal.kind !== "sign-of-life")
      log.debug("mqtt-signal", { zone: zoneId, ...signal });
    const read = (): void => monitor.take(zoneId, signal, { live: isLive });
    const occasion = signal.kind === "contact" ? signal.occasion : undefined;
    // While the zone is open, a further opening is no edge, whatever it is part of.
    if (occasion === undefined || this.#isOpen(zoneId)) read();
    else if (!this.#repeated.isRepeated(zoneId, occasion)) this.#repeated.take(zoneId, occasion, read);
    else if (isLive) monitor.take(zoneId, { kind: "sign-of-life" }, { live: true });
  }

  #isOpen(zoneId: string): boolean {
    return this.#options.monitor
      .zones()
      .some(({ zone, contact }) => zone.id === zoneId && contact === "open");
  }
}

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

/** Differences of the topic filters between two configurations. */
export interface FilterChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Filters whose retained messages zones or gates have not read yet. */
  readonly news: readonly string[];
}

/** The part of the journal that messages need. */
export type MqttJournal = Pick<Journal, "takenMessages" | "groupCommit" | "onRollback"> &
  RepeatedOpeningsOptions["journal"];

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Whether the broker sent a retained message, not a new one. */
  readonly isRetained: boolean;
  /** Undefined for QoS 0, which is never resent. */
  readonly delivery?: Delivery;
}

/** State of one connection, whose messages are processed in order: after one that could not be stored, none is. */
export interface ConnectionState {
  isPaused: boolean;
}

/** Passes messages of any broker to their zones. */
export class MqttZones {
  readonly #options: MqttZonesOptions;
  /** Detects duplicates. */
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

  /** Compares the topic filters of another configuration with the current ones. */
  filtersOf(zones: readonly Zone[]): FilterChanges {
    const after = new ZoneTopics(zones, this.#topics);
    const { filters } = this.#topics;
    return {
      added: after.filters.filter((filter) => !filters.includes(filter)),
      removed: filters.filter((filter) => !after.filters.includes(filter)),
      news: after.newFiltersSince(this.#topics),
    };
  }

  /** Passes messages to other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    this.#topics = new ZoneTopics(zones, this.#topics);
    this.#repeated.exchange(zones);
  }

  /** The topic filters to subscribe to. */
  get filters(): readonly string[] {
    return this.#topics.filters;
  }

  /**
   * Reads a message for all its zones, in one commit with messages that arrive at the same time: a burst needs few fsyncs.
   * @returns once the changes are committed and the message may be acknowledged. Rejects with any error of the journal;
   * the message must then be sent again, and committed changes are not an edge again
   */
  async deliver(message: MqttMessage, connection: ConnectionState = { isPaused: false }): Promise<void> {
    const read = (): void => {
      if (connection.isPaused) throw new Error("an earlier message could not be stored");
      // While it is read: the next message may be in the same commit.
      connection.isPaused = true;
      this.#read(message);
      connection.isPaused = false;
    };
    try {
      await this.#options.journal.groupCommit(read);
    } catch (error) {
      // The commit has failed, not this message.
      if (!connection.isPaused) this.#options.monitor.reportFailure(error);
      connection.isPaused = true;
      throw error;
    }
  }

  #read({ topic, payload, isRetained, delivery }: MqttMessage): void {
    const { signals, gates, refused, isUnmatched } = this.#topics.read(topic, payload, isRetained);
    // The state of a gate must be known before its zones are read.
    for (const { gateId, state } of gates) this.#options.monitor.setGate(gateId, state);
    const hash = delivery && signals.length > 0 ? hashOf(topic, payload) : "";
    for (const zoneId of new Set(signals.map((entry) => entry.zoneId))) {
      const read = (): void => {
        for (const entry of signals)
          if (entry.zoneId === zoneId) this.#signal(zoneId, entry.signal, !isRetained);
      };
      if (delivery) this.taken.once(delivery, zoneId, hash, read);
      else read();
    }
    if (refused !== undefined) this.counts.note(topic, refused, payload.byteLength);
    else if (isUnmatched) this.counts.note(topic, "no-zone", payload.byteLength);
  }

  #signal(zoneId: string, signal: ZoneSignal, isLive: boolean): void {
    const { monitor, log } = this.#options;
    if (signal.kind !== "contact" && signal.kind !== "sign-of-life")
      log.debug("mqtt-signal", { zone: zoneId, ...signal });
    const read = (): void => monitor.take(zoneId, signal, { live: isLive });
    const occasion = signal.kind === "contact" ? signal.occasion : undefined;
    // While the zone is open, another opening is not an edge.
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

import type { Clock } from "../domain/clock.ts";
import { isLifeSafety } from "../domain/incident.ts";
import type { Log } from "../domain/log.ts";
import { isOrWillBeRecorded } from "../domain/trip.ts";
import type { Zone, ZoneSignal } from "../domain/zone.ts";
import { ActiveTopics } from "./active-topics.ts";
import type { BatteryLevels } from "./battery-levels.ts";
import { isActiveIn } from "./stored-activity.ts";
import { messageHash, MessageDeduplication, type Delivery } from "./message-deduplication.ts";
import { RepeatedOpenings, type RepeatedOpeningsOptions } from "./repeated-openings.ts";
import type { ZoneEngine } from "./zone-engine.ts";
import type { ZoneMessages } from "./zone-messages.ts";
import { ZoneTopics } from "./zone-topics.ts";

export interface MqttZonesOptions extends RepeatedOpeningsOptions {
  readonly monitor: ZoneEngine;
  /** Keeps the last message of each zone. */
  readonly messages?: ZoneMessages;
  /** Keeps the last charge of each zone's battery. */
  readonly batteries?: BatteryLevels;
}

/** Differences of the topic filters between two configurations. */
export interface FilterChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Filters whose retained messages zones or gates have not read yet. */
  readonly news: readonly string[];
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Size of a payload that was too large to be received; undefined if `payload` is the message's. */
  readonly leftOutBytes?: number;
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
  readonly deduplication: MessageDeduplication;
  readonly #active: ActiveTopics;
  #topics: ZoneTopics;
  readonly #repeated: RepeatedOpenings;
  /** The messages that changed nothing. */
  readonly counts: MessageCounts;

  constructor(options: MqttZonesOptions) {
    this.#options = options;
    this.deduplication = new MessageDeduplication(options);
    this.#active = new ActiveTopics(options);
    this.#topics = new ZoneTopics(options.zones, this.#active);
    // A former release may have ended what a topic reported.
    this.#active.keep(this.#topics.activeSources((source) => isActiveIn(options.journal, source)));
    this.#repeated = new RepeatedOpenings(options);
    this.counts = new MessageCounts(options);
    options.batteries?.exchange(options.zones);
  }

  /** Compares the topic filters of another configuration with the current ones. */
  filtersOf(zones: readonly Zone[]): FilterChanges {
    const after = new ZoneTopics(zones);
    const { filters } = this.#topics;
    return {
      added: after.filters.filter((filter) => !filters.includes(filter)),
      removed: filters.filter((filter) => !after.filters.includes(filter)),
      news: after.newFiltersSince(this.#topics),
    };
  }

  /** Passes messages to other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    this.#topics = new ZoneTopics(zones, this.#active);
    this.#active.keep(this.#topics.activeSources());
    this.#repeated.exchange(zones);
    this.#options.batteries?.exchange(zones);
  }

  /** The topics that are open, of a zone with several. */
  openTopics(zoneId: string): readonly string[] {
    return this.#topics.openTopics(zoneId);
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

  /**
   * The state of all gates is unknown from now on, until a message sets it. A user may have armed them meanwhile, and the message
   * has not arrived: their trips are dispatched as a precaution.
   */
  loseGates(): void {
    const { monitor, log } = this.#options;
    const { gateIds } = this.#topics;
    if (gateIds.length === 0) return;
    log.warn("mqtt-gates-unknown", { gates: gateIds.length });
    for (const gateId of gateIds) monitor.setGate(gateId, "unknown");
  }

  #read({ topic, payload, leftOutBytes, isRetained, delivery }: MqttMessage): void {
    if (leftOutBytes !== undefined) return this.counts.note(topic, "too-large", leftOutBytes);
    const { signals, gates, refused, isUnmatched } = this.#topics.read(topic, payload, isRetained);
    // The state of a gate must be known before its zones are read.
    for (const { gateId, state } of gates) this.#options.monitor.setGate(gateId, state);
    const hash = delivery && signals.length > 0 ? messageHash(topic, payload) : "";
    for (const zoneId of new Set(signals.map((entry) => entry.zoneId))) {
      const ofZone = signals.filter((entry) => entry.zoneId === zoneId);
      // The state of a bridge is not a message of the sensor.
      if (ofZone.some(({ signal }) => !("bridge" in signal)))
        this.#options.messages?.take(zoneId, topic, payload, isRetained);
      const read = (): void => {
        for (const { signal } of ofZone) this.#signal(zoneId, signal, !isRetained);
      };
      const isHarmless = (): boolean => this.#isLastOpeningRecorded(zoneId);
      if (delivery) this.deduplication.once(delivery, zoneId, hash, { isHarmless, read });
      else read();
    }
    if (refused !== undefined) this.counts.note(topic, refused, payload.byteLength);
    else if (isUnmatched) this.counts.note(topic, "no-zone", payload.byteLength);
  }

  #signal(zoneId: string, signal: ZoneSignal, isLive: boolean): void {
    const { monitor, log, batteries } = this.#options;
    if (signal.kind === "battery" && signal.percent !== undefined)
      batteries?.take(zoneId, signal.percent, isLive);
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

  /**
   * Whether one more opening of the zone would only repeat what a record has. Not if the last one was suppressed; never for a
   * life safety zone, whose trips are counted in the record.
   */
  #isLastOpeningRecorded(zoneId: string): boolean {
    const { monitor, journal } = this.#options;
    const watched = monitor.zones().find(({ zone }) => zone.id === zoneId);
    if (watched && isLifeSafety(watched.zone.kind)) return false;
    const opening = journal.restores.openingBefore(zoneId);
    return opening === undefined || isOrWillBeRecorded(opening);
  }
}

/** Messages of one topic that changed nothing, since the daemon started. */
export interface MessageCount {
  readonly topic: string;
  /** `no-zone`: the topic is used, but no zone matches; otherwise why the message cannot be read. */
  readonly reason: string;
  readonly count: number;
}

/** Messages of one topic are logged once in this time. */
const LOGGED_EVERY_MS = 60_000;
/** Topics counted separately; under a broad filter a client may invent more. */
const TOPICS_MAX = 256;
const OTHER_TOPICS = "other topics";
/** A topic may have 64 KiB, which is too long for a log line or a metric label. */
const TOPIC_LENGTH_MAX = 200;

/** Counts the messages that changed nothing, by topic and reason. */
class MessageCounts {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #counts = new Map<string, MessageCount>();
  /** By event and topic: time of the last log line, and number of messages. */
  readonly #logged = new Map<string, { readonly atMs: number; readonly count: number }>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  note(messageTopic: string, reason: string, sizeBytes: number): void {
    // Copied, because a part of a string keeps the whole one in memory.
    const named = Buffer.from(messageTopic.slice(0, TOPIC_LENGTH_MAX)).toString();
    const isKnown = this.#counts.has(`${reason} ${named}`) || this.#counts.size < TOPICS_MAX;
    const topic = isKnown ? named : OTHER_TOPICS;
    const key = `${reason} ${topic}`;
    this.#counts.set(key, { topic, reason, count: (this.#counts.get(key)?.count ?? 0) + 1 });
    const event = reason === "no-zone" ? "mqtt-message-for-no-zone" : "mqtt-payload-rejected";
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#logged.get(`${event} ${topic}`);
    const count = (earlier?.count ?? 0) + 1;
    const isDue = earlier === undefined || nowMs - earlier.atMs >= LOGGED_EVERY_MS;
    this.#logged.set(`${event} ${topic}`, { atMs: isDue ? nowMs : earlier.atMs, count });
    if (!isDue) return;
    // On a topic that several sensors share, a message that matches no zone is normal.
    if (reason === "no-zone") this.#log.info(event, { topic: named, count });
    else this.#log.warn(event, { topic: named, reason, sizeBytes, refused: count });
  }

  /** Returns the counts, the highest first. */
  list(): MessageCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.count - a.count);
  }
}

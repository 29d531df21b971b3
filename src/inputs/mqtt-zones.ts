import type { Conditions } from "../domain/condition.ts";
import type { Zone, ZoneSignal } from "../domain/zone.ts";
import { ActiveTopics } from "./active-topics.ts";
import type { BatteryLevels } from "./battery-levels.ts";
import { DeviceLists } from "./device-lists.ts";
import { MessageCounts } from "./message-counts.ts";
import { isActiveIn } from "./stored-activity.ts";
import {
  messageHash,
  MessageDeduplication,
  type Delivery,
  type MessagePart,
  type Repetition,
} from "./message-deduplication.ts";
import { RepeatedOpenings, type RepeatedOpeningsOptions } from "./repeated-openings.ts";
import { isClosing, unreadSignals } from "./repeated-signals.ts";
import type { ZoneEngine } from "./zone-engine.ts";
import type { ZoneMessages } from "./zone-messages.ts";
import { ZoneTopics, type ReportedState } from "./zone-topics.ts";

export type { MessageCount } from "./message-counts.ts";

export interface MqttZonesOptions extends RepeatedOpeningsOptions {
  readonly conditions: Conditions;
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
  /** Whether it is a retained one that newer messages have not replaced. */
  readonly isStale?: boolean;
  /** Undefined for QoS 0, which is never resent. */
  readonly delivery?: Delivery;
}

/** State of one connection, whose messages are processed in order: after one that could not be stored, none is. */
export interface ConnectionState {
  isPaused: boolean;
}

/** Reads the part of a message for a zone or gate unless it was read before. */
type OnceOnly = (
  ownerId: string,
  partOf: (repetition: Repetition | undefined) => MessagePart | undefined,
) => void;

type GateReport = ReturnType<ZoneTopics["read"]>["gates"][number];

/** Passes messages of any broker to their zones. */
export class MqttZones {
  readonly #options: MqttZonesOptions;
  /** Detects duplicates. */
  readonly deduplication: MessageDeduplication;
  readonly #active: ActiveTopics;
  #topics: ZoneTopics;
  readonly #lists: DeviceLists;
  readonly #repeated: RepeatedOpenings;
  /** The messages that changed nothing. */
  readonly counts: MessageCounts;

  constructor(options: MqttZonesOptions) {
    this.#options = options;
    this.deduplication = new MessageDeduplication(options);
    this.#active = new ActiveTopics(options);
    this.#topics = new ZoneTopics(options.zones, this.#active);
    // A former release may have ended what a topic reported.
    this.#keepActive((source) => isActiveIn(options.journal, source));
    // Their state is unknown after a start.
    this.deduplication.forget(this.#topics.gateIds);
    this.#lists = new DeviceLists(options);
    this.#repeated = new RepeatedOpenings(options);
    this.counts = new MessageCounts(options);
    options.batteries?.exchange(options.zones);
  }

  /** Compares the topic filters of another configuration with the current ones. */
  filtersOf(zones: readonly Zone[]): FilterChanges {
    const filters = [...this.filters, ...this.deviceLists];
    const topics = new ZoneTopics(zones);
    const lists = this.#lists.topicsOf(zones);
    const after = [...topics.filters, ...lists.all];
    return {
      added: after.filter((filter) => !filters.includes(filter)),
      removed: filters.filter((filter) => !after.includes(filter)),
      news: [...topics.newFiltersSince(this.#topics), ...lists.news],
    };
  }

  /** Passes messages to other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    const before = this.#topics;
    const { journal } = this.#options;
    this.#topics = new ZoneTopics(zones, this.#active);
    // Without `oneSensor` from now on, a topic must not report again what another one has ended.
    this.#keepActive((source) => !before.hasOneSensor(source) || isActiveIn(journal, source));
    this.#lists.exchange(zones);
    this.#repeated.exchange(zones);
    this.#options.batteries?.exchange(zones);
  }

  #keepActive(isActive: (source: ReportedState) => boolean): void {
    this.#active.keep(this.#topics.activeSources(isActive), this.#topics.limitNames);
  }

  /** The topics of a zone with several that are open, or that report one of its faults. */
  activeTopics(zoneId: string, of: "contact" | "faults"): readonly string[] {
    return this.#topics.activeTopics(zoneId, of);
  }

  /** The topic filters of zones and gates to subscribe to. */
  get filters(): readonly string[] {
    return this.#topics.filters;
  }

  /** The topics of device lists to subscribe to. */
  get deviceLists(): readonly string[] {
    return this.#lists.topics;
  }

  /**
   * Reads a message for all its zones, in one commit with messages that arrive at the same time: a burst needs few fsyncs.
   * @returns once the changes are committed and the message may be acknowledged. Rejects with any error of the journal;
   * the message must then be sent again, and committed changes are not an edge again
   * @param connection that of the session of its sender by default
   */
  async deliver(message: MqttMessage, connection = this.#connectionOf(message)): Promise<void> {
    const read = (): void => {
      if (connection.isPaused) throw new Error("an earlier message could not be stored");
      // On a full disk it is read again once room is made.
      this.#options.journal.onRollback(() => (connection.isPaused = false));
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

  /** A message without a delivery is never sent again, so it does not wait for those that are. */
  #connectionOf({ delivery }: MqttMessage): ConnectionState {
    return delivery ? this.deduplication.paused.stateOf(delivery.session) : { isPaused: false };
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
    this.deduplication.forget(gateIds);
  }

  #read({ topic, payload, leftOutBytes, isRetained, isStale = false, delivery }: MqttMessage): void {
    if (leftOutBytes !== undefined) return this.counts.note(topic, "too-large", leftOutBytes);
    const refusedList = this.#lists.read(topic, payload);
    if (refusedList !== undefined) this.counts.note(topic, refusedList, payload.byteLength);
    const age = { isRetained, isStale };
    const { signals, gates, refused, isUnmatched } = this.#topics.read(topic, payload, age);
    const hash = delivery && signals.length + gates.length > 0 ? messageHash(topic, payload) : "";
    const once: OnceOnly = (ownerId, partOf) => {
      if (delivery) this.deduplication.once(delivery, ownerId, hash, partOf);
      else partOf(undefined)?.read();
    };
    // The state of a gate must be known before its zones are read.
    this.#readGates(gates, once);
    for (const zoneId of new Set(signals.map((entry) => entry.zoneId))) {
      const ofZone = signals.flatMap((entry) => (entry.zoneId === zoneId ? [entry.signal] : []));
      // The state of a bridge is not a message of the sensor.
      if (ofZone.some((signal) => !("bridge" in signal)))
        this.#options.messages?.take(zoneId, topic, payload, isRetained);
      // An empty message removes a retained one, such as that of a renamed sensor.
      const isOfSensor = ofZone.some((signal) => signal.kind !== "availability");
      if (isOfSensor && !isRetained && payload.byteLength > 0) this.#lists.heard(zoneId);
      once(zoneId, (repetition) => {
        const unread = unreadSignals(this.#options, zoneId, ofZone, repetition);
        const read = (): void => unread.forEach((signal) => this.#signal(zoneId, signal, !isRetained));
        return unread.length === 0 ? undefined : { read, isFollowed: unread.some(isClosing) };
      });
    }
    if (refused !== undefined) this.counts.note(topic, refused, payload.byteLength);
    else if (isUnmatched) this.counts.note(topic, "no-zone", payload.byteLength);
  }

  /**
   * Reads what a message reports about gates. A `disarm` and an `arm` that are sent again would restart the exit delay. Without
   * DUP they are read all the same: an arming must not be lost.
   */
  #readGates(gates: readonly GateReport[], once: OnceOnly): void {
    for (const gateId of new Set(gates.map((entry) => entry.gateId))) {
      const read = (): void => {
        for (const { gateId: of, state } of gates)
          if (of === gateId) this.#options.monitor.setGate(gateId, state);
      };
      once(gateId, (repetition) =>
        repetition?.kind === "flagged" ? undefined : { read, isFollowed: false },
      );
    }
  }

  #signal(zoneId: string, signal: ZoneSignal, isLive: boolean): void {
    const { monitor, log, batteries } = this.#options;
    if (signal.kind === "battery" && signal.percent !== undefined)
      batteries?.take(zoneId, signal.percent, isLive);
    if (signal.kind !== "contact" && signal.kind !== "sign-of-life")
      log.debug("mqtt-signal", { zone: zoneId, ...signal });
    if (signal.kind === "contact") this.#options.messages?.noteValue(zoneId, signal.value);
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

import type { MessageSender } from "../../dc09/event-message.ts";
import { backOffMs } from "../../domain/backoff.ts";
import type { CancelTimer, Clock, TrustedTime } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { eventData, TEST_CODES } from "../../domain/event-code.ts";
import type { Transmission } from "../../domain/transmission.ts";
import type { TransmitterConfig } from "../../domain/transmitter.ts";
import { isStorageError, openReadOnly, type Database } from "../../store/database.ts";
import { isDamage } from "../../store/integrity.ts";
import { FollowedTrips } from "../../store/followed-trips.ts";
import { transaction } from "../../store/transaction.ts";
import { TransmissionStore } from "../../store/transmissions.ts";
import { ReceiverLink } from "./receiver-link.ts";
import { TripFollower, type TripFollowerOptions } from "./trip-follower.ts";

export interface TransmitterOptions {
  readonly config: TransmitterConfig;
  readonly zones: TripFollowerOptions["zones"];
  /** The main database. */
  readonly database: Database;
  /** Path of the journal. */
  readonly journal: string;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint: (name: string) => void;
  /** Called for a damaged page of a database. */
  readonly onDamage?: (error: unknown) => void;
}

/** Interval of looking for new trips: an alarm waits for half of it on average, and an unchanged journal costs microseconds. */
const LOOK_INTERVAL_MS = 500;
/** A message is sent again with the same bytes for this long; receivers reject one that is 40 s old. */
const STAMP_VALID_MS = 25_000;
/** Waits after a rejection: the receiver must be corrected by a person, and other events are sent in the meantime. */
const REJECTED_BASE_MS = 5_000;
const REJECTED_CAP_MS = 300_000;
/**
 * Failed attempts of an event, without a reply of a receiver that has replied to something else in between: it may ignore just
 * this event, so others pass it. Not for long: it may be the line as well.
 */
const IGNORED_ATTEMPTS = 2;
const IGNORED_CAP_MS = 15_000;
const HOUR_MS = 3_600_000;

/**
 * Sends alarms, restorals and faults to the monitoring receivers, one after the other, until each is acknowledged. Everything is
 * decided from the table of transmissions, so a stop at any point is followed by the same message with the same number.
 */
export class Transmitter {
  readonly #options: TransmitterOptions;
  readonly #store: TransmissionStore;
  readonly #follower: TripFollower;
  readonly #links: readonly ReceiverLink[];
  readonly #sender: MessageSender;
  #trips: FollowedTrips | undefined;
  #cancel: CancelTimer = () => {};
  #sending: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: TransmitterOptions) {
    this.#options = options;
    const { config, database } = options;
    const { account, key, receiverNumber: receiver, line, replyS, receivers, numbering } = config;
    this.#store = new TransmissionStore(database);
    this.#follower = new TripFollower({ ...options, numbering, store: this.#store });
    this.#sender = { account, receiver, line, key: key === null ? null : Buffer.from(key, "hex") };
    this.#stored(() => this.#store.removeLinks());
    this.#links = receivers.map(
      (to, place) =>
        new ReceiverLink({
          ...options,
          receiver: to,
          place,
          replyS,
          sender: this.#sender,
          onChange: (state) => this.#stored(() => this.#store.saveLink(state)),
        }),
    );
  }

  start(): void {
    for (const link of this.#links) link.start();
    this.#stored(() => this.#store.endWaits());
    this.#look();
  }

  /** Ends the message in flight, which is sent again after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await Promise.all(this.#links.map((link) => link.stop()));
    await this.#sending;
    this.#options.conditions.clear("transmitter-write-failed");
    this.#trips?.close();
  }

  #look(): void {
    this.#cancel = this.#options.clock.after(LOOK_INTERVAL_MS, () => this.#look());
    this.#stored(() => this.#follow());
    this.#sending ??= this.#send()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => (this.#sending = undefined));
  }

  #follow(): void {
    if (!this.#trips) {
      const trips = new FollowedTrips(openReadOnly(this.#options.journal));
      this.#follower.start(trips);
      this.#trips = trips;
    }
    this.#follower.follow(this.#trips);
    this.#addTest();
    this.#options.conditions.clear("transmitter-write-failed");
  }

  #addTest(): void {
    const { config, clock } = this.#options;
    if (config.testH === 0) return;
    const nowMs = Math.round(clock.wallMs());
    const sinceMs = nowMs - (this.#store.fact("last-test") ?? 0);
    // A clock that was set back must not end the tests.
    if (sinceMs >= 0 && sinceMs < config.testH * HOUR_MS) return;
    const { token, begins } = eventData(config.numbering.format, TEST_CODES.periodic, {
      partition: 0,
      number: 0,
    });
    transaction(this.#options.database, () => {
      this.#store.saveFact("last-test", nowMs);
      // One that still waits is enough: the alarms behind it must not wait for a row of tests.
      if (this.#store.lastOfPair("test")?.state === "waiting") return;
      const event = { zoneId: "", pair: "test", change: "new", token, data: begins, ending: null } as const;
      const times = { occurredMs: null, createdMs: nowMs };
      this.#store.add({ trip: `test/${nowMs}`, interventionId: null, ...event, ...times });
    });
  }

  async #send(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#store.nextDue(this.#options.clock.wallMs());
      if (!next || !this.#links.some(({ isUsable }) => isUsable)) return;
      await this.#deliver(next);
    }
  }

  /** Sends an event to the first receiver that accepts it. */
  async #deliver(transmission: Transmission): Promise<void> {
    const { log, clock, random } = this.#options;
    const { id, trip, attempts } = transmission;
    let reason = "";
    let isRejected = false;
    for (const link of this.#links.filter(({ isUsable }) => isUsable)) {
      const outcome = await this.#sendTo(link, id);
      if (this.#isStopped && outcome.is !== "acknowledged") return;
      if (outcome.is === "acknowledged") {
        this.#options.failpoint("transmission-answered");
        this.#store.acknowledge(id, clock.wallMs(), link.address);
        log.info("transmission-acknowledged", { trip, receiver: link.address });
        return;
      }
      reason = `${link.address}: ${outcome.reason}`;
      isRejected ||= outcome.is === "rejected";
    }
    // Without a reply, the receivers themselves say when they can be used again, whatever the wall clock is set to.
    const isPassed = isRejected || attempts >= IGNORED_ATTEMPTS;
    const capMs = isRejected ? REJECTED_CAP_MS : IGNORED_CAP_MS;
    const waitMs = REJECTED_BASE_MS / 2 + backOffMs(attempts, random(), REJECTED_BASE_MS, capMs);
    this.#store.fail(id, reason, isPassed ? clock.wallMs() + waitMs : 0);
    log.warn("transmission-failed", { trip, reason });
  }

  #sendTo(link: ReceiverLink, id: number) {
    const { database } = this.#options;
    const stored = this.#store.find(id);
    if (!stored) throw new Error(`no transmission ${id}`);
    const { token, data, occurredMs } = stored;
    let { sequence, stampedMs } = stored;
    const stamp = (isRefused: boolean): number => {
      const nowMs = link.nowMs();
      const isValid = stampedMs !== null && Math.abs(nowMs - stampedMs) < STAMP_VALID_MS;
      if (isValid && !isRefused && stampedMs !== null) return stampedMs;
      stampedMs = nowMs;
      transaction(database, () => (sequence = this.#store.stamp(id, sequence, nowMs)));
      return nowMs;
    };
    stamp(false);
    return link.send({ token, data, sequence: sequence ?? 0, occurredMs }, stamp);
  }

  /** Runs a write that is repeated with the next look if the disk rejects it. */
  #stored(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!isStorageError(error)) throw error;
    const { conditions, onDamage } = this.#options;
    if (isDamage(error)) onDamage?.(error);
    conditions.raise("transmitter-write-failed", { reason: messageOf(error) });
  }
}

import type { Clock } from "../../domain/clock.ts";
import { subjectOfFault, type Fault } from "../../domain/fault.ts";
import type { Log } from "../../domain/log.ts";
import {
  alarmCode,
  eventData,
  faultCode,
  TEST_CODES,
  type EventCode,
  type EventPlace,
} from "../../domain/event-code.ts";
import type { EventNumbering } from "../../domain/transmitter.ts";
import type { ZoneKind } from "../../domain/zone.ts";
import type { Database } from "../../store/database.ts";
import type { FollowedTrip, FollowedTrips } from "../../store/followed-trips.ts";
import { transaction } from "../../store/transaction.ts";
import type { TransmissionStore } from "../../store/transmissions.ts";

export interface TripFollowerOptions {
  readonly numbering: EventNumbering;
  readonly zones: readonly { readonly id: string; readonly kind: ZoneKind }[];
  readonly store: TransmissionStore;
  /** The main database. */
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pages of the journal read at once; the rest follows with the next look. */
const PAGES_MAX = 20;

/**
 * Makes a transmission of each trip, restore and fault that has become part of an intervention. What is not decided yet is
 * looked at again. Repeating it adds nothing: each trip is known by its key.
 */
export class TripFollower {
  readonly #options: TripFollowerOptions;
  readonly #reserved: ReadonlySet<number>;
  /** Version of the journal at the last look; undefined if there is more to read. */
  #version: number | undefined;

  constructor(options: TripFollowerOptions) {
    this.#options = options;
    this.#reserved = new Set(options.numbering.zones.flatMap(({ number }) => number ?? []));
  }

  /** Begins at the newest trip if the transmitter is new: older alarms are over. Gives each zone its number. */
  start(trips: FollowedTrips): void {
    const { database, store, clock, zones } = this.#options;
    transaction(database, () => {
      if (store.fact("cursor") === undefined) {
        store.saveFact("cursor", trips.last());
        store.saveFact("since", clock.wallMs());
      }
      for (const { id } of zones) this.#placeOf(id);
    });
  }

  /** Reads the journal if it has changed. @throws errors of SQLite; nothing is lost then */
  follow(trips: FollowedTrips): void {
    const version = trips.version();
    if (version === this.#version) return;
    const { database } = this.#options;
    const isComplete = transaction(database, () => this.#read(trips));
    this.#version = isComplete ? version : undefined;
  }

  /** @returns whether all trips were read */
  #read(trips: FollowedTrips): boolean {
    const { store } = this.#options;
    const last = trips.last();
    const before = store.fact("cursor");
    let from = before ?? last;
    // The journal was replaced, for example by an older backup: what is known is not added again, nor what was before the transmitter.
    if (last < from) from = trips.beforeFirstSince(store.fact("since") ?? 0);
    let cursor: number | undefined;
    const undecided = new Set<string>();
    let isComplete = false;
    for (let page = 0; page < PAGES_MAX && !isComplete; page += 1) {
      const rows = trips.after(from);
      for (const row of rows) {
        const isSettled = this.#take(row, undecided, trips);
        if (!isSettled) cursor ??= row.seq - 1;
        from = row.seq;
      }
      isComplete = rows.length === 0;
    }
    const reached = cursor ?? from;
    // Most commits of the journal add no trip, and must not cause one here.
    if (reached !== before) store.saveFact("cursor", reached);
    return isComplete;
  }

  /** @returns whether it needs no further look */
  #take(row: FollowedTrip, undecided: Set<string>, trips: FollowedTrips): boolean {
    const { store } = this.#options;
    const { zoneId, type, subject, state } = row;
    const isOfFault = type === "fault" || type === "fault-over";
    const pair = isOfFault ? subject : `${type === "signal" ? "signal" : "zone"}/${zoneId}`;
    const isBeginning = type === "trip" || type === "fault" || type === "signal";
    if (type === "standing") return true;
    // A restore waits with its opening.
    if (undecided.has(pair) || (type !== "restore" && state === "waiting")) {
      undecided.add(pair);
      return false;
    }
    if (store.isKnown(row.key)) return true;
    if (isBeginning) {
      if (SENT.has(state)) this.#begin(row, pair, trips);
      return true;
    }
    const opening = store.lastOfPair(pair);
    if (opening?.change === "new" && opening.ending !== null && opening.state !== "withdrawn")
      this.#add(row, pair, {
        interventionId: opening.interventionId,
        token: opening.token,
        data: opening.ending,
        ending: null,
        change: "restored",
      });
    return true;
  }

  #begin(row: FollowedTrip, pair: string, trips: FollowedTrips): void {
    const { numbering } = this.#options;
    const override = row.type === "trip" ? this.#listed(row.zoneId)?.code : undefined;
    const { token, begins, ends } = eventData(
      numbering.format,
      this.#codeOf(row, trips),
      isOfBridge(row) ? { partition: numbering.partition, number: 0 } : this.#placeOf(row.zoneId),
      override,
    );
    const ending = row.type === "signal" ? null : ends;
    this.#add(row, pair, { interventionId: row.interventionId, token, data: begins, ending, change: "new" });
  }

  #add(
    { key, zoneId, dated, wallMs }: FollowedTrip,
    pair: string,
    rest: Pick<
      Parameters<TransmissionStore["add"]>[0],
      "interventionId" | "token" | "data" | "ending" | "change"
    >,
  ): void {
    const { store, clock } = this.#options;
    const occurredMs = dated === 1 ? wallMs : null;
    store.add({ trip: key, zoneId, pair, occurredMs, createdMs: Math.round(clock.wallMs()), ...rest });
  }

  #codeOf({ type, zoneId, cause, subject }: FollowedTrip, trips: FollowedTrips): EventCode {
    if (type === "signal") return TEST_CODES.manual;
    if (type === "fault") return faultCode(cause as Fault);
    const configured = this.#options.zones.find(({ id }) => id === zoneId);
    // An alarm panel may have created the zone since the start.
    return alarmCode(configured?.kind ?? trips.createdKind(zoneId) ?? null, subject);
  }

  #placeOf(zoneId: string): EventPlace {
    const { numbering } = this.#options;
    const { number, partition = numbering.partition } = this.#listed(zoneId) ?? {};
    return { partition, number: number ?? this.#numberOf(zoneId) };
  }

  /** The centre has the former number in its list, so a change must be seen. */
  #numberOf(zoneId: string): number {
    const { store, log } = this.#options;
    const before = store.storedZoneNumber(zoneId);
    const number = store.zoneNumber(zoneId, this.#reserved);
    if (before !== undefined && before !== number)
      log.warn("zone-number-changed", { zone: zoneId, before, number });
    return number;
  }

  #listed(zoneId: string): EventNumbering["zones"][number] | undefined {
    return this.#options.numbering.zones.find(({ zone }) => zone === zoneId);
  }
}

/** Whether a fault is of what several zones are behind, such as a whole alarm panel: its row names only the first of them. */
function isOfBridge({ type, zoneId, cause, subject }: FollowedTrip): boolean {
  return type === "fault" && subject !== subjectOfFault(zoneId, cause as Fault);
}

/** Trips that are in an intervention, and those that the local API has rejected: the receiver is then the only one to know. */
const SENT: ReadonlySet<FollowedTrip["state"]> = new Set(["posted", "merged", "refused"]);

import { INCIDENT_WINDOW_MS_MAX, incidentNear } from "../domain/incident-window.ts";
import { hasSeveralNumbers } from "../domain/alarm-panel.ts";
import { gateText } from "../domain/gate.ts";
import { counted } from "../domain/headline-text.ts";
import { applicableCounters, countTrip, isShutDown, type SwingerCounters } from "../domain/swinger.ts";
import { newRestore, newTrip } from "../domain/trip-rows.ts";
import type { NewTrip, Trip } from "../domain/trip.ts";
import type { ZoneEvent } from "../domain/zone-step.ts";
import type { Zone } from "../domain/zone.ts";
import { isDamage } from "../store/integrity.ts";
import type { EntryDelay } from "../store/pending-trips.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import type { ZoneContext } from "./zone-context.ts";
import type { Disposition, ZoneOverrides } from "./zone-overrides.ts";
import { toWallMs } from "./zone-state-persistence.ts";

interface TripRegisterOptions extends ZoneContext {
  readonly zoneOverrides: ZoneOverrides;
}

/** What events of a zone add to the journal. */
interface Entries {
  /** Trips and restores in order. */
  readonly trips: readonly NewTrip[];
  /** Trips that wait for the end of the zone's entry delay. */
  readonly delays: readonly EntryDelay[];
  readonly swinging?: SwingerCounters;
  /** Whether the zone floods the journal or is in swinger shutdown. */
  readonly isFaulty: boolean;
  /** To be called after the commit. */
  readonly onCommitted: () => void;
}

/** Trips of a zone beyond this number a minute are only counted; lower for a zone in swinger shutdown. */
const STORED_PER_MINUTE_MAX = 20;
const STORED_PER_MINUTE_SHUT_DOWN_MAX = 1;
/** For a zone of several numbers of an alarm panel, which may send the alarms of all its detectors at once from its memory. */
const STORED_PER_MINUTE_SEVERAL_MAX = 200;
const MINUTE_MS = 60_000;

/** Decides what becomes of each trip: dispatched, suppressed with a reason, or only counted. */
export class TripRegister {
  readonly #options: TripRegisterOptions;
  /**
   * Times of each zone's last stored trips, oldest first, separately for each disposition. So the trips of a walk test
   * do not use up the limit of the real trips after it.
   */
  readonly #stored: TransactionalMap<string, readonly number[]>;
  /** Zones whose last opening was only counted. Their restore is not stored either: it would end an earlier opening. */
  readonly #unstored: TransactionalMap<string, "unstored">;
  /** When the daemon last ran before this start; undefined on the first run. */
  readonly #lastAliveWallMs: number | undefined;

  constructor(options: TripRegisterOptions) {
    this.#options = options;
    this.#stored = new TransactionalMap(options.journal);
    this.#unstored = new TransactionalMap(options.journal);
    this.#lastAliveWallMs = options.journal.liveness.last();
  }

  entriesOf(zone: Zone, events: readonly ZoneEvent[]): Entries {
    const trips: NewTrip[] = [];
    const delays: EntryDelay[] = [];
    const stored = new Map<string, readonly number[]>();
    const isStored = (disposition: string, atMs: number, max: number): boolean => {
      const of = `${zone.id} ${disposition}`;
      const before = stored.get(of) ?? this.#stored.get(of) ?? [];
      const recent = before.filter((earlierMs) => earlierMs > atMs - MINUTE_MS);
      if (recent.length >= max) return false;
      stored.set(of, [...recent, atMs]);
      return true;
    };
    let counters: SwingerCounters | undefined;
    let isFaulty = false;
    let isUnstored = this.#unstored.has(zone.id);
    const perMinute = hasSeveralNumbers(zone.input) ? STORED_PER_MINUTE_SEVERAL_MAX : STORED_PER_MINUTE_MAX;
    for (const event of events) {
      if (event.type === "restore" && !isUnstored && isStored("restore", event.atMs, perMinute))
        trips.push(this.#restoreOf(zone, event));
      if (event.type !== "trip") continue;
      const before = counters ?? this.#countersOf(zone);
      const disposition = this.#dispositionOf(zone, before);
      const isShut = disposition.state === "swinger";
      const max = isShut ? STORED_PER_MINUTE_SHUT_DOWN_MAX : perMinute;
      const isWithinLimit = isStored(disposition.state, event.atMs, max);
      const trip = this.#tripOf(zone, event, disposition);
      const delay = isWithinLimit && disposition.state === "waiting" ? this.#delayOf(zone, trip) : undefined;
      // An alarm of a zone that is still open does not end the opening before it, which the restore ends.
      isUnstored = !isWithinLimit && (isUnstored || event.isAgain !== true);
      if (isWithinLimit) trips.push(trip);
      if (delay) delays.push(delay);
      // Suppressed trips, and those of a person within the entry delay, do not count towards a swinger shutdown.
      const isSuppressed = delay !== undefined || (!isShut && disposition.state !== "waiting");
      if (isShut || (!isWithinLimit && !isSuppressed)) isFaulty = true;
      const { wallMs } = trip.moment;
      if (!isSuppressed || !isWithinLimit)
        counters = countTrip(before, wallMs, {
          isStored: isWithinLimit,
          isSuppressed,
          isOfOther: !isShut && !isSuppressed && this.#isOfOther(zone, trip),
        });
    }
    const onCommitted = (): void => {
      if (isUnstored) this.#unstored.set(zone.id, "unstored");
      else this.markStored(zone.id);
      for (const [of, moments] of stored) this.#stored.set(of, moments);
    };
    return { trips, delays, ...(counters ? { swinging: counters } : {}), isFaulty, onCommitted };
  }

  /** The entries of a test trip of a zone with a sensor: no failure of the sensor, nor a step towards its shutdown. */
  testEntriesOf(zone: Zone, event: ZoneEvent): Entries {
    const { swinging: _, trips, ...entries } = this.entriesOf(zone, [event]);
    const asTest = (trip: NewTrip): NewTrip => ({ ...trip, signal: { ...trip.signal, isTest: true } });
    return { ...entries, trips: trips.map(asTest), isFaulty: false };
  }

  /** Counts a trip whose entry delay has ended like any other trip. @param key of the trip */
  countReleased(zone: Zone, key: string): void {
    const { journal, clock } = this.#options;
    const trip = journal.trips.find(key);
    if (trip?.signal.isTest) return;
    const wallMs = Math.round(clock.wallMs());
    const isOfOther = trip !== undefined && this.#isOfOther(zone, trip);
    const counted = { isStored: true, isSuppressed: false, isOfOther };
    journal.swingers.save(zone.id, countTrip(this.#countersOf(zone), wallMs, counted));
  }

  /**
   * Whether a trip will join an incident that another zone has opened, or will open with a trip that waits. Only asked for a zone
   * that can be shut down.
   */
  #isOfOther({ id, swinger }: Zone, trip: NewTrip | Trip): boolean {
    if (swinger === null) return false;
    const { journal } = this.#options;
    const { subject } = trip;
    try {
      const near = incidentNear(journal.incidents.newest(subject), trip, INCIDENT_WINDOW_MS_MAX);
      const opener = near ? journal.trips.find(near.key)?.zoneId : journal.trips.firstWaiting(subject);
      return opener !== undefined && opener !== id;
    } catch (error) {
      // On a damaged page: the trip counts as its own, and is dispatched or kept off disk.
      if (!isDamage(error)) throw error;
      journal.noteError(error);
      return false;
    }
  }

  /** Whether the opening of a zone that is open now was only counted. */
  isUnstored(zoneId: string): boolean {
    return this.#unstored.has(zoneId);
  }

  /** Called once such an opening has been stored after all. */
  markStored(zoneId: string): void {
    this.#unstored.delete(zoneId);
  }

  /** Disposition of a trip of this zone now; `waiting` to be dispatched. */
  dispositionOf(zone: Zone): Disposition {
    return this.#dispositionOf(zone, this.#countersOf(zone));
  }

  /** Creates a trip for a contact that was open when its suppression ended. @param sinceWallMs opening time */
  openContactTrip(zone: Zone, sinceWallMs: number | null): NewTrip {
    const atMs = this.#options.clock.monotonicMs();
    const event = { type: "trip", cause: "standing", atMs } as const;
    return this.#tripOf(zone, event, { state: "waiting", reason: null }, sinceWallMs);
  }

  #delayOf({ id, entryDelayMs, gate }: Zone, { key, moment }: NewTrip): EntryDelay | undefined {
    if (entryDelayMs === 0) return undefined;
    const { bootId, monotonicMs } = moment;
    const wallMs = moment.wallMs + entryDelayMs;
    const due = { wallMs, bootId, monotonicMs: monotonicMs + entryDelayMs };
    return { key, zoneId: id, due, gate: gateText(gate) };
  }

  #restoreOf(zone: Zone, { cause, atMs }: Extract<ZoneEvent, { type: "restore" }>): NewTrip {
    const { clock, bootId, time, newKey } = this.#options;
    return newRestore(zone, {
      key: newKey(),
      cause,
      moment: { wallMs: toWallMs(clock, atMs), bootId, monotonicMs: atMs },
      isDated: time.isTrusted(),
      disposition: { state: "recorded", reason: null },
    });
  }

  #countersOf(zone: Zone): SwingerCounters | undefined {
    const { journal, clock } = this.#options;
    try {
      return applicableCounters(zone, journal.swingers.find(zone.id), clock.wallMs());
    } catch (error) {
      // On a damaged page: a trip of an unstable contact is dispatched rather than lost.
      if (!isDamage(error)) throw error;
      journal.noteError(error);
      return undefined;
    }
  }

  #dispositionOf(zone: Zone, counters: SwingerCounters | undefined): Disposition {
    const disposition = this.#options.zoneOverrides.dispositionOf(zone);
    if (disposition.state !== "waiting" || !isShutDown(zone, counters)) return disposition;
    const { incidents = 0, trips = 0 } = counters ?? {};
    return {
      state: "swinger",
      reason: `swinger shutdown after ${counted(trips, "trip")} in ${counted(incidents, "incident")}`,
    };
  }

  #tripOf(
    zone: Zone,
    event: Extract<ZoneEvent, { type: "trip" }>,
    disposition: Disposition,
    sinceWallMs: number | null = null,
  ): NewTrip {
    const { clock, bootId, time, site, newKey } = this.#options;
    const { cause, atMs, lateMs } = event;
    const isDated = time.isTrusted();
    const wallMs = toWallMs(clock, atMs);
    const earliestMs = cause === "after-restart" && isDated ? this.#lastAliveWallMs : undefined;
    return newTrip(
      zone,
      {
        key: newKey(),
        cause,
        moment: { wallMs, bootId, monotonicMs: atMs },
        isDated,
        earliestWallMs: earliestMs !== undefined && earliestMs < wallMs ? earliestMs : null,
        sinceWallMs: lateMs === undefined ? sinceWallMs : wallMs - lateMs,
        disposition,
      },
      site,
    );
  }
}

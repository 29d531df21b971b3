import type { Clock, TrustedTime } from "../domain/clock.ts";
import { isShutDown, quietResetMs, countTrip, type SwingerCounters } from "../domain/swinger.ts";
import { newRestore, newTrip } from "../domain/trip-rows.ts";
import type { NewTrip, TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneEvent } from "../domain/zone-step.ts";
import type { EntryDelay } from "../store/entry-delays.ts";
import type { Journal } from "../store/journal.ts";
import { wallOf } from "./zone-state-persistence.ts";
import type { Disposition, ZoneOverrides } from "./zone-overrides.ts";

export interface TripRegisterOptions {
  readonly journal: Journal;
  readonly orders: ZoneOverrides;
  readonly clock: Clock;
  /** The machine's start, which monotonic moments count from. */
  readonly bootId: string;
  readonly time: TrustedTime;
  readonly site: TripSite;
  /** Makes the identity of a trip. */
  readonly newKey: () => string;
}

/** What a zone's trips add to the journal. */
export interface Entries {
  /** Trips and closings in the order in which they were seen. */
  readonly trips: readonly NewTrip[];
  /** Those of the trips that wait for the end of the zone's entry delay. */
  readonly delays: readonly EntryDelay[];
  readonly swinging?: SwingerCounters;
  /** The zone floods the journal, or is shut down. */
  readonly isFaulty: boolean;
  /** To be called once they are written down. */
  readonly written: () => void;
}

/** A zone's trips beyond so many a minute are counted and not written down one by one; one of a zone that is shut down. */
const STORED_PER_MINUTE_MAX = 20;
const STORED_PER_MINUTE_SHUT_DOWN_MAX = 1;
const MINUTE_MS = 60_000;

/** Decides what each trip is worth before it is written down: dispatched, held back with a reason, or only counted. */
export class TripRegister {
  readonly #options: TripRegisterOptions;
  /**
   * Moments of each zone's last stored trips of each fate, oldest first. Each fate has its own: the trips of a walk
   * test must not use up what the first real one after it needs.
   */
  readonly #stored = new Map<string, readonly number[]>();
  /** Zones whose last opening was only counted. Its closing is not stored either: it would close the one before. */
  readonly #unstored = new Set<string>();
  /** When the daemon last ran before this start; undefined at the very first one. */
  readonly #lastAliveWallMs: number | undefined;

  constructor(options: TripRegisterOptions) {
    this.#options = options;
    this.#lastAliveWallMs = options.journal.lastAlive();
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
    let swinging: SwingerCounters | undefined;
    let isFaulty = false;
    let isUnstored = this.#unstored.has(zone.id);
    for (const event of events) {
      if (event.type === "restore" && !isUnstored && isStored("restore", event.atMs, STORED_PER_MINUTE_MAX))
        trips.push(this.#restoreOf(zone, event));
      if (event.type !== "trip") continue;
      const before = swinging ?? this.#swingingOf(zone);
      const disposition = this.#fateOf(zone, before);
      const isShut = disposition.state === "swinger";
      const max = isShut ? STORED_PER_MINUTE_SHUT_DOWN_MAX : STORED_PER_MINUTE_MAX;
      const isKept = isStored(disposition.state, event.atMs, max);
      const trip = this.#tripOf(zone, event, disposition);
      const delay = isKept && disposition.state === "waiting" ? this.#delayOf(zone, trip) : undefined;
      isUnstored = !isKept;
      if (isKept) trips.push(trip);
      if (delay) delays.push(delay);
      // What was never meant to be dispatched says nothing about the zone's steadiness, nor does a person who comes in.
      const isHeldBack = delay !== undefined || (!isShut && disposition.state !== "waiting");
      if (isShut || (!isKept && !isHeldBack)) isFaulty = true;
      const { wallMs } = trip.moment;
      if (!isHeldBack || !isKept) swinging = countTrip(before, wallMs, { isStored: isKept, isHeldBack });
    }
    const wasUnstored = this.#unstored.has(zone.id);
    const written = (): void => {
      this.#markStored(zone.id, !isUnstored);
      this.#options.journal.onRollback(() => this.#markStored(zone.id, !wasUnstored));
      for (const [of, moments] of stored) {
        const before = this.#stored.get(of) ?? [];
        this.#stored.set(of, moments);
        this.#options.journal.onRollback(() => this.#stored.set(of, before));
      }
    };
    return { trips, delays, ...(swinging ? { swinging } : {}), isFaulty, written };
  }

  /** Counts a trip whose entry delay has ended: from now on it is one like others. */
  countReleased(zoneId: string): void {
    const { journal, clock } = this.#options;
    const before = journal.swingers.find(zoneId);
    const wallMs = Math.round(clock.wallMs());
    journal.swingers.save(zoneId, countTrip(before, wallMs, { isStored: true, isHeldBack: false }));
  }

  /** Whether the opening of a zone that is open now was only counted. */
  isUnstored(zoneId: string): boolean {
    return this.#unstored.has(zoneId);
  }

  /** Called once the opening of a zone that was only counted is in the journal after all. */
  markStored(zoneId: string): void {
    this.#markStored(zoneId, true);
  }

  #markStored(zoneId: string, isStored: boolean): void {
    if (isStored) this.#unstored.delete(zoneId);
    else this.#unstored.add(zoneId);
  }

  /** What becomes of a trip of this zone now; `waiting` to be dispatched. */
  fateOf(zone: Zone): Disposition {
    return this.#fateOf(zone, this.#swingingOf(zone));
  }

  /** Trips of what was open already as the hold on its zone ended. @param sinceWallMs since when it has been open */
  standingTrip(zone: Zone, sinceWallMs: number | null): NewTrip {
    const atMs = this.#options.clock.monotonicMs();
    const event = { type: "trip", cause: "standing", atMs } as const;
    return this.#tripOf(zone, event, { state: "waiting", reason: null }, sinceWallMs);
  }

  #delayOf({ id, entryDelayMs }: Zone, { key, moment }: NewTrip): EntryDelay | undefined {
    if (entryDelayMs === 0) return undefined;
    const { bootId, monotonicMs } = moment;
    const wallMs = moment.wallMs + entryDelayMs;
    return { key, zoneId: id, due: { wallMs, bootId, monotonicMs: monotonicMs + entryDelayMs } };
  }

  #restoreOf(zone: Zone, { cause, atMs }: Extract<ZoneEvent, { type: "restore" }>): NewTrip {
    const { clock, bootId, time, newKey } = this.#options;
    return newRestore(zone, {
      key: newKey(),
      cause,
      moment: { wallMs: wallOf(clock, atMs), bootId, monotonicMs: atMs },
      isDated: time.isTrusted(),
      disposition: { state: "recorded", reason: null },
    });
  }

  /** The zone's counters, unless it has been quiet for long enough. */
  #swingingOf(zone: Zone): SwingerCounters | undefined {
    const { journal, clock } = this.#options;
    const swinging = journal.swingers.find(zone.id);
    if (!swinging) return undefined;
    const quietMs = Math.abs(clock.wallMs() - swinging.lastWallMs);
    return quietMs < quietResetMs(zone) ? swinging : undefined;
  }

  #fateOf(zone: Zone, swinging: SwingerCounters | undefined): Disposition {
    const disposition = this.#options.orders.dispositionOf(zone);
    if (disposition.state !== "waiting" || !isShutDown(zone, swinging)) return disposition;
    const { incidents = 0, trips = 0 } = swinging ?? {};
    return {
      state: "swinger",
      reason: `shut down after ${trips} trips in ${incidents} ${incidents === 1 ? "incident" : "incidents"}`,
    };
  }

  #tripOf(
    zone: Zone,
    event: Extract<ZoneEvent, { type: "trip" }>,
    disposition: Disposition,
    sinceWallMs: number | null = null,
  ): NewTrip {
    const { clock, bootId, time, site, newKey } = this.#options;
    const { cause, atMs } = event;
    const isDated = time.isTrusted();
    const wallMs = wallOf(clock, atMs);
    const earliestMs = cause === "after-restart" && isDated ? this.#lastAliveWallMs : undefined;
    return newTrip(
      zone,
      {
        key: newKey(),
        cause,
        moment: { wallMs, bootId, monotonicMs: atMs },
        isDated,
        earliestWallMs: earliestMs !== undefined && earliestMs < wallMs ? earliestMs : null,
        sinceWallMs,
        disposition,
      },
      site,
    );
  }
}

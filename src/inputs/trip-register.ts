import type { Clock, TrustedTime } from "../domain/clock.ts";
import { isShutDown, quietResetMs, swingOnce, type Swinging } from "../domain/swinger.ts";
import { newTrip, type NewTrip, type TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneEvent } from "../domain/zone-step.ts";
import type { Journal } from "../store/journal.ts";
import { wallOf } from "./zone-keeping.ts";
import type { Fate, ZoneOrders } from "./zone-orders.ts";

export interface TripRegisterOptions {
  readonly journal: Journal;
  readonly orders: ZoneOrders;
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
  readonly trips: readonly NewTrip[];
  readonly swinging?: Swinging;
  /** The zone floods the journal, or is shut down. */
  readonly isUnsteady: boolean;
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
  /** When the daemon last ran before this start; undefined at the very first one. */
  readonly #lastAliveWallMs: number | undefined;

  constructor(options: TripRegisterOptions) {
    this.#options = options;
    this.#lastAliveWallMs = options.journal.lastAlive();
  }

  entriesOf(zone: Zone, events: readonly ZoneEvent[]): Entries {
    const trips: NewTrip[] = [];
    const stored = new Map<string, readonly number[]>();
    let swinging: Swinging | undefined;
    let isUnsteady = false;
    for (const event of events) {
      if (event.type !== "trip") continue;
      const before = swinging ?? this.#swingingOf(zone);
      const fate = this.#fateOf(zone, before);
      const of = `${zone.id} ${fate.state}`;
      const recent = (stored.get(of) ?? this.#stored.get(of) ?? []).filter(
        (atMs) => atMs > event.atMs - MINUTE_MS,
      );
      const isShut = fate.state === "swinger";
      const isStored = recent.length < (isShut ? STORED_PER_MINUTE_SHUT_DOWN_MAX : STORED_PER_MINUTE_MAX);
      if (isStored) {
        stored.set(of, [...recent, event.atMs]);
        trips.push(this.#tripOf(zone, event, fate));
      }
      // What was never meant to be dispatched says nothing about the zone's steadiness.
      const isHeldBack = !isShut && fate.state !== "waiting";
      if (isShut || (!isStored && !isHeldBack)) isUnsteady = true;
      const wallMs = wallOf(this.#options.clock, event.atMs);
      if (!isHeldBack || !isStored) swinging = swingOnce(before, wallMs, { isStored, isHeldBack });
    }
    const written = (): void => {
      for (const [of, moments] of stored) {
        const before = this.#stored.get(of) ?? [];
        this.#stored.set(of, moments);
        this.#options.journal.ifLost(() => this.#stored.set(of, before));
      }
    };
    return { trips, ...(swinging ? { swinging } : {}), isUnsteady, written };
  }

  /** The zone's counters, unless it has been quiet for long enough. */
  #swingingOf(zone: Zone): Swinging | undefined {
    const { journal, clock } = this.#options;
    const swinging = journal.swingers.find(zone.id);
    if (!swinging) return undefined;
    const quietMs = Math.abs(clock.wallMs() - swinging.lastWallMs);
    return quietMs < quietResetMs(zone) ? swinging : undefined;
  }

  #fateOf(zone: Zone, swinging: Swinging | undefined): Fate {
    const fate = this.#options.orders.fateOf(zone);
    if (fate.state !== "waiting" || !isShutDown(zone, swinging)) return fate;
    const { incidents = 0, trips = 0 } = swinging ?? {};
    return {
      state: "swinger",
      reason: `shut down after ${trips} trips in ${incidents} ${incidents === 1 ? "incident" : "incidents"}`,
    };
  }

  #tripOf(zone: Zone, event: Extract<ZoneEvent, { type: "trip" }>, fate: Fate): NewTrip {
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
        fate,
      },
      site,
    );
  }
}

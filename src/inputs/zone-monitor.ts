import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { interventionOf } from "../domain/trip.ts";
import type { Locale } from "../domain/wording.ts";
import {
  resumeZone,
  stepZone,
  type StepSignal,
  type ZoneEvent,
  type ZoneState,
} from "../domain/zone-step.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { NewTrip } from "../store/trips.ts";
import type { StoredZoneState } from "../store/zone-states.ts";
import { isWorthKeeping, keptOf, storedOf, wallOf } from "./zone-keeping.ts";

export interface ZoneMonitorOptions {
  readonly zones: readonly Zone[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly site: { readonly locale: Locale; readonly timezone: string };
  /** Makes the identity of a trip. */
  readonly newKey: () => string;
  /** Told after a trip was committed; a hint for the dispatcher, which finds the trip in the journal anyway. */
  readonly onTrip: () => void;
  readonly failpoint?: (name: string) => void;
}

/** What a reading did to its zone. */
export interface ZoneOutcome {
  readonly contact: Contact;
  /** Keys of the trips that were committed. */
  readonly trips: readonly string[];
}

/** How a zone stands now. */
export interface ZoneSnapshot {
  readonly zone: Zone;
  readonly contact: Contact;
  /** Wall clock of its last change, milliseconds since 1970; null before its first sight. */
  readonly sinceWallMs: number | null;
}

interface Watched {
  readonly zone: Zone;
  state: ZoneState;
  sinceWallMs: number | null;
  wakeAtMs: number | undefined;
}

/** After a failed write the zones are looked at again so soon. */
const RETRY_MS = 1_000;

/**
 * Takes every reading through the zone's step and writes down what happened before anybody acts on it. It owns the
 * only timer of the zones.
 */
export class ZoneMonitor {
  readonly #options: ZoneMonitorOptions;
  readonly #watched = new Map<string, Watched>();
  #cancelWake: CancelTimer | undefined;

  constructor(options: ZoneMonitorOptions) {
    this.#options = options;
  }

  /** Takes up each zone where the journal says it was left. */
  start(): void {
    const { zones, journal, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const zone of zones) {
      const stored = journal.zoneStates.find(zone.id);
      const state = resumeZone(zone.rules, stored && keptOf(zone, stored, clock), nowMs);
      // Looked at once: what was being confirmed may be due, and a zone that closes by itself finds out when.
      this.#watched.set(zone.id, { zone, state, sinceWallMs: stored?.sinceWallMs ?? null, wakeAtMs: nowMs });
    }
    this.#wake();
  }

  stop(): void {
    this.#cancelWake?.();
    this.#watched.clear();
  }

  /**
   * Takes one reading. When it returns, what the reading means is on the disk.
   * @throws whatever the journal threw; the zone is then as it was, and the reading should be given again
   */
  read(zoneId: string, contact: Contact, { live }: { live: boolean }): ZoneOutcome {
    const watched = this.#find(zoneId);
    const trips = this.#step(watched, {
      type: "reading",
      contact,
      atMs: this.#options.clock.monotonicMs(),
      live,
    });
    this.#armWake();
    return { contact: watched.state.contact, trips };
  }

  /**
   * Trips a zone without its sensor: what its wire or its messages last said stays as it is, so that the next real
   * opening is an edge.
   * @throws whatever the journal threw
   */
  testDrive(zoneId: string): ZoneOutcome {
    const watched = this.#find(zoneId);
    const { state, zone } = watched;
    const { clock } = this.#options;
    if (state.contact === "open") return { contact: "open", trips: [] };
    const drive: ZoneEvent = { type: "trip", cause: "edge", atMs: clock.monotonicMs() };
    const trips = this.#commit(watched, [drive], storedOf(zone, state, watched.sinceWallMs, clock));
    this.#options.onTrip();
    return { contact: state.contact, trips };
  }

  zones(): ZoneSnapshot[] {
    return [...this.#watched.values()].map(({ zone, state, sinceWallMs }) => ({
      zone,
      contact: state.contact,
      sinceWallMs,
    }));
  }

  #find(zoneId: string): Watched {
    const watched = this.#watched.get(zoneId);
    if (!watched) throw new Error(`the monitor does not watch a zone ${zoneId}`);
    return watched;
  }

  #step(watched: Watched, signal: StepSignal): readonly string[] {
    const { zone, state } = watched;
    const { clock } = this.#options;
    const step = stepZone(zone.rules, state, signal);
    const settled = step.events.findLast(({ type }) => type !== "chatter" && type !== "calm");
    const sinceWallMs = settled ? this.#wallOf(settled.atMs) : watched.sinceWallMs;
    const trips =
      step.events.length > 0 || isWorthKeeping(zone, state, step.state)
        ? this.#commit(watched, step.events, storedOf(zone, step.state, sinceWallMs, clock))
        : [];
    // Only what is written down is believed: had the commit thrown, the edge would still be ahead of us.
    watched.state = step.state;
    watched.wakeAtMs = step.wakeAtMs;
    watched.sinceWallMs = sinceWallMs;
    if (trips.length > 0) this.#options.onTrip();
    return trips;
  }

  #commit({ zone }: Watched, events: readonly ZoneEvent[], stored: StoredZoneState): readonly string[] {
    const { journal, conditions, failpoint } = this.#options;
    const trips = events.flatMap((event) => (event.type === "trip" ? [this.#tripOf(zone, event)] : []));
    try {
      journal.commit({ zoneId: zone.id, state: stored, trips });
    } catch (error) {
      conditions.raise(
        "journal-write-failed",
        `the trip journal cannot be written: ${messageOf(error)}. Free disk space or mend the disk.`,
      );
      throw error;
    }
    if (trips.length > 0) failpoint?.("journal-committed");
    conditions.clear("journal-write-failed");
    for (const event of events) this.#tellOf(zone, event);
    return trips.map(({ key }) => key);
  }

  #tellOf(zone: Zone, event: ZoneEvent): void {
    const { log, conditions } = this.#options;
    const { type, atMs: _when, ...detail } = event;
    log.info(`zone-${type}`, { zone: zone.id, ...detail });
    if (type === "chatter")
      conditions.raise(
        "zone-chatters",
        `the contact of zone ${zone.id} opens and closes faster than it can be read. Check the contact and its wire.`,
        zone.id,
      );
    if (type === "calm") conditions.clear("zone-chatters", zone.id);
  }

  #tripOf(zone: Zone, event: Extract<ZoneEvent, { type: "trip" }>): NewTrip {
    const { newKey, site } = this.#options;
    const seen = { key: newKey(), cause: event.cause, atWallMs: this.#wallOf(event.atMs) };
    return { ...seen, zoneId: zone.id, source: zone.input.source, body: interventionOf(zone, seen, site) };
  }

  #wallOf(atMs: number): number {
    return wallOf(this.#options.clock, atMs);
  }

  #armWake(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const due = [...this.#watched.values()].flatMap(({ wakeAtMs }) =>
      wakeAtMs === undefined ? [] : [wakeAtMs],
    );
    if (due.length === 0) return;
    const { clock } = this.#options;
    const delayMs = Math.ceil(Math.max(0, Math.min(...due) - clock.monotonicMs()));
    this.#cancelWake = clock.after(delayMs, () => this.#wake());
  }

  #wake(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const watched of this.#watched.values()) {
      if (watched.wakeAtMs === undefined || watched.wakeAtMs > nowMs) continue;
      try {
        this.#step(watched, { type: "wake", atMs: nowMs });
      } catch (error) {
        // The edge stays pending in memory; the condition tells people why it is not recorded yet.
        this.#options.log.error("zone-wake-failed", { zone: watched.zone.id, error });
        watched.wakeAtMs = nowMs + RETRY_MS;
      }
    }
    this.#armWake();
  }
}

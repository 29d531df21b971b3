import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { interventionOf } from "../domain/trip.ts";
import type { Locale } from "../domain/wording.ts";
import {
  resumeZone,
  stepZone,
  type ZoneEvent,
  type ZoneSignal,
  type ZoneState,
} from "../domain/zone-step.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { NewTrip } from "../store/trips.ts";

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
    for (const zone of zones) {
      const stored = journal.zoneStates.find(zone.id);
      const state = resumeZone(stored?.contact ?? "unknown", clock.monotonicMs());
      // One look at once, so that a zone that closes by itself finds out when.
      const { wakeAtMs } = stepZone(zone.rules, state, { type: "wake", atMs: clock.monotonicMs() });
      this.#watched.set(zone.id, { zone, state, sinceWallMs: stored?.sinceWallMs ?? null, wakeAtMs });
    }
    this.#armWake();
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
    const watched = this.#watched.get(zoneId);
    if (!watched) throw new Error(`the monitor does not watch a zone ${zoneId}`);
    const trips = this.#step(watched, {
      type: "reading",
      contact,
      atMs: this.#options.clock.monotonicMs(),
      live,
    });
    this.#armWake();
    return { contact: watched.state.contact, trips };
  }

  zones(): ZoneSnapshot[] {
    return [...this.#watched.values()].map(({ zone, state, sinceWallMs }) => ({
      zone,
      contact: state.contact,
      sinceWallMs,
    }));
  }

  #step(watched: Watched, signal: ZoneSignal): readonly string[] {
    const { zone } = watched;
    const step = stepZone(zone.rules, watched.state, signal);
    const trips = this.#commit(zone, step.state, step.events);
    // Only what is written down is believed: had the commit thrown, the edge would still be ahead of us.
    watched.state = step.state;
    watched.wakeAtMs = step.wakeAtMs;
    const last = step.events.at(-1);
    if (last) watched.sinceWallMs = this.#wallOf(last);
    if (trips.length > 0) this.#options.onTrip();
    return trips;
  }

  #commit(zone: Zone, state: ZoneState, events: readonly ZoneEvent[]): readonly string[] {
    const last = events.at(-1);
    if (!last || state.contact === "unknown") return [];
    const { journal, log, conditions, failpoint } = this.#options;
    const trips = events.flatMap((event) => (event.type === "trip" ? [this.#tripOf(zone, event)] : []));
    try {
      journal.commit({
        zoneId: zone.id,
        state: { contact: state.contact, sinceWallMs: this.#wallOf(last) },
        trips,
      });
    } catch (error) {
      conditions.raise(
        "journal-write-failed",
        `the trip journal cannot be written: ${messageOf(error)}. Free disk space or mend the disk.`,
      );
      throw error;
    }
    if (trips.length > 0) failpoint?.("journal-committed");
    conditions.clear("journal-write-failed");
    for (const event of events)
      log.info(`zone-${event.type}`, { zone: zone.id, ...("cause" in event ? { cause: event.cause } : {}) });
    return trips.map(({ key }) => key);
  }

  #tripOf(zone: Zone, event: Extract<ZoneEvent, { type: "trip" }>): NewTrip {
    const { newKey, site } = this.#options;
    const seen = { key: newKey(), cause: event.cause, atWallMs: this.#wallOf(event) };
    return { ...seen, zoneId: zone.id, source: zone.input.source, body: interventionOf(zone, seen, site) };
  }

  /** Durations are monotonic, so a clock that was set in between moves no event. */
  #wallOf(event: ZoneEvent): number {
    const { clock } = this.#options;
    return Math.round(clock.wallMs() - (clock.monotonicMs() - event.atMs));
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

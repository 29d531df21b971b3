import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { GateState } from "../domain/gate.ts";
import type { Log } from "../domain/log.ts";
import type { ReadingContext, ZoneSignal } from "../domain/zone-signal.ts";
import { stepZone, type StepSignal, type ZoneEvent } from "../domain/zone-step.ts";
import { resumeZone } from "../domain/zone-resume.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import type { EntryDelay } from "../store/entry-delays.ts";
import type { Journal } from "../store/journal.ts";
import type { StoredZoneState } from "../store/zone-states.ts";
import type { TripRegister } from "./trip-register.ts";
import type { ZoneFaults } from "./zone-faults.ts";
import { isWorthKeeping, keptOf, settleMsOf, storedOf, wallOf } from "./zone-state-persistence.ts";
import { recordInFallback, reportOnDisk } from "./fallback-journal.ts";
import { DeadlineTimer } from "./deadline-timer.ts";
import type { WatchedZone } from "./zone-reload.ts";
import type { ZoneOverrides } from "./zone-overrides.ts";

export interface ZoneMonitorOptions {
  readonly zones: readonly Zone[];
  readonly journal: Journal;
  readonly register: TripRegister;
  readonly orders: ZoneOverrides;
  readonly faults: ZoneFaults;
  readonly clock: Clock;
  /** How long the machine has been up when the daemon starts, in milliseconds. */
  readonly hostUpMs: number;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called after a trip was committed; a hint for the dispatcher, which finds the trip in the journal. */
  readonly onTrip: () => void;
  /** Called after a commit: a zone may have opened or closed. @param delays its trips that are within their entry delay */
  readonly onContact: (delays: readonly EntryDelay[]) => void;
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
  /** The contact is what the journal says of the time before the start; the sensor has not said anything yet. */
  readonly isCarriedOver: boolean;
}

/** After a failed write the zones are looked at again after this time. */
const RETRY_MS = 1_000;

/**
 * Takes every reading through the zone's step and writes down what happened before anybody acts on it. It owns the
 * only timer of the zones.
 */
export class ZoneEngine {
  readonly #options: ZoneMonitorOptions;
  readonly #watched = new Map<string, WatchedZone>();
  readonly #timer: DeadlineTimer;

  constructor(options: ZoneMonitorOptions) {
    this.#options = options;
    this.#timer = new DeadlineTimer(options.clock, () => this.#wake());
  }

  /** Takes up each zone where the journal says it was left. */
  start(): void {
    const { zones, journal, clock, hostUpMs } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const zone of zones) {
      const stored = journal.stateOf(zone.id);
      const kept = stored && keptOf(zone, stored, clock);
      const state = resumeZone(zone.rules, kept, nowMs, settleMsOf(zone, hostUpMs));
      // Looked at once: what was being confirmed may be due, and a zone that closes by itself finds out when.
      const sinceWallMs = kept && stored ? stored.sinceWallMs : null;
      this.#watched.set(zone.id, { zone, state, sinceWallMs, wakeAtMs: nowMs });
    }
    this.#wake();
  }

  stop(): void {
    this.#timer.stop();
    this.#watched.clear();
  }

  readonly watched = (): readonly WatchedZone[] => [...this.#watched.values()];

  /** Watches other zones from now on; what they are due for they do behind this turn. */
  exchange(successors: readonly WatchedZone[]): void {
    this.#watched.clear();
    for (const watched of successors) this.#watched.set(watched.zone.id, watched);
    this.#armWake();
  }

  /**
   * Takes whatever a source says about a zone. When it returns, what that means is on the disk.
   * @param live false for what a broker had kept, which is no sign of life
   * @throws whatever the journal threw; the zone is then as it was, and the signal should be given again
   */
  take(zoneId: string, signal: ZoneSignal, { live }: { live: boolean }): void {
    const { zone } = this.#find(zoneId);
    if (signal.kind === "contact") {
      this.read(zoneId, signal.contact, signal);
      return;
    }
    const isSaidByOthers = signal.kind === "availability";
    if (live && !isSaidByOthers) this.#options.faults.heard(zone);
    this.#options.faults.take(zone, signal);
  }

  /**
   * Takes one reading. When it returns, what the reading means is on the disk.
   * @throws whatever the journal threw; the zone is then as it was, and the reading should be given again
   */
  read(zoneId: string, contact: Contact, { live, atMs: notedMs }: ReadingContext): ZoneOutcome {
    const watched = this.#find(zoneId);
    const atMs = notedMs ?? this.#options.clock.monotonicMs();
    const { wakeAtMs } = watched;
    const trips = this.#step(watched, { type: "reading", contact, atMs, live });
    if (watched.wakeAtMs !== wakeAtMs) this.#armWake();
    // What a broker had kept says nothing about the sensor now.
    if (live) this.#options.faults.heard(watched.zone);
    return { contact: watched.state.contact, trips };
  }

  /** Takes what a gate's switch or message says; `unknown` when it cannot be read. */
  setGate(gateId: string, state: GateState): void {
    this.#options.orders.setGate(gateId, state);
  }

  /**
   * Trips a zone without its sensor: what its wire or its messages last said stays as it is, so that the next real
   * opening is an edge.
   * @throws whatever the journal threw
   */
  simulateTrip(zoneId: string): ZoneOutcome {
    const watched = this.#find(zoneId);
    const { state, zone, sinceWallMs } = watched;
    const { clock, onTrip } = this.#options;
    if (state.contact === "open") return { contact: "open", trips: [] };
    const drive: ZoneEvent = { type: "trip", cause: "edge", atMs: clock.monotonicMs() };
    const trips = this.#commit(watched, [drive], storedOf(zone, state, sinceWallMs, clock));
    onTrip();
    return { contact: state.contact, trips };
  }

  /** How long a zone's openings still have to wait after a power-up, in milliseconds. */
  settlesInMs(zoneId: string): number {
    const { notBeforeMs } = this.#find(zoneId).state;
    return Math.max(0, notBeforeMs - this.#options.clock.monotonicMs());
  }

  zones(): ZoneSnapshot[] {
    return [...this.#watched.values()].map(({ zone, state, sinceWallMs }) => ({
      zone,
      contact: state.contact,
      sinceWallMs,
      isCarriedOver: state.isResumed,
    }));
  }

  #find(zoneId: string): WatchedZone {
    const watched = this.#watched.get(zoneId);
    if (!watched) throw new Error(`the monitor does not watch a zone ${zoneId}`);
    return watched;
  }

  #step(watched: WatchedZone, signal: StepSignal): readonly string[] {
    const { zone, state } = watched;
    const { clock } = this.#options;
    const step = stepZone(zone.rules, state, signal);
    const settled = step.events.findLast(({ type }) => type !== "chatter" && type !== "calm");
    const sinceWallMs = settled ? wallOf(clock, settled.atMs) : watched.sinceWallMs;
    const trips =
      step.events.length > 0 || isWorthKeeping(zone, state, step.state)
        ? this.#commit(watched, step.events, storedOf(zone, step.state, sinceWallMs, clock))
        : [];
    // Only what is written down is believed: had the commit thrown, the edge would still be ahead of us.
    const before = { ...watched };
    Object.assign(watched, { state: step.state, wakeAtMs: step.wakeAtMs, sinceWallMs });
    this.#options.journal.onRollback(() => {
      Object.assign(watched, before);
      this.#armWake();
    });
    if (step.events.some(({ type }) => type === "trip" || type === "restore")) this.#options.onTrip();
    return trips;
  }

  #commit({ zone }: WatchedZone, events: readonly ZoneEvent[], stored: StoredZoneState): readonly string[] {
    const { journal, register, log, failpoint, onContact } = this.#options;
    const { trips, delays, isFaulty, written, ...more } = register.entriesOf(zone, events);
    const change = { zoneId: zone.id, state: stored, trips, delays, ...more };
    try {
      journal.commit(change);
      journal.afterCommit(() => reportOnDisk(this.#options));
    } catch (error) {
      this.reportFailure(error);
      if (!recordInFallback(this.#options, zone, change, error)) throw error;
    }
    if (trips.length > 0) failpoint?.("journal-committed");
    written();
    journal.afterCommit(() => {
      onContact(delays);
      for (const { type, atMs: _, ...detail } of events)
        log.info(`zone-${type}`, { zone: zone.id, ...detail });
    });
    if (isFaulty || events.some(({ type }) => type === "chatter")) this.#reportFaulty(zone);
    return trips.filter(({ type }) => type === "trip").map(({ key }) => key);
  }

  /** The journal does not take what the zones have to say: a condition until its next commit. */
  reportFailure(error: unknown): void {
    this.#options.conditions.raise("journal-write-failed", { reason: messageOf(error) });
  }

  /** The trip is safe already: a fault that cannot be written down now must not bring its message again. */
  #reportFaulty(zone: Zone): void {
    try {
      this.#options.faults.reportFaulty(zone);
    } catch (error) {
      this.#options.log.error("zone-fault-write-failed", { zone: zone.id, error });
    }
  }

  #armWake(): void {
    this.#timer.arm([...this.#watched.values()].flatMap(({ wakeAtMs }) => wakeAtMs ?? []));
  }

  #wake(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const watched of this.#watched.values()) {
      if (watched.wakeAtMs === undefined || watched.wakeAtMs > nowMs) continue;
      try {
        this.#step(watched, { type: "wake", atMs: nowMs });
      } catch (error) {
        this.#options.log.error("zone-timer-failed", { zone: watched.zone.id, error });
        watched.wakeAtMs = nowMs + RETRY_MS;
      }
    }
    this.#armWake();
  }
}

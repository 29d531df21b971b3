import { DeadlineTimer } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { GateState } from "../domain/gate.ts";
import { stepZone, type StepSignal, type ZoneEvent } from "../domain/zone-step.ts";
import type { Contact, LastReading, Zone, ReadingContext, ZoneSignal } from "../domain/zone.ts";
import type { EntryDelay } from "../store/pending-trips.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import type { StoredZoneState } from "../store/zone-states.ts";
import { recordInFallback, reportOnDisk } from "./fallback-journal.ts";
import type { TripRegister } from "./trip-register.ts";
import type { ZoneContext } from "./zone-context.ts";
import type { ZoneFaults } from "./zone-faults.ts";
import type { ZoneOverrides } from "./zone-overrides.ts";
import { snapshotOf, type MonitoredZone, type ZoneSnapshot } from "./zone-reload.ts";
import {
  hasStoredChange,
  resumedOf,
  powerUpDelayMsOf,
  toStoredZoneState,
  toWallMs,
  resumeZone,
  withOldValue,
} from "./zone-state-persistence.ts";

interface ZoneEngineOptions extends ZoneContext {
  readonly register: TripRegister;
  readonly zoneOverrides: ZoneOverrides;
  readonly faults: ZoneFaults;
  /** Uptime of the machine when the daemon starts, in milliseconds. */
  readonly hostUpMs: number;
  /** Called after a commit that may have changed a contact. @param delays entry delays of its trips */
  readonly onContact: (delays: readonly EntryDelay[]) => void;
}

/** Effect of a reading on its zone. */
interface ZoneOutcome {
  readonly contact: Contact;
  /** Keys of the trips that were committed. */
  readonly trips: readonly string[];
}

/** Time until the next check after a failed write. */
const RETRY_MS = 1_000;

/** Passes every reading through the zone's step and commits the result before it has any effect. Owns the zones' timer. */
export class ZoneEngine {
  readonly #options: ZoneEngineOptions;
  readonly #watched: TransactionalMap<string, MonitoredZone>;
  readonly #timer: DeadlineTimer;
  /** By zone id. */
  readonly #lastReadings = new Map<string, LastReading>();

  constructor(options: ZoneEngineOptions) {
    this.#options = options;
    this.#timer = new DeadlineTimer(options.clock, () => this.#onTimer(), { afterInput: true });
    this.#watched = new TransactionalMap(options.journal, () => this.#armWake());
  }

  /** Resumes each zone from the journal. */
  start(): void {
    const { zones, journal, clock, hostUpMs } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const zone of zones) {
      const stored = journal.stateOf(zone.id);
      const kept = stored && resumedOf(zone, stored, clock);
      const known = kept && withOldValue(zone, kept, journal);
      const state = resumeZone(zone.rules, known, nowMs, powerUpDelayMsOf(zone, hostUpMs));
      // Checked at once: a confirmation may be due, and an automatic restore needs its timer.
      const sinceWallMs = kept && stored ? stored.sinceWallMs : null;
      this.#watched.set(zone.id, { zone, state, sinceWallMs, wakeAtMs: nowMs });
    }
    this.#onTimer();
  }

  stop(): void {
    this.#timer.stop();
    this.#watched.clear();
  }

  readonly watched = (): readonly MonitoredZone[] => [...this.#watched.values()];

  /** Uses other zones from now on; their timers run after this turn. */
  exchange(successors: readonly MonitoredZone[]): void {
    this.#watched.clear();
    for (const watched of successors) this.#watched.set(watched.zone.id, watched);
    for (const id of this.#lastReadings.keys()) if (!this.#watched.has(id)) this.#lastReadings.delete(id);
    this.#armWake();
  }

  /**
   * Processes any signal of a source. On return, the result is committed.
   * @param live false for a retained message, which is not a sign of life
   * @throws any error of the journal; the zone is then unchanged, and the signal should be repeated
   */
  take(zoneId: string, signal: ZoneSignal, { live }: { live: boolean }): void {
    const { zone } = this.#find(zoneId);
    if (signal.kind === "contact") {
      this.read(zoneId, signal.contact, signal);
      return;
    }
    const isFromBridge = signal.kind === "availability";
    if (live && !isFromBridge) this.#options.faults.onSignOfLife(zone);
    this.#options.faults.take(zone, signal, live);
  }

  /**
   * Processes one reading. On return, the result is committed.
   * @throws any error of the journal; the zone is then unchanged, and the reading should be repeated
   */
  read(zoneId: string, contact: Contact, { live, atMs: edgeAtMs, ...how }: ReadingContext): ZoneOutcome {
    const watched = this.#find(zoneId);
    const atMs = edgeAtMs ?? this.#options.clock.monotonicMs();
    const trips = this.#step(watched, { ...how, type: "reading", contact, atMs, live });
    if (contact !== "unknown")
      this.#lastReadings.set(zoneId, { contact, atMs: this.#options.clock.monotonicMs() });
    const { state, wakeAtMs } = this.#find(zoneId);
    if (wakeAtMs !== watched.wakeAtMs) this.#armWake();
    // A retained message is not a sign of life.
    if (live) this.#options.faults.onSignOfLife(watched.zone);
    return { contact: state.contact, trips };
  }

  /** The last reading of a zone in this run; undefined if there was none. */
  lastReading(zoneId: string): LastReading | undefined {
    return this.#lastReadings.get(zoneId);
  }

  /**
   * Processes the state of a gate; `unknown` when it cannot be read.
   * @throws with `mustStore`, any error of the journal; the report should then be repeated
   */
  setGate(gateId: string, state: GateState, options?: { readonly mustStore: boolean }): void {
    this.#options.zoneOverrides.setGate(gateId, state, options);
  }

  /** Applies the stored state of a gate that has not reported yet and does not repeat its reports. */
  resumeGate(gateId: string): void {
    const { zoneOverrides, journal } = this.#options;
    const stored = zoneOverrides.gates.isKnown(gateId) ? undefined : journal.zoneOverrides.gateState(gateId);
    if (stored) this.setGate(gateId, stored.state);
  }

  /**
   * Trips a zone without its sensor. The state of the contact is kept, so that the next real opening is an edge.
   * @throws any error of the journal
   */
  simulateTrip(zoneId: string): ZoneOutcome {
    const watched = this.#find(zoneId);
    const { state, zone, sinceWallMs } = watched;
    const { clock, onTrip, register } = this.#options;
    if (state.contact === "open") return { contact: "open", trips: [] };
    const event: ZoneEvent = { type: "trip", cause: "edge", atMs: clock.monotonicMs() };
    const stored = toStoredZoneState(zone, state, sinceWallMs, clock);
    const trips = this.#commit(watched, [event], stored, register.testEntriesOf(zone, event));
    onTrip();
    return { contact: state.contact, trips };
  }

  /** Remaining power-up delay of a zone, in milliseconds. */
  settlesInMs(zoneId: string): number {
    const { notBeforeMs } = this.#find(zoneId).state;
    return Math.max(0, notBeforeMs - this.#options.clock.monotonicMs());
  }

  zones(): ZoneSnapshot[] {
    return [...this.#watched.values()].map(snapshotOf);
  }

  #find(zoneId: string): MonitoredZone {
    const watched = this.#watched.get(zoneId);
    if (!watched) throw new Error(`unknown zone ${zoneId}`);
    return watched;
  }

  #step(watched: MonitoredZone, signal: StepSignal): readonly string[] {
    const { zone, state } = watched;
    const { clock } = this.#options;
    const step = stepZone(zone.rules, state, signal);
    const lastChange = step.events.findLast(({ type }) => type !== "chatter" && type !== "calm");
    const sinceWallMs = lastChange ? toWallMs(clock, lastChange.atMs) : watched.sinceWallMs;
    const trips =
      step.events.length > 0 || hasStoredChange(zone, state, step.state)
        ? this.#commit(watched, step.events, toStoredZoneState(zone, step.state, sinceWallMs, clock))
        : [];
    // The state changes only after the commit: if it had thrown, the edge would still be pending.
    this.#watched.set(zone.id, { zone, state: step.state, wakeAtMs: step.wakeAtMs, sinceWallMs });
    if (step.events.some(({ type }) => type === "trip" || type === "restore")) this.#options.onTrip();
    return trips;
  }

  #commit(
    { zone }: MonitoredZone,
    events: readonly ZoneEvent[],
    stored: StoredZoneState,
    entries = this.#options.register.entriesOf(zone, events),
  ): readonly string[] {
    const { journal, log, failpoint, onContact } = this.#options;
    const { trips, delays, isFaulty, onCommitted, ...counters } = entries;
    const change = { zoneId: zone.id, state: stored, trips, delays, ...counters };
    try {
      journal.commit(change);
      journal.afterCommit(() => reportOnDisk(this.#options));
    } catch (error) {
      this.reportFailure(error);
      if (!recordInFallback(this.#options, zone, change, error)) throw error;
    }
    if (trips.length > 0) failpoint?.("journal-committed");
    onCommitted();
    journal.afterCommit(() => {
      onContact(delays);
      for (const { type, atMs: _, ...detail } of events)
        log.info(`zone-${type}`, { zone: zone.id, ...detail });
    });
    if (isFaulty || events.some(({ type }) => type === "chatter")) this.#reportFaulty(zone);
    return trips.filter(({ type }) => type === "trip").map(({ key }) => key);
  }

  /** Raises a condition until the next successful commit to the journal. */
  reportFailure(error: unknown): void {
    this.#options.conditions.raise("journal-write-failed", { reason: messageOf(error) });
  }

  /** The trip is committed already: a failure to store the fault must not cause a redelivery of its message. */
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

  #onTimer(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const watched of this.#watched.values()) {
      if (watched.wakeAtMs === undefined || watched.wakeAtMs > nowMs) continue;
      try {
        this.#step(watched, { type: "wake", atMs: nowMs });
      } catch (error) {
        this.#options.log.error("zone-timer-failed", { zone: watched.zone.id, error });
        this.#watched.set(watched.zone.id, { ...watched, wakeAtMs: nowMs + RETRY_MS });
      }
    }
    this.#armWake();
  }
}

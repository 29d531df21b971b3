import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import { CLASS_OF_KIND } from "../domain/incident-class.ts";
import type { Log } from "../domain/log.ts";
import { newSignalTest } from "../domain/trip-rows.ts";
import type { ZoneInRecord } from "../domain/standing.ts";
import type { TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import { MonitoringGaps } from "./monitoring-gaps.ts";
import { EntryDelays } from "./entry-delays.ts";
import { LivenessRecorder } from "./liveness-recorder.ts";
import { StandingContacts } from "./open-contacts.ts";
import { TripRegister } from "./trip-register.ts";
import { ZoneFaults } from "./zone-faults.ts";
import { storeFallback } from "./fallback-journal.ts";
import { settleMsOf, storedOf } from "./zone-state-persistence.ts";
import { ZoneEngine } from "./zone-engine.ts";
import { ZoneOverrides } from "./zone-overrides.ts";
import { successorsOf } from "./zone-reload.ts";

export interface ZoneWatchOptions {
  readonly zones: readonly Zone[];
  readonly journal: Journal;
  readonly clock: Clock;
  /** The machine's start, how long ago it was, and whether its wall clock can be believed. */
  readonly host: { readonly bootId: string; readonly upMs: number; readonly time: TrustedTime };
  readonly log: Log;
  readonly conditions: Conditions;
  readonly site: TripSite & { readonly standingAgainS: number };
  /** What an intervention says of a zone, by the zone's name as it stands in texts. */
  readonly zoneInRecord: (interventionId: number, zoneName: string) => ZoneInRecord;
  /** Makes the identity of a trip. */
  readonly newKey: () => string;
  /** Takes an entry for the event log. */
  readonly record: (event: NewEvent) => void;
  /** Told after a trip or fault was committed. */
  readonly onTrip: () => void;
  readonly failpoint?: (name: string) => void;
}

/** Everything that watches the zones, started and stopped as one. */
export class ZoneService {
  readonly monitor: ZoneEngine;
  readonly orders: ZoneOverrides;
  readonly faults: ZoneFaults;
  /** Where the inputs declare their conditions. */
  readonly blindIntervals: MonitoringGaps;
  readonly #options: ZoneWatchOptions;
  readonly #entryDelays: EntryDelays;
  readonly #standing: StandingContacts;
  readonly #heartbeat: LivenessRecorder;
  readonly #builtAtMs: number;
  #zones: readonly Zone[];

  constructor(options: ZoneWatchOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#builtAtMs = options.clock.monotonicMs();
    const { host, site, zones, journal } = options;
    const { bootId, time } = host;
    // What follows a commit follows a shared one too.
    const onTrip = (): void => journal.afterCommit(options.onTrip);
    const failpoint = (name: string): void => journal.afterCommit(() => options.failpoint?.(name));
    const common = {
      ...options,
      onTrip,
      failpoint,
      bootId,
      time,
      record: (event: NewEvent) => record(options, event),
    };
    this.blindIntervals = new MonitoringGaps(common);
    const onChange = (): void => this.#holdChanged();
    this.orders = new ZoneOverrides({ ...common, timezone: site.timezone, onChange });
    this.faults = new ZoneFaults({
      ...common,
      isWalkTest: () => this.orders.isWalkTest,
      onFault: onTrip,
    });
    const register = new TripRegister({ ...common, orders: this.orders });
    this.monitor = new ZoneEngine({
      ...common,
      zones,
      register,
      orders: this.orders,
      faults: this.faults,
      hostUpMs: host.upMs,
      onContact: (delays) => {
        this.#entryDelays.add(delays);
        this.#standing.soon();
      },
    });
    this.#entryDelays = new EntryDelays({
      ...common,
      gates: this.orders.gates,
      onReleased: (zoneId) => register.countReleased(zoneId),
    });
    this.#standing = new StandingContacts({
      ...common,
      monitor: this.monitor,
      orders: this.orders,
      register,
      standingAgainMs: site.standingAgainS * 1000,
    });
    this.#heartbeat = new LivenessRecorder({
      ...common,
      periodicTasks: [() => this.#storeOffDisk(), () => this.orders.tick(), () => this.faults.tick()],
    });
  }

  /**
   * Sends a test the whole way that a trip goes.
   * @param zoneId the zone whose objective it is for; the first zone when undefined
   * @returns the key of the test in the journal
   * @throws AppError `not-found` for an unknown zone, or where there is none; whatever the journal threw
   */
  signalTest(zoneId: string | undefined, actor: Actor): string {
    const { journal, clock, host, site, newKey, onTrip } = this.#options;
    const zones = this.#zones;
    const zone = zoneId === undefined ? zones[0] : zones.find(({ id }) => id === zoneId);
    if (!zone) throw new AppError("not-found", `there is no zone ${JSON.stringify(zoneId ?? "at all")}`);
    const { bootId, time } = host;
    const moment = { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs: clock.monotonicMs() };
    const key = newKey();
    const test = newSignalTest(zone, { key, moment, isDated: time.isTrusted(), who: actor.who }, site);
    journal.commit({ zoneId: zone.id, trips: [test] });
    onTrip();
    return key;
  }

  /**
   * Watches other zones from now on, all of it in this turn. The inputs then give each new
   * zone its first reading, such as the level of its wire.
   * @param actor who has the bypasses of zones that are gone ended by it
   * @throws whatever the journal threw; then nothing has changed
   */
  exchange(zones: readonly Zone[], actor: Actor): void {
    const { journal, clock, host } = this.#options;
    const upMs = host.upMs + clock.monotonicMs() - this.#builtAtMs;
    const before = this.monitor.watched();
    const successors = successorsOf(zones, before, clock.monotonicMs(), (zone) => settleMsOf(zone, upMs));
    const going = new Set(successors.flatMap(({ goesOn, zone }) => (goesOn ? [zone.id] : [])));
    const ids = new Set(zones.map(({ id }) => id));
    const others = successors.filter(({ goesOn, state }) => !goesOn && state.contact !== "unknown");
    journal.exchange({
      ...this.faults.successors(zones),
      forgotten: this.#zones.map(({ id }) => id).filter((id) => !going.has(id)),
      removed: this.#zones.map(({ id }) => id).filter((id) => !ids.has(id)),
      states: others.map(({ zone, state, sinceWallMs }) => [
        zone.id,
        storedOf(zone, state, sinceWallMs, clock),
      ]),
    });
    // Nothing from here on can fail.
    this.monitor.exchange(successors);
    this.faults.exchange(zones);
    const bypassed = this.orders.exchange(zones);
    this.#entryDelays.exchange(zones);
    this.#zones = zones;
    for (const id of bypassed) {
      const detail = { reason: "the zone is no longer in the configuration" };
      record(this.#options, { ...actor, event: "zone-restored", subject: `zone ${id}`, detail });
    }
  }

  /** Looks at contacts that stand open; to be called when the work on an intervention may have ended. */
  lookAtStanding(): void {
    this.#standing.soon();
  }

  #holdChanged(): void {
    this.#entryDelays.check();
    this.#standing.soon();
  }

  /** What an earlier run, or this one, has kept in memory becomes trips as soon as the disk takes it. */
  #storeOffDisk(): void {
    const { journal, conditions } = this.#options;
    if (storeFallback(this.#options)) this.#options.onTrip();
    const { count: changes, file = "" } = journal.offDisk;
    if (changes > 0)
      conditions.raise("trips-off-disk", { changes, file, reason: "the disk still takes nothing" });
  }

  start(): void {
    this.#storeOffDisk();
    const { trips } = this.#options.journal;
    for (const { id, kind } of this.#zones) trips.classify(id, CLASS_OF_KIND[kind]);
    this.orders.start();
    this.faults.start();
    this.monitor.start();
    this.#entryDelays.start();
    this.#standing.start();
    this.#heartbeat.start();
  }

  stop(): void {
    this.blindIntervals.stop();
    this.#heartbeat.stop();
    this.faults.stop();
    this.#standing.stop();
    this.#entryDelays.stop();
    this.monitor.stop();
  }
}

/** What was done is done: an event log that cannot be written now, as on a full disk, must not undo or stop it. */
function record({ record: write, log }: Pick<ZoneWatchOptions, "record" | "log">, event: NewEvent): void {
  try {
    write(event);
  } catch (error) {
    log.error("event-write-failed", { event: event.event, subject: event.subject, error });
  }
}

import type { TrustedTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import { CONTROL_SOCKET } from "../domain/principal.ts";
import { newSignalTest } from "../domain/trip-rows.ts";
import type { SiteIdentity } from "../domain/walk-test.ts";
import { gateIdsOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import { bypassWithoutZone, forgetChangedZones } from "./changed-zones.ts";
import { classifyEarlier } from "./earlier-release.ts";
import { EntryDelays } from "./entry-delays.ts";
import { storeFallback } from "./fallback-journal.ts";
import { endFaultsWithoutSource } from "./faults-without-source.ts";
import { MonitoringGaps, LivenessRecorder } from "./monitoring-gaps.ts";
import { OpenContacts, type OpenContactsOptions } from "./open-contacts.ts";
import { TestDates } from "./test-dates.ts";
import { TripRegister } from "./trip-register.ts";
import type { ZoneContext } from "./zone-context.ts";
import { ZoneEngine } from "./zone-engine.ts";
import { ZoneFaults } from "./zone-faults.ts";
import { ZoneOverrides } from "./zone-overrides.ts";
import { successorsOf } from "./zone-reload.ts";
import { powerUpDelayMsOf, toStoredZoneState, withOldValue } from "./zone-state-persistence.ts";

export interface ZoneServiceOptions extends Omit<ZoneContext, "bootId" | "time"> {
  /** The current boot, the machine's uptime at the start, and whether the clock is trusted. */
  readonly host: { readonly bootId: string; readonly upMs: number; readonly time: TrustedTime };
  readonly zoneInRecord: OpenContactsOptions["zoneInRecord"];
  readonly identity: () => SiteIdentity;
  /** Called when the result of a walk test is on disk. */
  readonly onWalkTestResult?: () => void;
}

/** The monitoring of all zones, started and stopped as one. */
export class ZoneService {
  readonly monitor: ZoneEngine;
  readonly zoneOverrides: ZoneOverrides;
  readonly faults: ZoneFaults;
  /** Receives the conditions of the inputs. */
  readonly monitoringGaps: MonitoringGaps;
  readonly #options: ZoneServiceOptions;
  readonly entryDelays: EntryDelays;
  readonly #standing: OpenContacts;
  readonly #heartbeat: LivenessRecorder;
  readonly #createdAtMs: number;
  #zones: readonly Zone[];

  constructor(options: ZoneServiceOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#createdAtMs = options.clock.monotonicMs();
    const { host, journal } = options;
    // Hooks run after the group commit, if there is one.
    const onTrip = (): void => journal.afterCommit(options.onTrip);
    const failpoint = (name: string): void => journal.afterCommit(() => options.failpoint?.(name));
    const common = {
      ...options,
      ...host,
      onTrip,
      failpoint,
      record: (event: NewEvent) => record(options, event),
    };
    this.monitoringGaps = new MonitoringGaps(common);
    const onChange = (): void => this.#onSuppressionChange();
    this.zoneOverrides = new ZoneOverrides({ ...common, onChange });
    this.faults = new ZoneFaults({ ...common, isWalkTest: () => this.zoneOverrides.isWalkTest });
    const register = new TripRegister({ ...common, zoneOverrides: this.zoneOverrides });
    this.monitor = new ZoneEngine({
      ...common,
      register,
      zoneOverrides: this.zoneOverrides,
      faults: this.faults,
      hostUpMs: host.upMs,
      onContact: (delays) => {
        this.entryDelays.add(delays);
        this.#standing.requestCheck();
      },
    });
    this.entryDelays = new EntryDelays({
      ...common,
      gates: this.zoneOverrides.gates,
      onReleased: (zone, key) => register.countReleased(zone, key),
    });
    this.#standing = new OpenContacts({
      ...common,
      monitor: this.monitor,
      zoneOverrides: this.zoneOverrides,
      register,
    });
    const testDates = new TestDates(common);
    this.#heartbeat = new LivenessRecorder(common, [
      () => this.#storeOffDisk(),
      () => this.zoneOverrides.tick(),
      () => this.faults.tick(),
      () => this.monitoringGaps.tick(),
      () => testDates.tick(),
    ]);
  }

  /**
   * Sends a signal test along the whole alarm path.
   * @param zoneId zone whose objective is used; the first zone when undefined
   * @returns the key of the test in the journal
   * @throws AppError `not-found` for an unknown zone or if there are no zones; any error of the journal
   */
  signalTest(zoneId: string | undefined, actor: Actor): string {
    const { journal, clock, host, site, newKey, onTrip } = this.#options;
    const zones = this.#zones;
    const zone = zoneId === undefined ? zones[0] : zones.find(({ id }) => id === zoneId);
    if (!zone)
      throw new AppError(
        "not-found",
        zoneId === undefined ? "no zones are configured" : `unknown zone ${JSON.stringify(zoneId)}`,
      );
    const { bootId, time } = host;
    const moment = { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs: clock.monotonicMs() };
    const key = newKey();
    const who = actor.who === CONTROL_SOCKET ? null : actor.who;
    const test = newSignalTest(zone, { key, moment, isDated: time.isTrusted(), who }, site);
    journal.commit({ zoneId: zone.id, trips: [test] });
    onTrip();
    return key;
  }

  /** Adds to the event log who has tripped a zone as a test. */
  noteTestTrip(zoneId: string, actor: Actor): void {
    record(this.#options, { ...actor, event: "test-trip", subject: `zone ${zoneId}`, detail: {} });
  }

  /**
   * Uses other zones from now on, within this turn. The inputs then give each new zone its first reading.
   * @param actor recorded as the one who ends the bypasses of removed zones
   * @throws any error of the journal; then nothing has changed
   */
  exchange(zones: readonly Zone[], actor: Actor): void {
    const { journal, clock, host } = this.#options;
    const upMs = host.upMs + clock.monotonicMs() - this.#createdAtMs;
    // Before the openings of the zones are read: those that the disk rejected count too.
    journal.earlierFirst();
    const before = this.monitor.watched();
    const successors = successorsOf(zones, before, clock.monotonicMs(), (zone) =>
      powerUpDelayMsOf(zone, upMs),
    ).map((successor) => ({ ...successor, state: withOldValue(successor.zone, successor.state, journal) }));
    const continuing = new Set(successors.flatMap(({ isContinued, zone }) => (isContinued ? [zone.id] : [])));
    const ids = new Set(zones.map(({ id }) => id));
    const others = successors.filter(({ isContinued, state }) => !isContinued && state.contact !== "unknown");
    journal.exchange({
      ...this.faults.successors(zones),
      forgotten: this.#zones.map(({ id }) => id).filter((id) => !continuing.has(id)),
      removed: this.#zones.map(({ id }) => id).filter((id) => !ids.has(id)),
      states: others.map(({ zone, state, sinceWallMs }) => [
        zone.id,
        toStoredZoneState(zone, state, sinceWallMs, clock),
      ]),
      gates: gateIdsOf(zones),
    });
    // Nothing below can fail.
    this.monitor.exchange(successors);
    this.faults.exchange(zones);
    const bypassed = this.zoneOverrides.exchange(zones);
    this.entryDelays.exchange(zones);
    this.#zones = zones;
    for (const id of bypassed) record(this.#options, { ...actor, ...bypassWithoutZone(id) });
  }

  /** Checks open contacts; to be called when the work on an intervention may have ended. */
  checkOpenContacts(): void {
    this.#standing.requestCheck();
  }

  #onSuppressionChange(): void {
    this.entryDelays.check();
    this.#standing.requestCheck();
  }

  /** Commits changes kept in memory, of this or an earlier run, as soon as the disk can be written. */
  #storeOffDisk(): void {
    const { journal, conditions } = this.#options;
    if (storeFallback(this.#options)) this.#options.onTrip();
    const { count: changes, file = "" } = journal.offDisk;
    if (changes > 0)
      conditions.raise("trips-off-disk", { changes, file, reason: "the journal still cannot be written" });
  }

  /** A restored backup has results of walk tests that a new journal does not know. Two tests with one number are allowed. */
  continueNumbers(lastNumber: Promise<number>): void {
    const { log } = this.#options;
    lastNumber
      .then((number) => this.zoneOverrides.walkTests.continueAfter(number))
      .catch((error: unknown) => log.warn("walk-test-number-unknown", { error }));
  }

  start(): void {
    // Before trips that are not on disk yet: they may join an incident of the earlier release.
    classifyEarlier(this.#zones, this.#options);
    this.#storeOffDisk();
    // Before the overrides and the zones, which resume what the journal has.
    const recordSafely = (event: NewEvent): void => record(this.#options, event);
    forgetChangedZones(this.#zones, { ...this.#options, record: recordSafely });
    this.zoneOverrides.start();
    endFaultsWithoutSource(this.#zones, { ...this.#options, ...this.#options.host });
    this.faults.start();
    this.monitor.start();
    this.entryDelays.start();
    this.#standing.start();
    this.#heartbeat.start();
  }

  stop(): void {
    this.monitoringGaps.stop();
    this.#heartbeat.stop();
    this.faults.stop();
    this.#standing.stop();
    this.entryDelays.stop();
    this.monitor.stop();
  }
}

/** The action has taken effect: an event log that cannot be written, as on a full disk, must not undo or stop it. */
function record({ record: write, log }: Pick<ZoneServiceOptions, "record" | "log">, event: NewEvent): void {
  try {
    write(event);
  } catch (error) {
    log.error("event-write-failed", { event: event.event, subject: event.subject, error });
  }
}

import { DeadlineTimer } from "../domain/clock.ts";
import { unlistedOf, type Fault } from "../domain/fault.ts";
import { applicableCounters, isShutDown, resetAfterQuietMs } from "../domain/swinger.ts";
import { newFault } from "../domain/trip-rows.ts";
import { isFaultKept } from "../domain/zone-changes.ts";
import type { Zone, ZoneSignal } from "../domain/zone.ts";
import type { OpenFault } from "../store/faults.ts";
import { SignsOfLife } from "./signs-of-life.ts";
import { isOfTest, TestedTampers } from "./tested-tampers.ts";
import { isOfSensor, UnavailableSources } from "./unavailable-sources.ts";
import type { ZoneContext } from "./zone-context.ts";
import { faultSuccession, type FaultSuccession } from "./zone-reload.ts";

interface ZoneFaultsOptions extends ZoneContext {
  /** Whether a walk test is running: then a tamper signal is part of it. */
  readonly isWalkTest: () => boolean;
}

/** A faulty zone is restored after this time without a further failure. */
const FAULTY_RESTORE_MS = 600_000;

/**
 * Faults of zones. A fault is stored in the journal like a trip and becomes work for a technician: one record for each
 * zone and fault, with later changes in its notes.
 */
export class ZoneFaults {
  readonly #options: ZoneFaultsOptions;
  readonly #signsOfLife: SignsOfLife;
  #unavailable: UnavailableSources;
  readonly #timer: DeadlineTimer;
  /** Time of the last failure of a faulty zone, monotonic. */
  readonly #faultyMs = new Map<string, number>();
  /** The checks whose last run has failed. */
  readonly #failed = new Set<string>();
  readonly #tested: TestedTampers;
  #zones: readonly Zone[];

  constructor(options: ZoneFaultsOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#signsOfLife = new SignsOfLife(options);
    this.#unavailable = new UnavailableSources(options);
    this.#tested = new TestedTampers(options.journal);
    this.#timer = new DeadlineTimer(options.clock, () => this.#checkUnavailable());
    for (const { fault, zoneId } of options.journal.faults.list())
      if (fault === "faulty") this.#faultyMs.set(zoneId, this.#nowMs);
  }

  /** Continues the grace periods that were running when the daemon stopped. */
  start(): void {
    this.#armTimer();
  }

  stop(): void {
    this.#timer.stop();
    this.#signsOfLife.stop();
  }

  /**
   * Processes a signal other than the contact.
   * @param live false for a retained message: an availability that it reports is not a sign of life
   * @throws any error of the journal; the signal should then be repeated
   */
  take(zone: Zone, signal: Exclude<ZoneSignal, { kind: "contact" }>, live: boolean): void {
    switch (signal.kind) {
      case "tamper":
        return this.set(zone, "tamper", signal.open);
      case "battery":
        return this.set(zone, "battery", signal.low);
      case "availability":
        return this.#setAvailable(zone, signal.up, signal.bridge ?? zone.id, live);
      case "listing":
        return this.#setListed(zone, signal.isListed);
      case "sign-of-life":
    }
  }

  /** Counts a message as a sign of life, unless the sensor's own availability is still offline, or its bridge misses it. */
  onSignOfLife(zone: Zone): void {
    if (!this.#signsOfLife.has(zone.id)) return;
    this.#signsOfLife.note(zone.id);
    if (!this.#unavailable.hasSensor(zone)) this.set(zone, "supervision", false);
  }

  /** Whether no reading of a zone is to be expected now: its sensor or bridge is unavailable, or it is silent for too long. */
  isUnread(zone: Zone): boolean {
    return this.#unavailable.affects(zone) || this.#signsOfLife.isSilent(zone);
  }

  /** Called when a zone chatters, floods the journal or enters swinger shutdown. */
  reportFaulty(zone: Zone): void {
    this.#faultyMs.set(zone.id, this.#nowMs);
    this.set(zone, "faulty", true);
  }

  /** Checks supervision times and faulty zones; to be called every few seconds. */
  tick(): void {
    this.#checkUnavailable();
    this.#signsOfLife.tick();
    for (const zone of this.#zones) this.#attempt(zone, `zone ${zone.id}`, () => this.#check(zone));
  }

  /** Changes to the open faults under another configuration. */
  successors(zones: readonly Zone[]): FaultSuccession {
    const endOf = (zone: Zone, { fault, owner }: OpenFault) => this.#rowOf(zone, fault, true, owner);
    return faultSuccession(this.#zones, zones, this.#options.journal, endOf);
  }

  /** Uses other zones, after the journal has stored the result of `successors`. */
  exchange(zones: readonly Zone[]): void {
    const before = new Map(this.#zones.map((zone) => [zone.id, zone]));
    this.#signsOfLife.exchange(zones);
    for (const zone of zones) {
      const old = before.get(zone.id);
      if (!old || !isFaultKept("faulty", old, zone)) this.#faultyMs.delete(zone.id);
    }
    for (const id of this.#faultyMs.keys()) if (!this.#signsOfLife.has(id)) this.#faultyMs.delete(id);
    this.#zones = zones;
    this.#unavailable = new UnavailableSources({ ...this.#options, zones }, this.#unavailable);
    this.#armTimer();
    this.#options.onTrip();
  }

  /**
   * Opens or closes a fault; does nothing if it is in that state already.
   * @param of owner of the fault: the zone, or the bridge of several zones
   */
  set(zone: Zone, fault: Fault, exists: boolean, of = zone.id): void {
    const { journal, log } = this.#options;
    const open = journal.faults.find(of, fault);
    if ((open !== undefined) === exists) return;
    if (exists) this.#open(zone, fault, of);
    else {
      // A test has no intervention in which its end could be noted.
      const trips = open && isOfTest(journal, open) ? [] : [this.#rowOf(zone, fault, true, of)];
      journal.commit({ zoneId: zone.id, trips, closed: { owner: of, fault } });
    }
    log.warn(exists ? "zone-fault" : "zone-fault-restored", { zone: zone.id, fault, of });
    this.#options.onTrip();
  }

  #open(zone: Zone, fault: Fault, of: string): void {
    const row = this.#rowOf(zone, fault, false, of);
    const opened = { owner: of, fault, zoneId: zone.id, key: row.key, sinceWallMs: row.moment.wallMs };
    this.#options.journal.commit({ zoneId: zone.id, trips: [row], opened });
    if (fault === "tamper") this.#tested.add(zone.id);
  }

  /** A tamper that a walk test has opened and that is still there after it is work for a technician. */
  #reopen(zone: Zone): void {
    this.#open(zone, "tamper", zone.id);
    this.#options.onTrip();
  }

  #rowOf(zone: Zone, fault: Fault, isOver: boolean, of: string) {
    const { newKey, bootId, clock, time, site, isWalkTest } = this.#options;
    const isTest = !isOver && fault === "tamper" && isWalkTest();
    return newFault(
      zone,
      {
        key: newKey(),
        fault,
        of,
        isOver,
        moment: { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs: this.#nowMs },
        isDated: time.isTrusted(),
        ...(of === zone.id ? {} : { behind: this.#unavailable.zonesOf(of) }),
        disposition: isTest ? { state: "test", reason: "walk test" } : { state: "waiting", reason: null },
      },
      site,
    );
  }

  #setAvailable(zone: Zone, up: boolean, of: string, live: boolean): void {
    if (!this.#signsOfLife.has(zone.id)) return;
    if (up) this.#returned(zone, of, live);
    else this.#unavailable.add(of, zone);
    this.#checkUnavailable();
  }

  #returned(zone: Zone, of: string, live: boolean): void {
    const wasUnavailable = this.#unavailable.has(of);
    this.#unavailable.remove(of);
    if (!isOfSensor(of, zone)) {
      // A sensor cannot be received while its bridge is offline: its supervision time starts again.
      if (wasUnavailable) for (const { id } of this.#unavailable.zonesOf(of)) this.#signsOfLife.note(id);
      this.set(zone, "supervision", false, of);
    } else if (live) this.onSignOfLife(zone);
    else if (wasUnavailable && !this.#unavailable.hasSensor(zone) && !this.#signsOfLife.isSilent(zone))
      // Whatever its bridge reports, which has a fault of its own: nothing reports the return of the sensor again.
      this.set(zone, "supervision", false);
  }

  /** A list with the sensor is no sign of life, only the end of a loss; a list like the last one changes nothing. */
  #setListed(zone: Zone, isListed: boolean): void {
    const of = unlistedOf(zone.id);
    if (this.#unavailable.has(of) === isListed) this.#setAvailable(zone, isListed, of, false);
  }

  /** Reports sources that are unavailable for longer than their grace period, when it ends. */
  #checkUnavailable(): void {
    for (const { of, atMs } of this.#unavailable.deadlines()) {
      const [zone] = this.#unavailable.zonesOf(of);
      if (!zone || atMs > this.#nowMs) continue;
      const owner = isOfSensor(of, zone) ? zone.id : of;
      this.#attempt(zone, `source ${of}`, () => this.set(zone, "supervision", true, owner));
    }
    this.#armTimer();
  }

  /** Runs a check, which the next one repeats if it fails; its error is logged once, not each time. */
  #attempt({ id }: Zone, check: string, run: () => void): void {
    try {
      run();
      this.#failed.delete(check);
    } catch (error) {
      if (!this.#failed.has(check)) this.#options.log.error("zone-fault-write-failed", { zone: id, error });
      this.#failed.add(check);
      this.#options.journal.noteError(error);
    }
  }

  #armTimer(): void {
    this.#timer.arm(this.#unavailable.deadlines().flatMap(({ atMs }) => (atMs > this.#nowMs ? [atMs] : [])));
  }

  #check(zone: Zone): void {
    if (!this.#signsOfLife.has(zone.id)) return;
    if (this.#signsOfLife.isSilent(zone) && !this.#unavailable.affects(zone))
      this.set(zone, "supervision", true);
    if (!this.#options.isWalkTest()) this.#tested.release(zone.id, () => this.#reopen(zone));
    const faultyMs = this.#faultyMs.get(zone.id);
    if (faultyMs === undefined) return;
    const { journal, clock } = this.#options;
    const counters = applicableCounters(zone, journal.swingers.find(zone.id), clock.wallMs());
    const isInShutdown = isShutDown(zone, counters);
    const restoreAfterMs = isInShutdown ? resetAfterQuietMs(zone) : FAULTY_RESTORE_MS;
    if (this.#nowMs - faultyMs < restoreAfterMs) return;
    this.set(zone, "faulty", false);
    this.#faultyMs.delete(zone.id);
    if (isInShutdown) journal.swingers.forget(zone.id);
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

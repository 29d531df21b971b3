import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import { isShutDown, quietResetMs } from "../domain/swinger.ts";
import { newFault } from "../domain/trip-rows.ts";
import type { TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneSignal } from "../domain/zone-signal.ts";
import { isFaultKept } from "../domain/zone-changes.ts";
import type { OpenFault } from "../store/faults.ts";
import type { Journal } from "../store/journal.ts";
import { faultSuccession, type FaultSuccession } from "./fault-reload.ts";
import { LostSources } from "./unavailable-sources.ts";
import { DeadlineTimer } from "./deadline-timer.ts";

export interface ZoneFaultsOptions {
  readonly zones: readonly Zone[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly bootId: string;
  readonly time: TrustedTime;
  readonly site: TripSite;
  readonly log: Log;
  readonly newKey: () => string;
  /** Whether a walk test is running: then a cover that is opened is part of it. */
  readonly isWalkTest: () => boolean;
  /** Told after a fault was written down. */
  readonly onFault: () => void;
}

/** A zone that was faulty has calmed down when it has not tripped for so long. */
const FAULTY_RESTORE_MS = 600_000;

/**
 * What is wrong with the zones themselves. A fault is written to the journal like a trip and becomes work for a
 * technician: one record for each zone and fault, and what comes later is noted on it.
 */
export class ZoneFaults {
  readonly #options: ZoneFaultsOptions;
  /** The last sign of life of each zone, monotonic. */
  readonly #heardMs = new Map<string, number>();
  #lost: LostSources;
  readonly #timer: DeadlineTimer;
  /** When a zone was last faulty, monotonic. */
  readonly #unrestMs = new Map<string, number>();
  #zones: readonly Zone[];

  constructor(options: ZoneFaultsOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#lost = new LostSources(options);
    this.#timer = new DeadlineTimer(options.clock, () => this.#lookAtLost());
    for (const { id } of options.zones) this.#heardMs.set(id, this.#nowMs);
    for (const { fault, zoneId } of options.journal.faults.list())
      if (fault === "faulty") this.#unrestMs.set(zoneId, this.#nowMs);
  }

  /** Goes on with the graces that were running when the daemon stopped. */
  start(): void {
    this.#armLost();
  }

  stop(): void {
    this.#timer.stop();
  }

  /**
   * Takes what a source says besides the contact.
   * @throws whatever the journal threw; the signal should be given again then
   */
  take(zone: Zone, signal: Exclude<ZoneSignal, { kind: "contact" }>): void {
    switch (signal.kind) {
      case "tamper":
        return this.set(zone, "tamper", signal.open);
      case "battery":
        return this.set(zone, "battery", signal.low);
      case "availability":
        return this.#available(zone, signal.up, signal.bridge ?? zone.id);
      case "sign-of-life":
    }
  }

  /** Anything that a sensor says shows that it lives, unless its own availability still says that it does not. */
  heard(zone: Zone): void {
    if (!this.#heardMs.has(zone.id)) return;
    this.#heardMs.set(zone.id, this.#nowMs);
    if (!this.#lost.has(zone.id)) this.set(zone, "supervision", false);
  }

  /** A zone chatters, floods the journal or was shut down. */
  reportFaulty(zone: Zone): void {
    this.#unrestMs.set(zone.id, this.#nowMs);
    this.set(zone, "faulty", true);
  }

  /** Looks for sensors that have fallen silent and zones that have calmed down; to be called every few seconds. */
  tick(): void {
    this.#lookAtLost();
    for (const zone of this.#zones) {
      try {
        this.#look(zone);
      } catch (error) {
        // The fault stays to be seen at the next look.
        this.#options.log.error("zone-fault-write-failed", { zone: zone.id, error });
      }
    }
  }

  /** What another configuration does to the open faults. */
  successors(zones: readonly Zone[]): FaultSuccession {
    const wallMs = Math.round(this.#options.clock.wallMs());
    const endOf = (zone: Zone, { fault, owner }: OpenFault) => this.#rowOf(zone, fault, true, owner, wallMs);
    return faultSuccession(this.#zones, zones, this.#options.journal, endOf);
  }

  /** Goes on with other zones, after the journal has stored what `successors` returned. */
  exchange(zones: readonly Zone[]): void {
    const before = new Map(this.#zones.map((zone) => [zone.id, zone]));
    const heardMs = new Map(this.#heardMs);
    this.#heardMs.clear();
    for (const zone of zones) {
      const old = before.get(zone.id);
      const isKept = old !== undefined && isFaultKept("supervision", old, zone);
      this.#heardMs.set(zone.id, (isKept ? heardMs.get(zone.id) : undefined) ?? this.#nowMs);
      if (!old || !isFaultKept("faulty", old, zone)) this.#unrestMs.delete(zone.id);
    }
    for (const id of this.#unrestMs.keys()) if (!this.#heardMs.has(id)) this.#unrestMs.delete(id);
    this.#zones = zones;
    this.#lost = new LostSources({ ...this.#options, zones });
    this.#armLost();
    this.#options.onFault();
  }

  /**
   * Opens or closes a fault; what is so already is left alone.
   * @param of what has it: the zone, or the bridge that several zones are behind
   */
  set(zone: Zone, fault: Fault, exists: boolean, of = zone.id): void {
    const { journal, clock, log } = this.#options;
    const open = journal.faults.find(of, fault);
    if ((open !== undefined) === exists) return;
    const wallMs = Math.round(clock.wallMs());
    const row = this.#rowOf(zone, fault, !exists, of, wallMs);
    if (exists)
      journal.commit({
        zoneId: zone.id,
        trips: [row],
        opened: { owner: of, fault, zoneId: zone.id, key: row.key, sinceWallMs: wallMs },
      });
    else {
      // What was only a test has no work that its end could be noted on.
      const wasTest = open !== undefined && journal.trips.find(open.key)?.state === "test";
      journal.commit({ zoneId: zone.id, trips: wasTest ? [] : [row], closed: { owner: of, fault } });
    }
    log.warn(exists ? "zone-fault" : "zone-fault-restored", { zone: zone.id, fault, of });
    this.#options.onFault();
  }

  #rowOf(zone: Zone, fault: Fault, isOver: boolean, of: string, wallMs: number) {
    const { newKey, bootId, time, site, isWalkTest } = this.#options;
    const isTest = fault === "tamper" && isWalkTest();
    return newFault(
      zone,
      {
        key: newKey(),
        fault,
        of,
        isOver,
        moment: { wallMs, bootId, monotonicMs: this.#nowMs },
        isDated: time.isTrusted(),
        ...(of === zone.id ? {} : { behind: this.#lost.zonesOf(of) }),
        disposition: isTest ? { state: "test", reason: "walk test" } : { state: "waiting", reason: null },
      },
      site,
    );
  }

  #available(zone: Zone, up: boolean, of: string): void {
    if (!this.#heardMs.has(zone.id)) return;
    if (!up) this.#lost.add(of, zone);
    else {
      this.#lost.remove(of);
      // A sensor could not be received while its bridge was away: its silence begins again.
      if (of === zone.id) this.heard(zone);
      else this.#heardMs.set(zone.id, this.#nowMs);
      this.set(zone, "supervision", false, of);
    }
    this.#lookAtLost();
  }

  /** Reports what is lost for longer than its grace, at the moment when that ends. */
  #lookAtLost(): void {
    for (const { of, atMs } of this.#lost.dues()) {
      const [zone] = this.#lost.zonesOf(of);
      if (!zone || atMs > this.#nowMs) continue;
      try {
        this.set(zone, "supervision", true, of);
      } catch (error) {
        // The next look tries again.
        this.#options.log.error("zone-fault-write-failed", { zone: zone.id, error });
      }
    }
    this.#armLost();
  }

  #armLost(): void {
    this.#timer.arm(this.#lost.dues().flatMap(({ atMs }) => (atMs > this.#nowMs ? [atMs] : [])));
  }

  #look(zone: Zone): void {
    const lastMs = this.#heardMs.get(zone.id);
    if (lastMs === undefined) return;
    const isSilent = zone.silenceMs !== null && this.#nowMs - lastMs >= zone.silenceMs;
    if (isSilent && !this.#lost.concern(zone)) this.set(zone, "supervision", true);
    const unrestMs = this.#unrestMs.get(zone.id);
    if (unrestMs === undefined) return;
    const isShut = isShutDown(zone, this.#options.journal.swingers.find(zone.id));
    const calmMs = isShut ? quietResetMs(zone) : FAULTY_RESTORE_MS;
    if (this.#nowMs - unrestMs < calmMs) return;
    this.set(zone, "faulty", false);
    this.#unrestMs.delete(zone.id);
    if (isShut) this.#options.journal.swingers.forget(zone.id);
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

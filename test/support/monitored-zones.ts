import { onTestFinished } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import type { NewEvent } from "../../src/domain/event.ts";
import { resolveGate } from "../../src/domain/gate.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { resolveProfiles, resolveZone } from "../../src/domain/zone-rules.ts";
import type { Contact, Zone } from "../../src/domain/zone.ts";
import type { ZoneEngine } from "../../src/inputs/zone-engine.ts";
import { ZoneService, type ZoneServiceOptions } from "../../src/inputs/zone-service.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import type { Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { Journal } from "../../src/store/journal.ts";
import { OffDiskChanges } from "../../src/store/journal-changes.ts";
import { ManualClock } from "./manual-clock.ts";

/** A zone with all options set, at building 12 by default. */
export function zoneOf(options: Partial<ZoneOptions> & Pick<ZoneOptions, "input">): Zone {
  const zone = resolveZone(
    {
      id: "front-door",
      name: "Front door",
      kind: "intrusion",
      objective: { type: "obiective/cladiri", id: 12 },
      ...options,
    },
    resolveProfiles({}),
  );
  if (!zone) throw new Error("the zone names an unknown profile");
  return zone;
}

/** Key of an arming condition that follows a message. */
export function gateIdOf(options: Extract<ZoneOptions["gate"], { mqtt: string }>): string {
  const gate = resolveGate(options);
  if (gate?.by !== "mqtt") throw new Error("the gate follows no message");
  return gate.id;
}

/** A zone engine with a real journal and a manual clock. */
export class MonitoredZones {
  readonly clock: ManualClock;
  readonly logLines: Record<string, unknown>[] = [];
  readonly log: JsonLog;
  readonly health: ConditionRegistry;
  readonly database: Database;
  readonly journal: Journal;
  zones: readonly Zone[];
  /** Number of trip notifications. */
  hints = 0;
  /** Entries of the event log. */
  readonly events: NewEvent[] = [];
  /** State of the machine at the next start of the daemon; its clock is trusted by default. */
  host = { bootId: "boot-1", upMs: 864_000_000, time: { isTrusted: () => this.isClockTrusted } };
  isClockTrusted = true;
  siteName = "Hala Nord";
  #zoneService: ZoneService;
  #trips = 0;

  readonly #zoneInRecord: ZoneServiceOptions["zoneInRecord"];
  readonly #newKey: () => string;

  /**
   * @param options `zoneInRecord`: text of a zone in an intervention, its name by default; `clock`: its own by
   * default
   */
  constructor(
    zones: readonly Zone[],
    {
      journalPath = ":memory:",
      zoneInRecord = () => ({ cover: "named", changedWallMs: null }),
      clock = new ManualClock(),
      offDiskFile,
      newKey = () => `trip-${(this.#trips += 1)}`,
    }: {
      readonly clock?: ManualClock;
      readonly journalPath?: string;
      readonly zoneInRecord?: ZoneServiceOptions["zoneInRecord"];
      /** Path of the fallback journal. */
      readonly offDiskFile?: string;
      /** Keys of trips; numbered by default. */
      readonly newKey?: () => string;
    } = {},
  ) {
    this.clock = clock;
    const write = (line: string): void =>
      void this.logLines.push(JSON.parse(line) as Record<string, unknown>);
    this.log = new JsonLog({ level: "debug", clock, write });
    this.health = new ConditionRegistry(clock, this.log);
    this.zones = zones;
    this.#zoneInRecord = zoneInRecord;
    this.#newKey = newKey;
    this.database = openJournalDatabase(journalPath);
    this.journal = new Journal(this.database, this.clock, new OffDiskChanges(offDiskFile));
    this.#zoneService = this.#newWatch();
  }

  /** Zones that are stopped and closed when the test is over. */
  static forTest(...made: ConstructorParameters<typeof MonitoredZones>): MonitoredZones {
    const zones = new MonitoredZones(...made);
    onTestFinished(() => zones.close());
    return zones;
  }

  get zoneService(): ZoneService {
    return this.#zoneService;
  }

  get monitor(): ZoneEngine {
    return this.#zoneService.monitor;
  }

  /** Dependencies of every input. */
  get common() {
    const { clock, log, zones, monitor } = this;
    const conditions = this.#zoneService.monitoringGaps;
    const { journal, host } = this;
    const record = (event: NewEvent): void => void this.events.push(event);
    const sources = { zones, monitor, journal, brokerCounts: journal.brokerCounts };
    const times = { bootId: host.bootId, incidentWindowMs: 1_800_000 };
    return { clock, log, conditions, record, ...sources, ...times };
  }

  /** Stops the daemon. */
  stop(): void {
    this.#zoneService.stop();
  }

  /** Restarts the daemon: state outside the journal is lost. @param zones of the configuration by then, the same by default */
  restart(zones = this.zones): void {
    this.#zoneService.stop();
    this.zones = zones;
    this.#zoneService = this.#newWatch();
  }

  /** Restarts the machine after a clean shutdown. */
  reboot(): void {
    this.#zoneService.stop();
    this.#boot();
  }

  /**
   * Cuts the power of the machine for a time. The old process has no further effect.
   * @param canWrite whether the disk can be written by then
   */
  losePower(forMs: number, { canWrite = true } = {}): void {
    this.breakJournal();
    this.#zoneService.stop();
    if (canWrite) this.repairJournal();
    this.clock.advance(forMs);
    this.#boot();
  }

  #boot(): void {
    const boots = Number(this.host.bootId.slice("boot-".length));
    this.host = { ...this.host, bootId: `boot-${boots + 1}`, upMs: 10_000 };
    this.#zoneService = this.#newWatch();
  }

  /** Makes every write to the journal fail, like a full or read-only disk. */
  breakJournal(): void {
    this.database.pragma("query_only = ON");
  }

  repairJournal(): void {
    this.database.pragma("query_only = OFF");
  }

  /** Trips and faults in the order of their commits. */
  get trips(): Trip[] {
    return this.journal.trips
      .newest(10_000)
      .filter(({ type }) => type !== "restore")
      .toReversed();
  }

  /** Closings in the order of their commits. */
  get restores(): Trip[] {
    return this.journal.trips
      .newest(10_000)
      .filter(({ type }) => type === "restore")
      .toReversed();
  }

  /** Last known contact of a zone; undefined for an unknown zone. */
  contactOf(zoneId: string): Contact | undefined {
    return this.monitor.zones().find(({ zone }) => zone.id === zoneId)?.contact;
  }

  /** Open conditions as `code` or `code/subject`. */
  get conditions(): string[] {
    return this.health.list().map(({ code, subject }) => (subject ? `${code}/${subject}` : code));
  }

  logged(event: string): Record<string, unknown>[] {
    return this.logLines.filter((line) => line["event"] === event);
  }

  close(): void {
    this.#zoneService.stop();
    this.database.close();
  }

  #newWatch(): ZoneService {
    const zoneService = new ZoneService({
      zones: this.zones,
      journal: this.journal,
      clock: this.clock,
      host: this.host,
      log: this.log,
      conditions: this.health,
      site: { locale: "en", timezone: "Europe/Bucharest", standingAgainS: 900 },
      zoneInRecord: this.#zoneInRecord,
      newKey: this.#newKey,
      record: (event) => void this.events.push(event),
      onTrip: () => (this.hints += 1),
      identity: () => ({ name: this.siteName, ref: "hala-nord", timezone: "Europe/Bucharest" }),
    });
    zoneService.start();
    return zoneService;
  }
}

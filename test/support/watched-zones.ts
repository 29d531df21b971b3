import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import type { NewEvent } from "../../src/domain/event.ts";
import { resolveGate } from "../../src/domain/gate.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { resolveProfiles, resolveZone } from "../../src/domain/zone-rules.ts";
import type { Contact, Zone } from "../../src/domain/zone.ts";
import type { ZoneEngine } from "../../src/inputs/zone-engine.ts";
import { ZoneService, type ZoneWatchOptions } from "../../src/inputs/zone-service.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import type { Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { Journal } from "../../src/store/journal.ts";
import { OffDiskChanges } from "../../src/store/off-disk-changes.ts";
import { ManualClock } from "./manual-clock.ts";

/** A zone with every option filled in, at building 12 unless the options say otherwise. */
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

/** What the monitor calls a gate that follows a message. */
export function gateIdOf(options: Extract<ZoneOptions["gate"], { mqtt: string }>): string {
  const gate = resolveGate(options);
  if (gate?.by !== "mqtt") throw new Error("the gate follows no message");
  return gate.id;
}

/** A monitor over a real journal, with a clock that stands still until a test moves it. */
export class WatchedZones {
  readonly clock: ManualClock;
  readonly logLines: Record<string, unknown>[] = [];
  readonly log: JsonLog;
  readonly health: ConditionRegistry;
  readonly database: Database;
  readonly journal: Journal;
  readonly zones: readonly Zone[];
  /** How often the monitor said that there is a trip. */
  hints = 0;
  /** What was written into the event log. */
  readonly events: NewEvent[] = [];
  /** The machine, as the next start of the daemon finds it; its clock can be believed unless a test says otherwise. */
  host = { bootId: "boot-1", upMs: 864_000_000, time: { isTrusted: () => this.isClockTrusted } };
  isClockTrusted = true;
  #watch: ZoneService;
  #trips = 0;

  readonly #zoneInRecord: ZoneWatchOptions["zoneInRecord"];

  /** @param options `zoneInRecord`: what an intervention says of a zone; its name unless given; `clock`: one of its own unless given */
  constructor(
    zones: readonly Zone[],
    {
      journalPath = ":memory:",
      zoneInRecord = () => ({ cover: "named", changedWallMs: null }),
      clock = new ManualClock(),
      offDiskFile,
    }: {
      readonly clock?: ManualClock;
      readonly journalPath?: string;
      readonly zoneInRecord?: ZoneWatchOptions["zoneInRecord"];
      /** Where changes are kept that the disk does not take. */
      readonly offDiskFile?: string;
    } = {},
  ) {
    this.clock = clock;
    const write = (line: string): void =>
      void this.logLines.push(JSON.parse(line) as Record<string, unknown>);
    this.log = new JsonLog({ level: "debug", clock, write });
    this.health = new ConditionRegistry(clock, this.log);
    this.zones = zones;
    this.#zoneInRecord = zoneInRecord;
    this.database = openJournalDatabase(journalPath);
    this.journal = new Journal(this.database, this.clock, new OffDiskChanges(offDiskFile));
    this.#watch = this.#newWatch();
  }

  get watch(): ZoneService {
    return this.#watch;
  }

  get monitor(): ZoneEngine {
    return this.#watch.monitor;
  }

  /** What every input wants. */
  get common() {
    const { clock, log, zones, monitor } = this;
    const conditions = this.#watch.blindIntervals;
    const { journal, host } = this;
    const record = (event: NewEvent): void => void this.events.push(event);
    const sources = { zones, monitor, journal, brokerCounts: journal.brokerCounts };
    const times = { bootId: host.bootId, incidentWindowMs: 1_800_000 };
    return { clock, log, conditions, record, ...sources, ...times };
  }

  /** The daemon ends. */
  stop(): void {
    this.#watch.stop();
  }

  /** The daemon ends and starts again: what is not in the journal is gone. */
  restart(): void {
    this.#watch.stop();
    this.#watch = this.#newWatch();
  }

  /** The machine is restarted in good order. */
  reboot(): void {
    this.#watch.stop();
    this.#boot();
  }

  /** The machine loses its power for a while. What the old process still does touches nothing any more. */
  losePower(forMs: number): void {
    this.breakJournal();
    this.#watch.stop();
    this.repairJournal();
    this.clock.advance(forMs);
    this.#boot();
  }

  #boot(): void {
    const boots = Number(this.host.bootId.slice("boot-".length));
    this.host = { ...this.host, bootId: `boot-${boots + 1}`, upMs: 10_000 };
    this.#watch = this.#newWatch();
  }

  /** Makes every write to the journal fail, as a full or read-only disk does. */
  breakJournal(): void {
    this.database.pragma("query_only = ON");
  }

  repairJournal(): void {
    this.database.pragma("query_only = OFF");
  }

  /** The trips and faults in the order in which they were committed. */
  get trips(): Trip[] {
    return this.journal.trips
      .newest(10_000)
      .filter(({ type }) => type !== "restore")
      .toReversed();
  }

  /** The closings in the order in which they were committed. */
  get restores(): Trip[] {
    return this.journal.trips
      .newest(10_000)
      .filter(({ type }) => type === "restore")
      .toReversed();
  }

  /** What is known of a zone's contact; undefined for a zone that is not there. */
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
    this.#watch.stop();
    this.database.close();
  }

  #newWatch(): ZoneService {
    const watch = new ZoneService({
      zones: this.zones,
      journal: this.journal,
      clock: this.clock,
      host: this.host,
      log: this.log,
      conditions: this.health,
      site: { locale: "en", timezone: "Europe/Bucharest", standingAgainS: 900 },
      zoneInRecord: this.#zoneInRecord,
      newKey: () => `trip-${(this.#trips += 1)}`,
      record: (event) => void this.events.push(event),
      onTrip: () => (this.hints += 1),
    });
    watch.start();
    return watch;
  }
}

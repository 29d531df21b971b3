import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { resolveProfiles, resolveZone } from "../../src/domain/zone-rules.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { ZoneMonitor } from "../../src/inputs/zone-monitor.ts";
import { Health } from "../../src/ops/health.ts";
import { JsonLog } from "../../src/ops/log.ts";
import type { Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { Journal } from "../../src/store/journal.ts";
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

/** A monitor over a real journal, with a clock that stands still until a test moves it. */
export class WatchedZones {
  readonly clock = new ManualClock();
  readonly logLines: Record<string, unknown>[] = [];
  readonly log = new JsonLog({
    level: "debug",
    clock: this.clock,
    write: (line) => this.logLines.push(JSON.parse(line) as Record<string, unknown>),
  });
  readonly health = new Health(this.clock, this.log);
  readonly database: Database;
  readonly journal: Journal;
  readonly zones: readonly Zone[];
  /** How often the monitor said that there is a trip. */
  hints = 0;
  #monitor: ZoneMonitor;
  #trips = 0;

  constructor(zones: readonly Zone[], journalPath = ":memory:") {
    this.zones = zones;
    this.database = openJournalDatabase(journalPath);
    this.journal = new Journal(this.database);
    this.#monitor = this.#newMonitor();
  }

  get monitor(): ZoneMonitor {
    return this.#monitor;
  }

  /** What every input wants. */
  get common() {
    const { clock, log, health: conditions, zones, monitor } = this;
    const { takenMessages } = this.journal;
    return { clock, log, conditions, zones, monitor, takenMessages };
  }

  /** The daemon ends. */
  stop(): void {
    this.#monitor.stop();
  }

  /** The daemon ends and starts again: what is not in the journal is gone. */
  restart(): void {
    this.#monitor.stop();
    this.#monitor = this.#newMonitor();
  }

  /** Makes every write to the journal fail, as a full or read-only disk does. */
  breakJournal(): void {
    this.database.pragma("query_only = ON");
  }

  mendJournal(): void {
    this.database.pragma("query_only = OFF");
  }

  /** The trips in the order in which they were committed. */
  get trips(): Trip[] {
    return this.journal.trips.newest(10_000).toReversed();
  }

  /** Open conditions as `code` or `code/subject`. */
  get conditions(): string[] {
    return this.health.list().map(({ code, subject }) => (subject ? `${code}/${subject}` : code));
  }

  logged(event: string): Record<string, unknown>[] {
    return this.logLines.filter((line) => line["event"] === event);
  }

  close(): void {
    this.#monitor.stop();
    this.database.close();
  }

  #newMonitor(): ZoneMonitor {
    const monitor = new ZoneMonitor({
      zones: this.zones,
      journal: this.journal,
      clock: this.clock,
      log: this.log,
      conditions: this.health,
      site: { locale: "en", timezone: "Europe/Bucharest" },
      newKey: () => `trip-${(this.#trips += 1)}`,
      onTrip: () => (this.hints += 1),
    });
    monitor.start();
    return monitor;
  }
}

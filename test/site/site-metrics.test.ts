import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { SiteMetrics } from "../../src/site/site-metrics.ts";
import type { Database } from "../../src/store/database.ts";
import { transaction } from "../../src/store/transaction.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { TripStore } from "../../src/store/trips.ts";
import { NO_SITE } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tripRow } from "../support/trip-row.ts";

const BODY = { name: "Alarm", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;

let journal: Database;
let trips: TripStore;
let clock: ManualClock;
let metrics: SiteMetrics;
const { zoneId: id } = tripRow("any", BODY, 0);

beforeEach(() => {
  journal = openJournalDatabase(":memory:");
  trips = new TripStore(journal);
  clock = new ManualClock();
  metrics = new SiteMetrics({
    config: { dataDir: tmpdir(), metricsToken: null, upstream: null },
    clock,
    site: { ...NO_SITE, zones: { ...NO_SITE.zones, list: () => [{ id } as ZoneView] } },
    trips,
    centreObjectives: { lastRead: () => undefined },
    inputs: { brokerUse: undefined },
    log: new JsonLog({ level: "error", clock, write: () => {} }),
  });
});
afterEach(() => void journal.close());

function add(from: number, to: number): void {
  transaction(journal, () => {
    for (let number = from; number < to; number += 1) trips.insert(tripRow(`t${number}`, BODY, 0));
  });
}

function counted(): string | undefined {
  return /^santinela_zone_trips_total\{.*\} (\d+)$/m.exec(metrics.text())?.[1];
}

test("a long journal is counted in parts, and no partial count is shown", () => {
  add(0, 12_000);
  const stop = metrics.start();
  expect(counted()).toBeUndefined();
  clock.advance(1_000);
  expect(counted()).toBe("12000");
  add(12_000, 12_003);
  expect(counted()).toBe("12003");
  stop();
});

test("a journal that cannot be counted delays no other start or metric", () => {
  add(0, 3);
  journal.exec("ALTER TABLE trips RENAME TO unreadable");
  const stop = metrics.start();
  expect(counted()).toBeUndefined();
  expect(metrics.text()).toContain("santinela_build_info");
  journal.exec("ALTER TABLE unreadable RENAME TO trips");
  expect(counted()).toBe("3");
  stop();
});

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import type { ZoneView } from "../../src/http/site/zone-port.ts";
import { SiteMetrics } from "../../src/site/site-metrics.ts";
import { transaction } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { TripStore } from "../../src/store/trips.ts";
import { NO_SITE } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tripRow } from "../support/trip-row.ts";

const BODY = { name: "Alarm", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;

test("a long journal is counted in parts, and no number is told before it is the whole", () => {
  const journal = openJournalDatabase(":memory:");
  const trips = new TripStore(journal);
  const add = (from: number, to: number): void =>
    transaction(journal, () => {
      for (let number = from; number < to; number += 1) trips.insert(tripRow(`t${number}`, BODY, 0));
    });
  add(0, 12_000);
  const { zoneId: id } = tripRow("any", BODY, 0);
  const clock = new ManualClock();
  const metrics = new SiteMetrics({
    config: { dataDir: tmpdir(), metricsToken: null, upstream: null },
    clock,
    site: { ...NO_SITE, zones: { ...NO_SITE.zones, list: () => [{ id } as ZoneView] } },
    trips,
    centreObjectives: { walk: () => undefined },
  });
  const counted = (): string | undefined =>
    /^santinela_zone_trips_total\{.*\} (\d+)$/m.exec(metrics.text())?.[1];
  const stop = metrics.start();
  expect(counted()).toBeUndefined();
  clock.advance(1_000);
  expect(counted()).toBe("12000");
  add(12_000, 12_003);
  expect(counted()).toBe("12003");
  stop();
  journal.close();
});

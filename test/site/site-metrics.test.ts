import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ZoneView } from "../../src/site/zone-view.ts";
import type { MessageCountView } from "../../src/site/status-view.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { SiteMetrics } from "../../src/site/site-metrics.ts";
import { CountedTripStore } from "../../src/store/counted-trips.ts";
import type { Database } from "../../src/store/database.ts";
import { transaction } from "../../src/store/transaction.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { EntryDelayStore } from "../../src/store/pending-trips.ts";
import { TripStore } from "../../src/store/trips.ts";
import { NO_SITE } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tripRow } from "../support/trip-row.ts";

const BODY = { name: "Alarm", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;

let journal: Database;
let trips: TripStore;
let clock: ManualClock;
let metrics: SiteMetrics;
let messages: MessageCountView[];
const { zoneId: id } = tripRow("any", BODY, 0);

beforeEach(() => {
  journal = openJournalDatabase(":memory:");
  trips = new TripStore(journal);
  clock = new ManualClock();
  messages = [];
  metrics = new SiteMetrics({
    config: { dataDir: tmpdir(), upstream: null },
    clock,
    site: {
      status: () => ({ ...NO_SITE.status(), messages }),
      zones: { ...NO_SITE.zones, list: () => [{ id } as ZoneView] },
    },
    countedTrips: new CountedTripStore(journal),
    centreObjectives: { lastRead: () => undefined },
    threads: () => new Map([["front", { heapBytes: 7, longestDelayS: 0.5 }]]),
    inputs: { brokerUse: undefined, alarmPanelUse: undefined },
    log: new JsonLog({ level: "error", clock, write: () => {} }),
  });
});
afterEach(() => void journal.close());

function add(from: number, to: number): void {
  transaction(journal, () => {
    for (let number = from; number < to; number += 1) trips.insert(tripRow(`t${number}`, BODY, 0));
  });
}

async function counted(): Promise<string | undefined> {
  return /^santinela_zone_trips_total\{.*\} (\d+)$/m.exec(await metrics.text())?.[1];
}

test("a trip that is cancelled in its entry delay counts as suppressed, although the metrics were read in between", async () => {
  const delays = new EntryDelayStore(journal);
  add(0, 2);
  delays.add({ key: "t1", zoneId: id, due: { wallMs: 0, bootId: "boot", monotonicMs: 0 } });
  add(2, 3);
  expect(await counted()).toBe("2");
  delays.cancel("t1", "disarmed");
  expect(await counted()).toBe("3");
  expect(await counted()).toBe("3");
  expect(await metrics.text()).toMatch(/^santinela_zone_suppressed_total\{.*reason="cancelled".*\} 1$/m);
});

test("trips after one in its entry delay count at once, and that one when its delay ends", async () => {
  const delays = new EntryDelayStore(journal);
  const due = { wallMs: 0, bootId: "boot", monotonicMs: 0 };
  add(0, 1);
  delays.add({ key: "t0", zoneId: id, due });
  expect(await counted()).toBe("0");
  add(1, 3);
  delays.add({ key: "t2", zoneId: id, due });
  expect(await counted()).toBe("1");
  delays.release("t0");
  add(3, 4);
  expect(await counted()).toBe("3");
  delays.release("t2");
  expect(await counted()).toBe("4");
  expect(await counted()).toBe("4");
  expect(await metrics.text()).not.toMatch(/^santinela_zone_suppressed_total\{/m);
});

test("each thread has its heap, the calling one included, and its longest delay", async () => {
  const text = await metrics.text();
  expect(text).toContain('santinela_thread_delay_seconds{thread="front"} 0.5\n');
  expect(text).toContain('santinela_thread_heap_bytes{thread="front"} 7\n');
  expect(text).toMatch(/^santinela_thread_heap_bytes\{thread="sensing"\} [1-9]\d{6,}$/m);
});

test("a long journal is counted in parts, and no partial count is shown", async () => {
  add(0, 12_000);
  const stop = metrics.start();
  expect(await counted()).toBeUndefined();
  clock.advance(1_000);
  expect(await counted()).toBe("12000");
  add(12_000, 12_003);
  expect(await counted()).toBe("12003");
  stop();
});

test("a journal that cannot be counted delays no other start or metric", async () => {
  add(0, 3);
  journal.exec("ALTER TABLE trips RENAME TO unreadable");
  const stop = metrics.start();
  expect(await counted()).toBeUndefined();
  expect(await metrics.text()).toContain("santinela_build_info");
  journal.exec("ALTER TABLE unreadable RENAME TO trips");
  expect(await counted()).toBe("3");
  stop();
});

test("a topic with quotes, backslashes and line breaks is one line", async () => {
  messages = [{ topic: 'q"\\\n', reason: "no-zone", count: 1 }];
  expect(await metrics.text()).toContain(
    'santinela_mqtt_messages_ignored_total{topic="q\\"\\\\\\n",reason="no-zone"} 1\n',
  );
  messages = [];
  expect(await metrics.text()).not.toContain('reason="no-zone"');
});

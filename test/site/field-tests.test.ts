import { expect, test } from "vitest";
import type { OutboxEntry } from "../../src/domain/outbox.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { SiteTests } from "../../src/site/field-tests.ts";
import type { SiteParts } from "../../src/site/site-parts.ts";

const TEST = { key: "k", type: "signal", zoneId: "door", moment: { wallMs: 0 }, interventionId: 7 } as Trip;
const WAITING = { phase: "new", upstreamId: null, lastError: null } as unknown as OutboxEntry;

test("a signal test waits for a dispatch centre that a reload has added", () => {
  const config = { upstream: null as object | null };
  const parts = {
    journal: { trips: { find: () => TEST } },
    outbox: { find: () => WAITING },
    // Its record was deleted.
    unfinished: { named: () => undefined },
    config,
  } as unknown as SiteParts;
  const tests = new SiteTests(parts, () => []);
  expect(tests.signal("k").isOver).toBe(true);
  config.upstream = {};
  expect(tests.signal("k").isOver).toBe(false);
});

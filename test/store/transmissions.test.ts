import { afterEach, beforeEach, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { removeOldTransmissions } from "../../src/store/retention.ts";
import { TransmissionStore } from "../../src/store/transmissions.ts";

let database: Database;
let store: TransmissionStore;
beforeEach(() => {
  database = openMainDatabase(":memory:");
  store = new TransmissionStore(database);
});
afterEach(() => void database.close());

function add(trip: string, createdMs: number): void {
  const event = { zoneId: "hall", pair: `zone/${trip}`, change: "new", token: "ADM-CID" } as const;
  const data = { data: "1130 01 001", ending: "3130 01 001", occurredMs: null };
  store.add({ trip, interventionId: 1, ...event, ...data, createdMs });
}

test("old transmissions are removed with age, but none that waits", () => {
  for (const [trip, createdMs] of [
    ["old and acknowledged", 1_000],
    ["old and waiting", 1_000],
    ["new", 5_000],
  ] as const)
    add(trip, createdMs);
  store.acknowledge(1, 1_500, "a");
  store.acknowledge(3, 5_500, "a");
  expect(removeOldTransmissions(database, 4_000)).toBe(1);
  expect(removeOldTransmissions(database, 4_000)).toBe(0);
  expect(store.ofRecord(1).map(({ trip }) => trip)).toEqual(["old and waiting", "new"]);
});

test("a trip has one transmission, however often it is added", () => {
  add("t", 1_000);
  add("t", 2_000);
  expect(store.ofRecord(1)).toHaveLength(1);
});

test("a zone keeps its number, and another one gets the smallest that is free", () => {
  const reserved = new Set([1, 3]);
  expect(store.zoneNumber("hall", reserved)).toBe(2);
  expect(store.zoneNumber("cellar", reserved)).toBe(4);
  expect(store.zoneNumber("hall")).toBe(2);
  // The configuration gives its number to another zone.
  expect(store.zoneNumber("hall", new Set([1, 2]))).toBe(3);
  expect(store.zoneNumber("hall")).toBe(3);
  for (let index = 0; index < 997; index += 1) store.zoneNumber(`zone-${index}`);
  expect(store.zoneNumber("one too many")).toBe(0);
});

test("a transmission that failed is due at its time, and at once if the clock was set back by more than any wait", () => {
  const nowMs = 1_000_000_000_000;
  add("t", nowMs);
  store.fail(1, "DUH", nowMs + 300_000);
  expect(store.nextDue(nowMs + 299_999)).toBeUndefined();
  expect(store.nextDue(nowMs - 200_000)).toBeUndefined();
  expect(store.nextDue(nowMs + 300_000)).toMatchObject({ trip: "t" });
  expect(store.nextDue(nowMs - 3 * 3_600_000)).toMatchObject({ trip: "t" });
});

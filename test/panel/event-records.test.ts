import { expect, test } from "vitest";
import { furtherChanges, logRows } from "../../src/panel/event-records.ts";
import { detailText, type DetailTexts } from "../../src/panel/event-detail.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";

const DEVICE = "device@santinela.local";
const TEXTS: DetailTexts = { detail: (name, value) => `${name}: ${value}`, value: () => undefined };

let second = 0;
function entry(who: string, event: string, subject: string, detail = {}): TimelineEntry {
  second -= 1;
  const at = new Date(Date.UTC(2026, 10, 20, 12) + second * 1_000).toISOString();
  return { at, who, event, subject, from: "127.0.0.1", detail };
}

const rowsOf = (...entries: TimelineEntry[]): string[] =>
  logRows(entries).map(
    ({ entry: { who, event }, records }) =>
      `${who} ${event}${records.map((record) => ` + ${record.event}`).join("")}`,
  );

test("a trip and what the daemon has written of it into its intervention are one row", () => {
  expect(
    rowsOf(
      entry(DEVICE, "intervention-changed", "intervention 1"),
      entry("zone hall", "trip", "intervention 2"),
      entry("zone door", "restore", "intervention 1"),
      entry(DEVICE, "intervention-created", "intervention 1"),
      entry("zone door", "trip", "intervention 1"),
    ),
  ).toEqual([
    "zone hall trip",
    "zone door restore + intervention-changed",
    "zone door trip + intervention-created",
  ]);
});

test("what a user, the dispatch centre or the sync has done of the intervention keeps its own row", () => {
  expect(
    rowsOf(
      entry("ana@example.ro", "intervention-changed", "intervention 1"),
      entry("dispatcher", "intervention-changed", "intervention 1"),
      entry("sync", "intervention-created", "intervention 1"),
      entry(DEVICE, "intervention-deleted", "intervention 1"),
      entry("zone door", "trip", "intervention 1"),
    ),
  ).toEqual([
    "ana@example.ro intervention-changed",
    "dispatcher intervention-changed",
    "sync intervention-created",
    `${DEVICE} intervention-deleted`,
    "zone door trip",
  ]);
});

test("what was written of one of several trips at once has rows of its own", () => {
  expect(
    rowsOf(
      entry(DEVICE, "intervention-changed", "intervention 1"),
      entry(DEVICE, "intervention-created", "intervention 1"),
      entry("zone hall", "trip", "intervention 1"),
      entry("zone door", "trip", "intervention 1"),
    ),
  ).toEqual([
    `${DEVICE} intervention-changed`,
    `${DEVICE} intervention-created`,
    "zone hall trip",
    "zone door trip",
  ]);
});

test("what the daemon has written after a user has changed the intervention stays above that", () => {
  expect(
    rowsOf(
      entry(DEVICE, "intervention-changed", "intervention 1"),
      entry("ana@example.ro", "intervention-changed", "intervention 1"),
      entry("zone door", "trip", "intervention 1"),
    ),
  ).toEqual([`${DEVICE} intervention-changed`, "ana@example.ro intervention-changed", "zone door trip"]);
});

test("what the daemon has written is a row of its own where its trip is not shown", () => {
  expect(
    rowsOf(
      entry(DEVICE, "intervention-changed", "intervention 1"),
      entry("zone door", "trip", ""),
      entry(DEVICE, "intervention-created", "intervention 1"),
    ),
  ).toEqual([`${DEVICE} intervention-changed`, "zone door trip", `${DEVICE} intervention-created`]);
});

test("a row says what changed of the intervention besides its notes", () => {
  const before = { notes: "a", priority: "medium" };
  const after = { notes: "a\nb", priority: "high" };
  const changed = entry(DEVICE, "intervention-changed", "intervention 1", { before, after });
  const noted = entry(DEVICE, "intervention-changed", "intervention 1", {
    before: { notes: "a" },
    after: { notes: "a\nb" },
  });
  const created = entry(DEVICE, "intervention-created", "intervention 1", { after: { name: "Alarm" } });
  expect(furtherChanges([noted, changed, created], TEXTS)).toBe("priority: medium → high");
  expect(detailText(changed.detail, TEXTS)).toBe("notes: + b, priority: medium → high");
});

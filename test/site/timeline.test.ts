import { expect, test } from "vitest";
import { SiteTimeline } from "../../src/site/timeline.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { PastTripStore } from "../../src/store/past-trips.ts";
import { TripStore } from "../../src/store/trips.ts";
import { FaultStore } from "../../src/store/faults.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tripRow } from "../support/trip-row.ts";

const ZONES = { zones: [{ id: "door" }, { id: "gate" }] };
const EVENT = {
  event: "signed-in",
  who: "ana@example.ro",
  from: "127.0.0.1",
  subject: "account",
  detail: {},
} as const;
const BODY = { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;

const OTHER_PARTS = {
  config: { zones: [] },
  clock: new ManualClock(),
  sync: { recordOf: async () => null },
  journeys: { find: () => null },
};

function story(eventTimes: number[], tripTimes: number[]) {
  const events = new EventLog(openMainDatabase(":memory:"));
  const journal = openJournalDatabase(":memory:");
  const trips = new TripStore(journal);
  for (const atMs of eventTimes) events.add(EVENT, atMs);
  for (const [index, atWallMs] of tripTimes.entries()) trips.insert(tripRow(`k${index}`, BODY, atWallMs));
  const faults = new FaultStore(journal);
  return new SiteTimeline({ ...OTHER_PARTS, events, trips, pastTrips: new PastTripStore(journal), faults });
}

test.each([
  ["both", [1000, 3000, 5000, 7000], [2000, 4000, 6000]],
  ["the event log alone", [1000, 2000, 3000], []],
  ["the trips alone", [], [1000, 2000, 3000]],
  ["entries of one moment", [1000, 1000, 1000], [1000, 1000]],
  ["entries across a backward clock step", [9000, 1000, 2000], [8000, 1500]],
  ["nothing", [], []],
])(
  "paging through %s returns every entry once, each table in its own order",
  (_what, eventTimes, tripTimes) => {
    const timeline = story(eventTimes, tripTimes);
    const whole = timeline.page(100);
    expect(whole.next).toBeNull();
    expect(whole.entries).toHaveLength(eventTimes.length + tripTimes.length);
    const walked = [];
    let page = timeline.page(2);
    walked.push(...page.entries);
    while (page.next) {
      page = timeline.page(2, page.next);
      walked.push(...page.entries);
    }
    expect(walked).toEqual(whole.entries);
  },
);

test("the newest entry is first, for either table", () => {
  const { entries } = story([1000, 4000], [2000, 3000]).page(10);
  expect(entries.map(({ event, at }) => [event, Date.parse(at)])).toEqual([
    ["signed-in", 4000],
    ["trip", 3000],
    ["trip", 2000],
    ["signed-in", 1000],
  ]);
});

test("the day of a zone has the trips of its day, also those before and after a time with a wrong clock", () => {
  const clock = new ManualClock();
  const journal = openJournalDatabase(":memory:");
  const trips = new TripStore(journal);
  const hoursAgo = (hours: number): number => clock.wallMs() - hours * 3_600_000;
  const insert = (hours: number, isDated = true): void => {
    const key = `${hours} hours ago`;
    trips.insert({ ...tripRow(key, BODY, isDated ? hoursAgo(hours) : 0), isDated });
  };
  for (const hours of [300, 30, 23, 20]) insert(hours);
  // After a power cut, without a battery clock.
  insert(19, false);
  for (const hours of [18, 1]) insert(hours);
  const timeline = new SiteTimeline({
    config: ZONES as never,
    clock,
    sync: { recordOf: async () => null },
    journeys: { find: () => null },
    events: new EventLog(openMainDatabase(":memory:")),
    trips,
    pastTrips: new PastTripStore(journal),
    faults: new FaultStore(journal),
  });
  const shown = (hours: number) => timeline.zones(hours).map(({ id, trips: times }) => [id, times]);
  const times = (...hours: number[]) => hours.map((one) => new Date(hoursAgo(one)).toISOString());
  expect(shown(24)).toEqual([
    ["door", times(23, 20, 18, 1)],
    ["gate", []],
  ]);
  expect(shown(168)).toEqual([
    ["door", times(30, 23, 20, 18, 1)],
    ["gate", []],
  ]);
});

test("a test trip of a zone with a sensor is marked in its entry", () => {
  const journal = openJournalDatabase(":memory:");
  const trips = new TripStore(journal);
  const row = tripRow("k", BODY, 1000);
  trips.insert({ ...row, signal: { ...row.signal, isTest: true } });
  trips.insert(tripRow("other", BODY, 2000));
  const events = new EventLog(openMainDatabase(":memory:"));
  const parts = { events, trips, pastTrips: new PastTripStore(journal), faults: new FaultStore(journal) };
  const { entries } = new SiteTimeline({ ...OTHER_PARTS, ...parts }).page(10);
  expect(entries.map(({ detail }) => detail["isTest"])).toEqual([undefined, true]);
});

/** A site whose trips are at these hours before now, oldest first. */
function pastOf(trips: readonly { readonly zoneId: string; readonly hours: number }[]) {
  const clock = new ManualClock();
  const journal = openJournalDatabase(":memory:");
  const store = new TripStore(journal);
  const hoursAgo = (hours: number): number => clock.wallMs() - hours * 3_600_000;
  journal.exec("BEGIN");
  for (const [index, { zoneId, hours }] of trips.entries())
    store.insert({ ...tripRow(`k${index}`, BODY, hoursAgo(hours)), zoneId });
  journal.exec("COMMIT");
  const timeline = new SiteTimeline({
    config: ZONES as never,
    clock,
    sync: { recordOf: async () => null },
    journeys: { find: () => null },
    events: new EventLog(openMainDatabase(":memory:")),
    trips: store,
    pastTrips: new PastTripStore(journal),
    faults: new FaultStore(journal),
  });
  return { timeline, isoAgo: (hours: number) => new Date(hoursAgo(hours)).toISOString() };
}

/** A trip of a quiet zone at the beginning of the week, and more of another one than are read, of the last three days. */
const BUSY_WEEK = [
  { zoneId: "door", hours: 100 },
  ...Array.from({ length: 10_001 }, (_, n) => ({ zoneId: "gate", hours: 72 - n / 150 })),
];

test("the history of a busy site says from when it is complete, instead of that a zone had no trip", () => {
  const { timeline, isoAgo } = pastOf(BUSY_WEEK);
  const shown = (hours: number) => timeline.zones(hours).map(({ id, completeSince }) => [id, completeSince]);
  // The trip of the door and the first of the gate are left out.
  expect(shown(168)).toEqual([
    ["door", isoAgo(72)],
    ["gate", isoAgo(72)],
  ]);
  expect(shown(24)).toEqual([
    ["door", null],
    ["gate", null],
  ]);
});

test("the history of one zone is not shortened by the trips of others", () => {
  const { timeline, isoAgo } = pastOf(BUSY_WEEK);
  const [door, ...others] = timeline.zones(168, "door");
  expect(door).toMatchObject({ id: "door", completeSince: null, trips: [isoAgo(100)] });
  expect(others).toEqual([]);
  expect(timeline.zones(168, "gate")).toMatchObject([{ id: "gate", completeSince: isoAgo(72) }]);
  expect(timeline.zones(24, "gate")).toMatchObject([{ completeSince: null }]);
  expect(timeline.zones(168, "cellar")).toEqual([]);
});

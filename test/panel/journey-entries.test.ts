import { expect, test } from "vitest";
import { withJourney } from "../../src/panel/journey-entries.ts";
import type { CentreJourneyView, JourneyView } from "../../src/site/journey-view.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";

const TRIP_AT = "2026-11-22T01:27:06.100Z";
const RECORD_AT = "2026-11-22T01:27:07.000Z";
const ARRIVED_AT = "2026-11-22T01:27:08.200Z";
const CHANGED_AT = "2026-11-22T01:29:40.000Z";

const CENTRE: CentreJourneyView = {
  phase: null,
  upstreamId: 88123,
  arrivedAt: ARRIVED_AT,
  tripWaitingSince: null,
  latestTrip: null,
  attempts: 0,
  nextAttemptAt: null,
  set: null,
  isUndelivered: false,
  isStopped: false,
};
const JOURNEY: JourneyView = {
  interventionId: 3,
  name: "Fum depozit",
  isAlarm: true,
  objective: { type: "obiective/cladiri", id: 12, name: "Hala Nord", address: null, city: null },
  zone: { id: "smoke", name: "Fum depozit", kind: "fire" },
  contactAt: TRIP_AT,
  isJournaled: true,
  recordedAt: RECORD_AT,
  refusal: null,
  priority: "high",
  status: "planned",
  services: ["firetruck"],
  centre: CENTRE,
  receiver: null,
};
const HISTORY = [
  entry("intervention-changed", "dispatch centre", CHANGED_AT),
  entry("intervention-created", "device@santinela.local", RECORD_AT),
  entry("trip", "zone smoke", TRIP_AT),
];

function entry(event: string, who: string, at: string): TimelineEntry {
  return { at, event, who, from: "", subject: "intervention 3", detail: {} };
}

const told = (entries: readonly TimelineEntry[]): string[] =>
  entries.map(({ at, event, subject, detail }) =>
    event === "record-arrived"
      ? `${at} ${subject} arrived as ${String(detail["upstreamId"])}`
      : `${at} ${event}`,
  );

test("the history of an alarm says that its trip is in the journal, and when it arrived and as which number", () => {
  expect(told(withJourney(HISTORY, JOURNEY))).toEqual([
    `${CHANGED_AT} intervention-changed`,
    `${ARRIVED_AT} intervention 3 arrived as 88123`,
    `${RECORD_AT} intervention-created`,
    `${TRIP_AT} journaled`,
    `${TRIP_AT} trip`,
  ]);
});

test("an arrival that the event log has is one line", () => {
  const logged = { ...entry("record-arrived", "sync", ARRIVED_AT), detail: { upstreamId: 88123 } };
  const whole = [...HISTORY.slice(0, 1), logged, ...HISTORY.slice(1)];
  expect(withJourney(whole, JOURNEY).filter(({ event }) => event === "record-arrived")).toEqual([logged]);
  // Sent again after the dispatch centre had lost it.
  const again = withJourney(whole, { ...JOURNEY, centre: { ...CENTRE, upstreamId: 88200 } });
  expect(again.filter(({ event }) => event === "record-arrived")).toHaveLength(2);
});

test("an alarm that waits has not arrived in its history", () => {
  const centre = { ...CENTRE, upstreamId: null, arrivedAt: null, attempts: 4 };
  const events = withJourney(HISTORY, { ...JOURNEY, centre }).map(({ event }) => event);
  expect(events).toEqual(["intervention-changed", "intervention-created", "journaled", "trip"]);
});

test("a trip before the clock was set is in the journal at the time of its entry", () => {
  const [last] = withJourney(HISTORY, { ...JOURNEY, contactAt: null, centre: null }).slice(-2);
  expect(last).toMatchObject({ event: "journaled", at: TRIP_AT });
});

test("a trip that is no longer among the entries has its line at the time of the contact", () => {
  const events = withJourney(HISTORY.slice(0, 1), JOURNEY).map(({ event }) => event);
  expect(events).toEqual(["intervention-changed", "record-arrived", "journaled"]);
});

test("the record of a user has only its arrival, and without a journey nothing is added", () => {
  const own = { ...JOURNEY, zone: null, contactAt: null, isJournaled: false };
  const created = HISTORY.slice(1, 2);
  expect(withJourney(created, own).map(({ event }) => event)).toEqual([
    "record-arrived",
    "intervention-created",
  ]);
  expect(withJourney(HISTORY, null)).toBe(HISTORY);
});

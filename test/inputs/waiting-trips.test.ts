import { expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import { PendingRestores, WaitingTrips } from "../../src/inputs/waiting-trips.ts";
import type { Journal } from "../../src/store/journal.ts";

/** What the order of dispatch depends on. */
type Entry = Pick<Trip, "seq" | "subject" | "zoneId" | "state" | "attempts" | "lastError">;

const entry = (seq: number, subject: string, state: Trip["state"] = "waiting"): Entry => ({
  seq,
  subject,
  zoneId: `zone-${subject}`,
  state,
  attempts: 0,
  lastError: null,
});
/** A trip whose last request got no answer. */
const unanswered = (seq: number, subject: string, attempts: number): Entry => ({
  ...entry(seq, subject),
  attempts,
  lastError: "unreachable: ECONNREFUSED",
});

/** The dispatch order of a journal with these trips, which a test may change. */
function orderOf(trips: Entry[], busy = new Set<string>()) {
  const waitingAfter = (after: number): Trip[] =>
    trips.filter(({ seq, state }) => seq > after && state === "waiting") as Trip[];
  const nextWaiting = (after: number, butOf: readonly string[] = []): Trip | undefined =>
    waitingAfter(after).find(({ subject }) => !butOf.includes(subject));
  const urgent = (after: number, butOf: readonly string[]): Trip | undefined =>
    waitingAfter(after).find(({ subject }) => subject.startsWith("fire/") && !butOf.includes(subject));
  const lastSeq = (): number => trips.at(-1)?.seq ?? 0;
  const isBusy = (subject: string): boolean => busy.has(subject);
  const waiting = new WaitingTrips({ trips: { nextWaiting, lastSeq }, unrecorded: { urgent } }, isBusy);
  const taken = (): number | undefined => waiting.take()?.seq;
  const takenUrgent = (): number | undefined => waiting.takeUrgent()?.seq;
  return { waiting, taken, takenUrgent, busy, isBusy };
}

test("a trip that has failed waits for the next run, and one of a free subject passes those of a busy one", () => {
  const { taken, waiting, busy } = orderOf([entry(1, "hall"), entry(2, "hall"), entry(3, "yard")]);
  expect(taken()).toBe(1);
  busy.add("hall");
  expect([taken(), taken()]).toEqual([3, undefined]);
  busy.delete("hall");
  // The first two are still waiting in the journal, as after a failure.
  expect([taken(), taken()]).toEqual([2, undefined]);
  waiting.refresh();
  expect(taken()).toBe(undefined);
  expect([1, 2, 3, 4].map((seq) => waiting.hasTaken({ seq }))).toEqual([true, true, true, false]);
});

test("a fire that is sent again beside another request holds up no other trip while it is under way", () => {
  const trips = [unanswered(1, "fire/1", 1), entry(2, "fire/2"), entry(3, "yard")];
  const { taken, takenUrgent, busy } = orderOf(trips);
  expect(taken()).toBe(2);
  busy.add("fire/2");
  expect(takenUrgent()).toBe(1);
  busy.add("fire/1");
  trips[1] = entry(2, "fire/2", "posted");
  busy.delete("fire/2");
  expect([taken(), taken()]).toEqual([3, undefined]);
});

test("a trip that was passed and decided otherwise since is not dispatched, nor is another one in its place", () => {
  const trips = [entry(1, "hall"), entry(2, "hall"), entry(3, "yard")];
  const { taken, busy } = orderOf(trips, new Set(["hall"]));
  expect(taken()).toBe(3);
  busy.delete("hall");
  trips[0] = entry(1, "hall", "refused");
  expect([taken(), taken()]).toEqual([2, undefined]);
  trips.push(entry(4, "yard"));
  expect([taken(), taken()]).toEqual([4, undefined]);
  // Nor if nothing else is waiting.
  busy.add("hall");
  trips.push(entry(5, "hall"));
  expect(taken()).toBe(undefined);
  trips.pop();
  busy.delete("hall");
  expect(taken()).toBe(undefined);
});

test("an older trip that appears is dispatched before the newer ones after a hint", () => {
  const trips = [entry(2, "hall"), entry(3, "yard"), entry(4, "roof")];
  const { taken, waiting, busy } = orderOf(trips, new Set(["hall"]));
  expect(taken()).toBe(3);
  trips.unshift(entry(1, "cellar"));
  waiting.refresh();
  expect(taken()).toBe(1);
  busy.delete("hall");
  expect([taken(), taken(), taken()]).toEqual([2, 4, undefined]);
});

test("at most 64 trips are passed, so that a long queue of one objective is not read for each trip", () => {
  const hall = Array.from({ length: 64 }, (_none, index) => entry(index + 1, "hall"));
  const { taken, busy } = orderOf([...hall, entry(65, "yard")], new Set(["hall"]));
  expect(taken()).toBe(undefined);
  busy.delete("hall");
  expect([taken(), taken()]).toEqual([1, 2]);
  busy.add("hall");
  expect(taken()).toBe(65);
});

test("a trip without an answer goes before all others of its subject", () => {
  const { taken, busy } = orderOf([
    unanswered(1, "hall", 5),
    entry(2, "hall"),
    unanswered(3, "hall", 1),
    entry(4, "yard"),
    unanswered(5, "yard", 1),
    unanswered(6, "fire/1", 2),
    entry(7, "fire/1"),
  ]);
  expect(taken()).toBe(4);
  busy.add("yard");
  // Then the one with the fewest attempts of those that are free.
  expect(taken()).toBe(6);
  busy.add("fire/1");
  expect(taken()).toBe(1);
  busy.add("hall");
  expect(taken()).toBe(undefined);
  busy.clear();
  expect([taken(), taken(), taken(), taken(), taken()]).toEqual([2, 7, 3, 5, undefined]);
});

test("a trip without an answer that was decided otherwise since is not dispatched, and those behind it are", () => {
  const trips = [unanswered(1, "hall", 3), entry(2, "hall"), entry(3, "yard")];
  const { taken } = orderOf(trips);
  expect(taken()).toBe(3);
  trips[0] = { ...unanswered(1, "hall", 3), state: "refused" };
  expect([taken(), taken()]).toEqual([2, undefined]);
});

test("however many trips wait, a fire passes those without an answer, in order with the fires of its objective", () => {
  const waiting = Array.from({ length: 70 }, (_none, index) => entry(index + 2, `room-${index % 7}`));
  const { taken, busy } = orderOf([
    unanswered(1, "hall", 1),
    ...waiting,
    unanswered(72, "fire/1", 1),
    entry(73, "fire/1"),
    entry(74, "fire/2"),
    entry(75, "fire/2"),
  ]);
  expect(taken()).toBe(72);
  busy.add("fire/1");
  expect(taken()).toBe(74);
  busy.add("fire/2");
  expect(taken()).toBe(1);
});

test("one of life safety is taken beside any other, the oldest of its subject, and once in a run", () => {
  const trips = [entry(1, "hall"), entry(2, "hall"), unanswered(3, "fire/1", 1), entry(4, "fire/1")];
  const { taken, takenUrgent, busy } = orderOf(trips);
  expect(taken()).toBe(1);
  busy.add("hall");
  expect(takenUrgent()).toBe(3);
  busy.add("fire/1");
  expect(takenUrgent()).toBe(undefined);
  trips.push(entry(5, "fire/2"), entry(6, "fire/2"), entry(7, "fire/3"));
  expect(takenUrgent()).toBe(5);
  busy.add("fire/2");
  expect(takenUrgent()).toBe(7);
  // Behind a trip without an answer, and behind one that a busy API has rejected, wait those of its subject.
  busy.clear();
  trips[4] = { ...entry(5, "fire/2"), attempts: 1, lastError: "503 busy" };
  expect(takenUrgent()).toBe(undefined);
  trips[4] = { ...entry(5, "fire/2"), attempts: 1, lastError: "500 failed" };
  expect([takenUrgent(), takenUrgent()]).toEqual([6, undefined]);
});

test("a fire passes more trips than others may, and the others pass those behind a repeated request", () => {
  const hall = Array.from({ length: 70 }, (_none, index) => entry(index + 2, "hall"));
  const trips = [entry(1, "hall"), ...hall, entry(72, "yard"), entry(73, "fire/1")];
  const { taken } = orderOf(trips, new Set(["hall"]));
  expect([taken(), taken()]).toEqual([73, undefined]);
  const retried = orderOf([unanswered(1, "hall", 1), ...trips.slice(1, -1)]);
  expect(retried.taken()).toBe(1);
  retried.busy.add("hall");
  expect([retried.taken(), retried.taken()]).toEqual([72, undefined]);
  retried.busy.delete("hall");
  expect([retried.taken(), retried.taken()]).toEqual([2, 3]);
});

test("however many trips of its subject wait behind one without an answer, others pass them", () => {
  const hall = Array.from({ length: 70 }, (_none, index) => entry(index + 2, "hall"));
  const { taken } = orderOf([unanswered(1, "hall", 3), ...hall, entry(72, "yard")]);
  expect([taken(), taken(), taken()]).toEqual([72, 1, 2]);
});

test("a restore is noted after the trip of its opening, one at a time, and none while the API is busy", () => {
  const opening = entry(1, "hall");
  const restores = [entry(2, "yard"), entry(3, "yard"), entry(4, "yard")];
  const { waiting, taken, busy, isBusy } = orderOf([opening]);
  const journal = {
    restores: {
      nextPending: (after: number) => restores.find(({ seq }) => seq > after),
      openingBefore: (zoneId: string, seq: number) =>
        zoneId === "zone-yard" && seq < 4 ? opening : undefined,
    },
  } as unknown as Pick<Journal, "restores">;
  const pending = new PendingRestores(journal, waiting, isBusy);
  const noted = (): unknown => {
    const restore = pending.take();
    return restore && [restore.trip.seq, restore.subject];
  };
  // Its opening is not dispatched yet.
  expect(noted()).toBe(undefined);
  expect(taken()).toBe(1);
  busy.add("hall");
  expect(noted()).toBe(undefined);
  busy.delete("hall");
  // In the record of its opening, whatever the objective of the zone is by now.
  expect([noted(), noted()]).toEqual([[2, "hall"], undefined]);
  pending.noted(false);
  expect(noted()).toEqual([3, "hall"]);
  pending.noted(false);
  expect(noted()).toEqual([4, "yard"]);
  pending.noted(false);
  expect(noted()).toBe(undefined);
  pending.noted(true);
  restores.push(entry(5, "roof"));
  expect(noted()).toBe(undefined);
});

import { expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import { PendingRestores, WaitingTrips } from "../../src/inputs/waiting-trips.ts";
import type { Journal } from "../../src/store/journal.ts";

/** What the order of dispatch depends on. */
type Entry = Pick<Trip, "seq" | "subject" | "zoneId" | "state">;

const entry = (seq: number, subject: string, state: Trip["state"] = "waiting"): Entry => ({
  seq,
  subject,
  zoneId: `zone-${subject}`,
  state,
});

/** The dispatch order of a journal with these trips, which a test may change. */
function orderOf(trips: Entry[], busy = new Set<string>()) {
  const nextWaiting = (after: number): Trip | undefined =>
    trips.find(({ seq, state }) => seq > after && state === "waiting") as Trip | undefined;
  const isBusy = (subject: string): boolean => busy.has(subject);
  const waiting = new WaitingTrips({ nextWaiting }, isBusy);
  const taken = (): number | undefined => waiting.take()?.seq;
  return { waiting, taken, busy, isBusy };
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

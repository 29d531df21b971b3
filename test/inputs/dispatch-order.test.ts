import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const at = (id: number) =>
  ({ objective: { type: "obiective/cladiri", id }, input: { simulated: true } }) as const;
const ZONES = [
  zoneOf({ id: "hall", ...at(1) }),
  zoneOf({ id: "hall-window", ...at(1) }),
  zoneOf({ id: "hall-door", ...at(1) }),
  zoneOf({ id: "hall-stairs", ...at(1) }),
  zoneOf({ id: "yard", ...at(2) }),
  zoneOf({ id: "yard-gate", ...at(2) }),
  zoneOf({ id: "roof", ...at(3) }),
  zoneOf({ id: "attic", ...at(3) }),
  zoneOf({ id: "smoke", kind: "fire", ...at(1) }),
  zoneOf({ id: "smoke-stairs", kind: "fire", ...at(1) }),
  zoneOf({ id: "smoke-yard", kind: "fire", ...at(2) }),
];

let site: DispatchingSite;
/** Requests that the API has not answered yet. */
let held: {
  readonly isWaiting: () => boolean;
  readonly answer: () => void;
  readonly lose: () => void;
}[];
let isHeld: (request: IncomingMessage) => boolean;

beforeEach(async () => {
  held = [];
  isHeld = () => false;
  site = await DispatchingSite.make(ZONES);
  site.intercept = (request: IncomingMessage, response: ServerResponse) => {
    if (!isHeld(request)) return false;
    held.push({
      isWaiting: () => !response.closed,
      answer: () => site.app.app(request, response),
      lose: () => request.socket.destroy(),
    });
    return true;
  };
  // From here on the API is known to accept trips.
  await site.trip("yard");
  await site.trip("roof");
});
afterEach(() => answerAll());

test("a trip is dispatched while the API takes long for one of another objective", async () => {
  await open("hall", { untilHeld: true });
  await open("yard");
  await joined("yard", 2);
  expect(isStillHeld()).toBe(true);
  answerAll();
  await site.settled();
  expect(site.records).toHaveLength(3);
});

test("a trip passes those that wait for a record of another objective, which stay in order", async () => {
  await open("hall", { untilHeld: true });
  await open("hall-window");
  await open("hall-door");
  await open("roof");
  await joined("roof", 2);
  expect(isStillHeld()).toBe(true);
  expect(statesOf("hall-window", "hall-door")).toEqual(["waiting", "waiting"]);
  answerAll();
  await site.settled();
  const record = site.records.find(({ objectiveId }) => objectiveId === 1);
  const notes = record?.notes ?? "";
  expect(notes.indexOf("hall-window")).toBeGreaterThan(-1);
  expect(notes.indexOf("hall-window")).toBeLessThan(notes.indexOf("hall-door"));
});

test("a trip is dispatched while the restore of another objective is being noted", async () => {
  isHeld = () => true;
  site.zones.monitor.read("yard", "normal", { live: true });
  site.requestDispatch();
  await eventually("the request of the restore", () => held.length === 1);
  isHeld = () => false;
  await open("roof");
  await joined("roof", 2);
  expect(isStillHeld()).toBe(true);
  expect(site.zones.journal.restores.nextPending(0)).toBeDefined();
});

test("a trip waits for the restore of its own objective, so that both are in the record", async () => {
  isHeld = () => true;
  site.zones.monitor.read("yard", "normal", { live: true });
  site.requestDispatch();
  await eventually("the request of the restore", () => held.length === 1);
  isHeld = () => false;
  await open("yard");
  expect(site.zones.journal.trips.nextWaiting(0)?.zoneId).toBe("yard");
  answerAll();
  await site.settled();
  expect(site.records.filter(({ objectiveId }) => objectiveId === 2)).toHaveLength(1);
  expect(statesOf("yard").at(-1)).toBe("merged");
});

test("a trip that has failed is tried again although others keep coming", async () => {
  site.intercept = (request, response) => {
    if (request.headers["idempotency-key"] === undefined || isOver) return false;
    response.writeHead(500).end("{}");
    return true;
  };
  let isOver = false;
  await open("hall");
  await eventually("the failure", () => site.zones.logged("trip-post-failed").length > 0);
  isOver = true;
  for (let turn = 0; turn < 20 && site.zones.journal.trips.nextWaiting(0) !== undefined; turn += 1) {
    await open("roof");
    site.zones.clock.advance(1_000);
    await eventually("the trip of the roof", () => statesOf("roof").every((state) => state !== "waiting"));
  }
  expect(statesOf("hall")).toEqual(["posted"]);
});

test("a trip whose requests never get an answer is passed by others after three attempts, and by a fire at once", async () => {
  let isOver = false;
  let unanswered = 0;
  await open("hall");
  await site.settled();
  const key = (): string | undefined => site.zones.trips.findLast(({ zoneId }) => zoneId === "hall")?.key;
  site.zones.clock.advance(1_801_000);
  site.intercept = (request) => {
    if (isOver || request.headers["idempotency-key"] !== `"${key()}"`) return false;
    unanswered += 1;
    request.socket.destroy();
    return true;
  };
  const attempt = async (count: number): Promise<void> => {
    site.requestDispatch();
    await eventually("a request without an answer", () => unanswered >= count);
    await eventually("its end", () => site.zones.logged("trip-post-failed").length >= count);
  };
  await open("hall");
  await attempt(1);
  await open("smoke");
  await eventually("the fire", () => statesOf("smoke")[0] === "posted");
  await open("yard");
  for (const count of [2, 3, 4]) await attempt(count);
  await eventually("the other alarm", () => statesOf("yard").at(-1) === "posted");
  expect(statesOf("hall")).toEqual(["posted", "waiting"]);
  isOver = true;
  await site.settled();
  expect(statesOf("hall")).toEqual(["posted", "posted"]);
});

test.each([
  ["burglary", "hall", "hall-door", 5],
  ["fire", "smoke", "smoke-stairs", 1],
])("trips of one %s stay one incident while the API gives no answer", async (_class, first, second, runs) => {
  await withoutAnswers(async (run) => {
    await open(first);
    await open(second);
    for (let count = 1; count <= runs; count += 1) await run(count);
  });
  await site.settled();
  const records = site.records.filter(({ objectiveId }) => objectiveId === 1);
  expect(records).toMatchObject([{ police: first === "hall", notes: expect.stringContaining(second) }]);
  expect(statesOf(first, second)).toEqual(["posted", "merged"]);
});

test("a fire passes at once however many trips wait behind one without an answer", async () => {
  await withoutAnswers(async (run) => {
    await open("hall");
    await run(1);
    for (let trip = 0; trip < 17; trip += 1)
      for (const zoneId of ["yard", "roof", "yard-gate", "attic"]) read(zoneId);
    await open("smoke-yard");
    await joined("smoke-yard", 1);
  }, isOfFirst("hall"));
  await site.settled();
});

test("alarms elsewhere pass however many of its own kind wait behind one without an answer", async () => {
  await withoutAnswers(async (run) => {
    await open("hall");
    for (let trip = 0; trip < 17; trip += 1)
      for (const zoneId of ["hall", "hall-window", "hall-door", "hall-stairs"]) read(zoneId);
    for (const count of [1, 2, 3]) await run(count);
    await open("yard");
    await joined("yard", 2);
  }, isOfFirst("hall"));
  await site.settled();
  const alarms = site.records.filter(
    ({ objectiveId, name }) => objectiveId === 1 && name.startsWith("Alarm"),
  );
  expect(alarms).toHaveLength(1);
});

test.each([
  ["alone", 0, 0],
  ["with many trips behind it", 17, 0],
  ["for longer than trips are taken", 0, 6_000],
])(
  "a fire and the alarms after it do not wait for a request that failed eight times and hangs %s",
  async (_how, rounds, forMs) => {
    await hangsAfterFailures(8);
    for (let round = 0; round < rounds; round += 1)
      for (const zoneId of ["hall", "hall-window", "hall-door", "hall-stairs"]) read(zoneId);
    site.zones.clock.advance(forMs);
    await open("smoke");
    await joined("smoke", 1);
    if (forMs === 0) await open("yard").then(() => joined("yard", 2));
    expect(isStillHeld()).toBe(true);
    answerAll();
    await site.settled();
    const alarms = site.records.filter(
      ({ objectiveId, name }) => objectiveId === 1 && name.startsWith("Alarm, intrusion"),
    );
    expect(alarms).toHaveLength(1);
  },
);

test("fires of other objectives do not wait for a fire whose request hangs, and those of its objective do", async () => {
  await open("smoke", { untilHeld: true });
  await open("smoke-stairs");
  await open("smoke-yard");
  await joined("smoke-yard", 1);
  expect(isStillHeld()).toBe(true);
  expect(statesOf("smoke", "smoke-stairs")).toEqual(["waiting", "waiting"]);
  answerAll();
  await site.settled();
  expect(statesOf("smoke", "smoke-stairs")).toEqual(["posted", "merged"]);
});

test("an alarm that comes while a request hangs is dispatched as soon as that has failed", async () => {
  await hangsAfterFailures(8);
  await open("yard");
  for (const { lose } of held.splice(0)) lose();
  await joined("yard", 2);
});

/** Trips the hall: its request fails this many times, and hangs then. */
async function hangsAfterFailures(failures: number): Promise<void> {
  read("hall");
  isHeld = isOfFirst("hall");
  for (let count = 1; count <= failures + 1; count += 1) {
    site.requestDispatch();
    await eventually("the request", () => held.length === 1);
    if (count > failures) return;
    for (const { lose } of held.splice(0)) lose();
    await eventually("its end", () => site.zones.logged("trip-post-failed").length >= count);
    // So that the hint of this turn does not belong to the run that has failed.
    await new Promise(setImmediate);
  }
}

/** Whether a request is the one that creates the record of the first trip of a zone. */
function isOfFirst(zoneId: string): (request: IncomingMessage) => boolean {
  return ({ headers }) => {
    const first = site.zones.trips.find((trip) => trip.zoneId === zoneId && trip.type === "trip");
    return headers["idempotency-key"] === `"${first?.key}"`;
  };
}

/**
 * Runs `work` while the API does not answer.
 * @param isLost only these requests get no answer; all by default
 */
async function withoutAnswers(
  work: (run: (count: number) => Promise<unknown>) => Promise<void>,
  isLost: (request: IncomingMessage) => boolean = () => true,
): Promise<void> {
  const { intercept } = site;
  site.intercept = (request) => {
    if (!isLost(request)) return false;
    request.socket.destroy();
    return true;
  };
  await work((count) => {
    site.requestDispatch();
    return eventually("a failed attempt", () => site.zones.logged("trip-post-failed").length >= count);
  });
  site.intercept = intercept;
}

/** Trips a zone; its first request is not answered if `untilHeld`. */
async function open(zoneId: string, { untilHeld = false } = {}): Promise<void> {
  if (untilHeld) isHeld = () => held.length === 0;
  read(zoneId);
  site.requestDispatch();
  if (untilHeld) await eventually("the request", () => held.length === 1);
}

/** Trips a zone without a hint to the dispatcher. */
function read(zoneId: string): void {
  site.zones.monitor.read(zoneId, "normal", { live: true });
  site.zones.monitor.read(zoneId, "open", { live: true });
}

function joined(zoneId: string, count: number): Promise<unknown> {
  return eventually(`trip ${count} of ${zoneId}`, () => {
    const states = statesOf(zoneId);
    return states.length === count && states.every((state) => state !== "waiting");
  });
}

function statesOf(...zoneIds: readonly string[]): string[] {
  return site.zones.trips
    .filter(({ zoneId, type }) => type === "trip" && zoneIds.includes(zoneId))
    .map(({ state }) => state);
}

/** Whether the API has still not answered: a request without an answer ends after a time, and nothing waits any longer. */
function isStillHeld(): boolean {
  return held.length > 0 && held.every(({ isWaiting }) => isWaiting());
}

function answerAll(): void {
  isHeld = () => false;
  for (const { answer } of held.splice(0)) answer();
}

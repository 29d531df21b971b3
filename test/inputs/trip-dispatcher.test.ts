import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiClient } from "../../src/client/api-client.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { newTrip } from "../../src/domain/trip-rows.ts";
import { redeliverLostTrips } from "../../src/store/pending-searches.ts";
import type { TripDispatcher } from "../../src/inputs/trip-dispatcher.ts";
import { TestApp } from "../support/app.ts";
import { dispatcherOf } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { close, listen } from "../support/loopback.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const HALL_1 = zoneOf({ id: "hall-1", input: { simulated: true }, objective: building(1) });
const HALL_2 = zoneOf({ id: "hall-2", input: { simulated: true }, objective: building(2) });
const GATE = zoneOf({ id: "gate", input: { simulated: true }, objective: building(1) });
/** Its objective is not in the database. */
const NOWHERE = zoneOf({ id: "nowhere", input: { simulated: true }, objective: building(99) });

/** More than the consecutive rejections before a condition is raised. */
const FAR = Array.from({ length: 12 }, (_, index) =>
  zoneOf({ id: `far-${index}`, input: { simulated: true }, objective: building(100 + index) }),
);

const SITE = { locale: "en", timezone: "Europe/Bucharest" } as const;

let app: TestApp;
let site: MonitoredZones;
let server: Server;
let port: number;
let client: ApiClient;
let dispatcher: TripDispatcher;
/** Responses instead of those of the application, in order; then the application responds. */
let instead: ((request: IncomingMessage, response: ServerResponse) => void)[];
/** Keys of the received requests, in order. */
let keys: string[];
let failpoint: (name: string) => void;

beforeEach(async () => {
  app = await TestApp.make();
  site = new MonitoredZones([HALL_1, HALL_2, GATE, NOWHERE, ...FAR]);
  instead = [];
  keys = [];
  failpoint = () => {};
  server = createServer((request, response) => {
    keys.push(String(request.headers["idempotency-key"]));
    (instead.shift() ?? app.app)(request, response);
  });
  port = await listen(server);
  dispatcher = newDispatcher();
});
afterEach(async () => {
  await dispatcher.stop();
  client.close();
  server.closeAllConnections();
  server.close();
  await app.close();
  site.close();
});

describe("a trip", () => {
  test("becomes an intervention under its own key, and stores its id", async () => {
    trip("hall-1");
    dispatcher.start();
    await eventually("the post", () => site.trips[0]?.state === "posted");
    const { records } = recorded();
    expect(records).toMatchObject([
      { id: site.trips[0]?.interventionId, objectiveId: 1, priority: "high", type: "other" },
    ]);
    expect(records[0]?.name).toBe(site.trips[0]?.body.name);
    expect(keys).toEqual(['"trip-1"']);
  });

  test("that comes later is dispatched on notification; the oldest goes first", async () => {
    dispatcher.start();
    for (const zone of ["hall-1", "hall-2"]) trip(zone);
    dispatcher.requestRun();
    await eventually("both", () => site.journal.trips.count("posted") === 2);
    expect(recorded().records.map(({ objectiveId }) => objectiveId)).toEqual([1, 2]);
  });

  test("is found a minute later after a lost notification", async () => {
    dispatcher.start();
    // The first check of the empty journal ends in this turn.
    await new Promise(setImmediate);
    trip("hall-1");
    site.clock.advance(60_000);
    await eventually("the post", () => site.trips[0]?.state === "posted");
  });

  test("that never completes is distinguished from an idle dispatcher", async () => {
    dispatcher.start();
    for (let minute = 0; minute < 10; minute += 1) {
      await new Promise(setImmediate);
      site.clock.advance(60_000);
      expect(dispatcher.isStalled).toBe(false);
    }
    instead.push(() => {});
    trip("hall-1");
    dispatcher.requestRun();
    await eventually("the request", () => keys.length > 0);
    site.clock.advance(180_001);
    expect(dispatcher.isStalled).toBe(true);
    server.closeAllConnections();
    await eventually("its end", () => !dispatcher.isStalled);
  });

  test.each<[what: string, breakIt: () => void | Promise<void>]>([
    ["cannot be reached", () => close(server)],
    ["is overloaded", () => answers(503, 4)],
    ["sends Retry-After", () => answers(429, 4)],
    ["closes connections", () => void instead.push(...Array.from({ length: 4 }, () => hangUp))],
  ])(
    "waits while the local API %s, raises a condition, and is dispatched when it is back",
    async (_what, breakIt) => {
      await breakIt();
      trip("hall-1");
      trip("hall-2");
      dispatcher.start();
      await failures(1);
      expect(site.conditions).toEqual([]);
      for (const [index, delayMs] of [100, 200].entries()) {
        site.clock.advance(delayMs / 2);
        expect(site.logged("trip-post-failed")).toHaveLength(index + 1);
        site.clock.advance(delayMs);
        await failures(index + 2);
      }
      expect(site.conditions).toEqual(["dispatch-failing"]);
      expect(site.trips).toMatchObject([
        { state: "waiting", attempts: 3 },
        { state: "waiting", attempts: 0 },
      ]);

      instead = [];
      if (!server.listening) await listen(server, port);
      site.clock.advance(400);
      await eventually("both", () => site.journal.trips.count("posted") === 2);
      expect(site.conditions).toEqual([]);
      expect(recorded().total).toBe(2);
    },
  );

  test("that fails once together with others waits no longer than a single one", async () => {
    instead.push((request, response) => app.app(request, response));
    answers(503, FAR.length);
    trip("hall-1");
    for (const { id } of FAR) trip(id);
    dispatcher.start();
    await failures(FAR.length);
    expect(site.conditions).toEqual([]);
    site.clock.advance(100);
    await eventually("the next check", () => site.journal.trips.count("waiting") === 0);
    expect(site.logged("trip-post-failed")).toHaveLength(FAR.length);
  });

  test("whose key was used with another body raises a condition and creates no second intervention", async () => {
    const body = { name: "Another record", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
    await client.request({
      method: "POST",
      path: "/interventii",
      token: await app.tokens.deviceToken(),
      headers: { "Idempotency-Key": '"trip-1"' },
      body: JSON.stringify(body),
    });
    trip("hall-1");
    dispatcher.start();
    await eventually("the refusal", () => site.trips[0]?.state === "refused");
    expect(recorded().records).toMatchObject([body]);
    expect(site.conditions).toEqual(["trip-refused/hall-1"]);
  });

  test.each([500, 201, 403])(
    "that the API fails on (%s without a record) does not delay the next ones",
    async (status) => {
      answers(status, 1);
      trip("hall-1");
      trip("hall-2");
      dispatcher.start();
      await eventually("the second", () => site.trips[1]?.state === "posted");
      expect(site.trips[0]).toMatchObject({ state: "waiting", attempts: 1 });
      site.clock.advance(200);
      await eventually("the first", () => site.trips[0]?.state === "posted");
      expect(recorded().records.map(({ objectiveId }) => objectiveId)).toEqual([2, 1]);
    },
  );

  test("is retried at least every 30 s, for any duration", async () => {
    answers(503, 20);
    trip("hall-1");
    dispatcher.start();
    for (let attempt = 1; attempt <= 15; attempt += 1) {
      await failures(attempt);
      site.clock.advance(30_000);
    }
    await failures(16);
  });

  test("gets a new token when the old one has expired", async () => {
    trip("hall-1");
    dispatcher.start();
    await eventually("the first", () => site.journal.trips.count("posted") === 1);
    app.clock.advance(2 * 3600 * 1000);
    trip("hall-2");
    dispatcher.requestRun();
    await eventually("the second", () => site.journal.trips.count("posted") === 2);
    expect(site.logged("trip-post-failed")).toEqual([]);
  });

  test("whose full body is rejected is sent in its minimal form", async () => {
    answers(400, 1);
    trip("hall-1");
    dispatcher.start();
    await eventually("the post", () => site.trips[0]?.state === "posted");
    expect(keys).toEqual(['"trip-1"', '"trip-1"']);
    expect(recorded().records).toMatchObject([
      { objectiveId: 1, priority: "high", dateStart: null, description: null },
    ]);
  });

  test("whose minimal form was applied without a response has no second record when the full one is accepted later", async () => {
    answers(400, 1);
    instead.push((request, response) => {
      response.end = () => response.destroy();
      app.app(request, response);
    });
    trip("hall-1");
    dispatcher.start();
    await failures(1);
    site.clock.advance(30_000);
    await eventually("the post", () => site.trips[0]?.state === "posted");
    expect(recorded().records).toMatchObject([{ id: site.trips[0]?.interventionId, dateStart: null }]);
    expect(site.conditions).toEqual([]);
  });

  test("that is rejected in any form is stored as rejected, raises a condition, and does not delay the next one", async () => {
    trip("nowhere");
    trip("hall-1");
    dispatcher.start();
    await eventually("the next", () => site.journal.trips.count("posted") === 1);
    expect(site.trips).toMatchObject([{ state: "refused" }, { state: "posted" }]);
    expect(site.trips[0]?.lastError).toMatch(/^404 .*99/);
    expect(site.conditions).toEqual(["trip-refused/nowhere"]);
  });

  test("that was rejected is retried at the next start", async () => {
    trip("nowhere");
    dispatcher.start();
    await eventually("the refusal", () => site.trips[0]?.state === "refused");
    await dispatcher.stop();
    app.objectives.import({ "obiective/cladiri": [{ id: 99, name: "Hall 99", status: "active" }] }, "config");
    dispatcher = newDispatcher();
    dispatcher.start();
    await eventually("the post", () => site.trips[0]?.state === "posted");
    expect(site.conditions).toEqual([]);
  });

  test("that was rejected is retried once a journal that cannot be written can be written again", async () => {
    trip("nowhere");
    dispatcher.start();
    await eventually("the refusal", () => site.trips[0]?.state === "refused");
    app.objectives.import({ "obiective/cladiri": [{ id: 99, name: "Hall 99", status: "active" }] }, "config");
    site.breakJournal();
    // As a reload does.
    dispatcher.start();
    await eventually("the failure", () => site.logged("rejected-trips-retry-failed").length > 0);
    expect(site.trips[0]?.state).toBe("refused");
    site.repairJournal();
    await eventually("the post", () => {
      site.clock.advance(1_000);
      return site.trips[0]?.state === "posted";
    });
  });

  test("of a zone with a control character in its name is sent without that character", async () => {
    const bell = String.fromCharCode(7);
    const seen = {
      key: "x",
      cause: "edge",
      moment: { wallMs: 0, bootId: "", monotonicMs: 0 },
      isDated: true,
      earliestWallMs: null,
      disposition: { state: "waiting", reason: null },
    } as const;
    const { body } = newTrip({ ...HALL_1, name: `Hall${bell} 1` }, seen, SITE);
    expect(body.name).toBe("Alarm, intrusion: Hall 1");
    site.database.exec("DELETE FROM trips");
    trip("hall-1");
    site.database
      .prepare("UPDATE trips SET body = json_set(body, '$.name', ?), state = 'refused'")
      .run(`Alarm, intrusion: Hall${bell} 1`);
    dispatcher.start();
    await eventually("the post", () => site.trips[0]?.state === "posted");
    expect(recorded().records).toMatchObject([{ name: "Alarm, intrusion: Hall 1" }]);
  });

  test("whose acknowledgement could not be recorded is posted again under the same key and is one intervention", async () => {
    trip("hall-1");
    failpoint = () => {
      site.breakJournal();
      failpoint = () => {};
    };
    dispatcher.start();
    await eventually("the failure", () => site.logged("trip-dispatch-failed").length === 1);
    expect(site.trips[0]?.state).toBe("waiting");
    site.repairJournal();
    site.clock.advance(200);
    await eventually("the acknowledgement", () => site.trips[0]?.state === "posted");
    expect(keys).toEqual(['"trip-1"', '"trip-1"']);
    expect(recorded().total).toBe(1);
  });

  test("whose record was lost with its database is posted again and counts once towards a shutdown", async () => {
    trip("hall-1");
    dispatcher.start();
    await eventually("the post", () => site.trips[0]?.state === "posted");
    await dispatcher.stop();
    const empty = await TestApp.make();
    expect(redeliverLostTrips(site.database, empty.database, 0)).toBe(1);
    await app.close();
    app = empty;
    dispatcher = newDispatcher();
    dispatcher.start();
    await eventually("the second post", () => site.trips[0]?.state === "posted");
    expect(keys).toEqual(['"trip-1"', '"trip-1"']);
    expect(site.journal.swingers.find("hall-1")).toMatchObject({ incidents: 1 });
  });

  test("that had joined a record which was lost with its database is counted once when it joins again", async () => {
    for (const zoneId of ["hall-1", "gate", "gate"]) trip(zoneId);
    dispatcher.start();
    const isSettled = (): boolean => site.trips.map(({ state }) => state).join() === "posted,merged,merged";
    await eventually("the trips", isSettled);
    const notes = (): unknown => recorded().records.map((record) => record.notes);
    const before = notes();
    expect(before).toEqual([expect.stringContaining("×2")]);
    site.monitor.read("hall-1", "normal", { live: true });
    await eventually("the closing", () => {
      dispatcher.requestRun();
      return site.restores.at(-1)?.state === "merged";
    });
    await dispatcher.stop();
    const empty = await TestApp.make();
    expect(redeliverLostTrips(site.database, empty.database, 0)).toBe(3);
    expect(site.restores.at(-1)).toMatchObject({ state: "recorded", interventionId: null });
    await app.close();
    app = empty;
    dispatcher = newDispatcher();
    dispatcher.start();
    await eventually("the trips again", isSettled);
    expect(notes()).toEqual(before);
  });

  test("that had joined a lost record waits until that is recorded again", async () => {
    for (const zoneId of ["hall-1", "gate"]) trip(zoneId);
    dispatcher.start();
    const isSettled = (): boolean => site.trips.map(({ state }) => state).join() === "posted,merged";
    await eventually("the trips", isSettled);
    await dispatcher.stop();
    const empty = await TestApp.make();
    expect(redeliverLostTrips(site.database, empty.database, 0)).toBe(2);
    await app.close();
    app = empty;
    keys = [];
    answers(500, 1);
    dispatcher = newDispatcher();
    dispatcher.start();
    await eventually("the failures", () => site.trips.every(({ lastError }) => lastError !== null));
    expect(keys).toEqual(['"trip-1"']);
    site.clock.advance(200);
    await eventually("the trips again", isSettled);
    expect(recorded().total).toBe(1);
  });

  test("in progress at the stop of the daemon is completed, and no other is started", async () => {
    const held: (() => void)[] = [];
    instead.push((request, response) => void held.push(() => app.app(request, response)));
    trip("hall-1");
    trip("hall-2");
    dispatcher.start();
    await eventually("the request", () => keys.length === 1);
    const stopped = dispatcher.stop();
    held[0]?.();
    await stopped;
    expect(site.trips.map(({ state }) => state)).toEqual(["posted", "waiting"]);

    dispatcher = newDispatcher();
    dispatcher.start();
    await eventually("the other", () => site.journal.trips.count("posted") === 2);
  });
});

function newDispatcher(): TripDispatcher {
  client = new ApiClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 10_000 });
  return dispatcherOf({ app, zones: site }, `http://127.0.0.1:${port}`, (name) => failpoint(name));
}

function trip(zoneId: string): void {
  site.monitor.read(zoneId, "normal", { live: true });
  site.monitor.read(zoneId, "open", { live: true });
}

function answers(status: number, times: number): void {
  for (let time = 0; time < times; time += 1)
    instead.push((_request, response) => void response.writeHead(status).end('{"message":"on purpose"}'));
}

function hangUp(request: IncomingMessage): void {
  request.socket.destroy();
}

function failures(count: number): Promise<unknown> {
  return eventually(`failure ${count}`, () => site.logged("trip-post-failed").length === count);
}

function recorded(): { records: Intervention[]; total: number } {
  const records = app.records();
  return { records, total: records.length };
}

function building(id: number): { type: "obiective/cladiri"; id: number } {
  return { type: "obiective/cladiri", id };
}

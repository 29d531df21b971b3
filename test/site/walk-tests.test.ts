import { createHash } from "node:crypto";
import request from "supertest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { localRemote } from "../../src/domain/remote.ts";
import { journalRetention } from "../../src/ops/retention-schedule.ts";
import { SiteTests } from "../../src/site/field-tests.ts";
import type { SiteParts } from "../../src/site/site-parts.ts";
import { SiteWalkTests } from "../../src/site/walk-tests.ts";
import type { EndedWalkTestView, WalkTestView } from "../../src/site/zone-view.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { WalkTestArchive } from "../../src/store/walk-test-archive.ts";
import { NO_SITE, OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const DOOR_OPTIONS = { id: "door", name: "Ușa principală", swinger: false } as const;
const DOOR = zoneOf({ ...DOOR_OPTIONS, input: { simulated: true } });
const SMOKE = zoneOf({ id: "smoke", name: "Fum depozit", kind: "fire", input: { simulated: true } });
const SHED = zoneOf({ id: "shed", name: "Magazie", input: { simulated: true } });
const ANA = { who: "ana@example.ro", from: "192.0.2.7" };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A site with a clock that only the test moves, and the application that serves it. */
let site: MonitoredZones;
let app: TestApp;
/** The main database of the site, with copies of the results. */
let main: ReturnType<typeof openMainDatabase>;
let archive: WalkTestArchive;
let tokens: Awaited<ReturnType<TestApp["tokenOfEach"]>>;

beforeEach(async () => {
  site = new MonitoredZones([DOOR, SMOKE]);
  main = openMainDatabase(":memory:");
  archive = new WalkTestArchive(main);
  const parts = {
    get zoneService() {
      return site.zoneService;
    },
    journal: site.journal,
    clock: site.clock,
    unfinished: { statusOf: () => undefined },
  } as unknown as SiteParts;
  app = await TestApp.forTest({
    site: {
      ...NO_SITE,
      tests: localRemote(new SiteTests(parts, () => [])),
      walkTests: localRemote(new SiteWalkTests(site.journal.walkTests, archive)),
    },
  });
  tokens = await app.tokenOfEach();
});
afterEach(async () => {
  site.close();
  main.close();
});

function get(path: string): request.Test {
  return request(app.app).get(path).set("Authorization", `Bearer ${tokens.viewer}`);
}

async function change(body: object): Promise<request.Response> {
  return request(app.app)
    .post("/site/walk-test")
    .set("Authorization", `Bearer ${tokens.operator}`)
    .send(body);
}

async function report(): Promise<WalkTestView> {
  return (await get("/site/walk-test").expect(200)).body as WalkTestView;
}

function trip(zoneId: string): void {
  for (const contact of ["normal", "open", "normal"] as const) {
    site.monitor.read(zoneId, contact, { live: true });
    site.clock.advance(1000);
  }
}

/** A test in which the door trips twice, ended by a person. @returns its report */
async function walked(): Promise<WalkTestView> {
  await change({ minutes: 30 });
  trip("door");
  site.clock.advance(MINUTE_MS);
  trip("door");
  return (await change({ end: true })).body as WalkTestView;
}

/** Removes what is too old, as the hourly retention does. Age is measured from the newest record. */
function removeOldTrips(): number {
  const { clock, database, host } = site;
  app.clock.stepWall(clock.wallMs() - app.clock.wallMs());
  app.interventions.create(PATROL, OPERATOR_USER);
  const now = {
    wallMs: clock.wallMs(),
    uptimeMs: clock.monotonicMs(),
    monotonicMs: clock.monotonicMs(),
    bootId: host.bootId,
  };
  const removal = journalRetention(database, app.database, now);
  let step = removal.next();
  while (step.done !== true) step = removal.next();
  return step.value.trips;
}

describe("a zone that is still open in a walk test", () => {
  const atEnd = async (): Promise<readonly string[]> =>
    (await report()).dispatchedAtEnd.map(({ name }) => name);
  const open = (zoneId: string): void => {
    for (const contact of ["normal", "open"] as const) site.monitor.read(zoneId, contact, { live: true });
  };

  test("is named if the end of the test dispatches it", async () => {
    await change({ minutes: 30 });
    expect(await atEnd()).toEqual([]);
    open("smoke");
    open("door");
    expect(await atEnd()).toEqual(["Ușa principală", "Fum depozit"]);
    site.monitor.read("door", "normal", { live: true });
    expect(await atEnd()).toEqual(["Fum depozit"]);
    site.zoneService.zoneOverrides.bypass("smoke", { reason: "dust" }, ANA);
    expect(await atEnd()).toEqual([]);
    expect(((await change({ end: true })).body as WalkTestView).dispatchedAtEnd).toEqual([]);
  });
});

describe("the result of a walk test", () => {
  test("names the site, who tested, and each zone with its first and last trip", async () => {
    site.zoneService.zoneOverrides.bypass("smoke", { reason: "dust" }, ANA);
    const startMs = site.clock.wallMs();
    const at = (ms: number): string => new Date(startMs + ms).toISOString();
    expect(await walked()).toEqual({
      running: false,
      number: 1,
      site: { name: "Hala Nord", ref: "hala-nord", timezone: "Europe/Bucharest" },
      who: "operator@test.example",
      since: at(0),
      until: at(30 * MINUTE_MS),
      ended: at(MINUTE_MS + 6000),
      endedBy: "operator@test.example",
      lifeSafetySuppressed: [],
      dispatchedAtEnd: [],
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      zones: [
        {
          id: "door",
          name: "Ușa principală",
          kind: "intrusion",
          first: at(1000),
          last: at(MINUTE_MS + 4000),
          trips: 2,
          bypassed: false,
          passed: true,
          sensor: '{"simulated":"door"}',
        },
        {
          id: "smoke",
          name: "Fum depozit",
          kind: "fire",
          first: null,
          last: null,
          trips: 0,
          bypassed: true,
          passed: false,
          sensor: '{"simulated":"smoke"}',
        },
      ],
    });
  });

  test("has the hash of the bytes that are served, which is in the audit trail too", async () => {
    const { sha256 } = await walked();
    const { text, headers } = await get("/site/walk-tests/1").expect(200);
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(headers["etag"]).toBe(`"${sha256}"`);
    expect(site.events.at(-1)).toMatchObject({
      event: "walk-test-ended",
      detail: { report: 1, tripped: 1, missing: ["smoke"], sha256 },
    });
  });

  test("stays as it was after zones are removed, added and renamed, and the site has another name", async () => {
    const first = await walked();
    const { text } = await get("/site/walk-tests/1");
    site.siteName = "Hala Sud";
    site.zoneService.exchange([{ ...SMOKE, name: "Fum birou" }, SHED], ANA);
    expect(await report()).toEqual(first);
    site.restart();
    expect(await report()).toEqual(first);
    expect((await get("/site/walk-tests/1")).text).toBe(text);
  });

  test("stays as it was after 31 days, when its trips are removed by age", async () => {
    const first = await walked();
    site.clock.standStill(31 * DAY_MS);
    site.restart();
    expect(removeOldTrips()).toBeGreaterThan(1);
    expect(site.trips.filter(({ state }) => state === "test")).toEqual([]);
    tokens = await app.tokenOfEach();
    expect(await report()).toEqual(first);
    expect((await get("/site/walk-tests/1")).body).toMatchObject({ zones: first.zones });
  });

  test("is stored when its time is over, with that time as its end", async () => {
    const { until } = (await change({ minutes: 5 })).body as WalkTestView;
    trip("smoke");
    site.clock.advance(6 * MINUTE_MS);
    expect(await report()).toMatchObject({ running: false, ended: until, endedBy: "santinela" });
    expect((await get("/site/walk-tests/1")).body).toMatchObject({
      ended: until,
      zones: [
        { id: "door", passed: false },
        { id: "smoke", passed: true, trips: 1 },
      ],
    });
  });

  test("is stored at the start of a daemon that was stopped when its time was over", async () => {
    site.zoneService.zoneOverrides.bypass("smoke", { reason: "dust", minutes: 10 }, ANA);
    const { until } = (await change({ minutes: 5 })).body as WalkTestView;
    trip("door");
    site.losePower(60 * MINUTE_MS);
    expect(await report()).toMatchObject({ running: false, ended: until, endedBy: "santinela" });
    const { body } = await get("/site/walk-tests/1").expect(200);
    expect(body).toMatchObject({
      ended: until,
      zones: [
        { id: "door", passed: true },
        { id: "smoke", bypassed: true },
      ],
    });
  });

  test("has a zone that was removed during the test, and one that was added", async () => {
    await change({ minutes: 30 });
    trip("door");
    site.zoneService.exchange([SMOKE, SHED], ANA);
    trip("shed");
    const { zones } = (await change({ end: true })).body as WalkTestView;
    expect(zones.map(({ name, trips }) => [name, trips])).toEqual([
      ["Fum depozit", 0],
      ["Magazie", 1],
      ["Ușa principală", 1],
    ]);
  });

  test("does not count the trip of a sensor that was replaced during the test", async () => {
    await change({ minutes: 30 });
    trip("door");
    const replaced = zoneOf({ ...DOOR_OPTIONS, input: { gpio: 17, contact: "nc" } });
    site.zoneService.exchange([replaced, SMOKE], ANA);
    expect((await report()).zones[0]).toMatchObject({ id: "door", trips: 1, passed: false });
    trip("door");
    expect((await report()).zones[0]).toMatchObject({ id: "door", trips: 2, passed: true });
    site.zoneService.exchange([DOOR, SMOKE], ANA);
    await change({ end: true });
    expect((await get("/site/walk-tests/1")).body).toMatchObject({
      zones: [{ id: "door", trips: 2, passed: false }, { id: "smoke" }],
    });
    expect(site.events.at(-1)?.detail).toMatchObject({ tripped: 0, missing: ["door", "smoke"] });
  });

  test("is stored with its end or not at all, and no alarm waits for a disk that rejects it", async () => {
    await change({ minutes: 30 });
    trip("door");
    site.breakJournal();
    expect((await change({ end: true })).status).toBeGreaterThanOrEqual(500);
    const ended = new Date(site.clock.wallMs()).toISOString();
    expect(await report()).toMatchObject({ running: false, ended, sha256: null });
    expect((await change({ minutes: 30 })).status).toBeGreaterThanOrEqual(500);
    site.repairJournal();
    expect(site.journal.walkTests.ended(10)).toEqual([]);
    trip("door");
    expect(site.trips.map(({ state }) => state)).toEqual(["test", "waiting"]);
    site.clock.advance(MINUTE_MS);
    expect((await get("/site/walk-tests/1").expect(200)).body).toMatchObject({
      ended,
      endedBy: "operator@test.example",
      zones: [{ id: "door", trips: 1, passed: true }, { id: "smoke" }],
    });
    expect(site.journal.walkTests.ended(10)).toHaveLength(1);
  });
});

describe("the walk tests of a site", () => {
  const listed = async (query = ""): Promise<request.Response> => get(`/site/walk-tests${query}`).expect(200);
  /** What a new card has: a journal without tests. */
  const loseJournal = (): void =>
    void site.database.exec("DELETE FROM walk_tests; DELETE FROM sqlite_sequence WHERE name = 'walk_tests'");

  test("are listed once, and stay with their results when only the copies are left", async () => {
    for (let count = 0; count < 3; count += 1) await walked();
    const [before, { text }] = [(await listed()).body as unknown, await get("/site/walk-tests/2")];
    expect(archive.copyFrom(site.journal.walkTests)).toBe(3);
    expect(archive.copyFrom(site.journal.walkTests)).toBe(0);
    expect((await listed()).body).toEqual(before);
    loseJournal();
    expect((await listed()).body).toEqual(before);
    expect((await get("/site/walk-tests/2").expect(200)).text).toBe(text);
  });

  test("have further numbers after a restored backup, and two of one number differ by their hash", async () => {
    const first = await walked();
    archive.copyFrom(site.journal.walkTests);
    loseJournal();
    site.restart();
    site.siteName = "Hala Sud";
    const second = await walked();
    expect([first.number, second.number]).toEqual([1, 1]);
    // A page does not end between them.
    const { body, headers } = await listed("?limit=1");
    expect((body as EndedWalkTestView[]).map(({ sha256 }) => sha256)).toEqual([second.sha256, first.sha256]);
    expect(headers["link"]).toBeUndefined();
    const nameOf = async (query: string): Promise<string> =>
      ((await get(`/site/walk-tests/1${query}`).expect(200)).body as WalkTestView).site.name;
    expect(await nameOf("")).toBe("Hala Sud");
    expect(await nameOf(`?sha256=${first.sha256}`)).toBe("Hala Nord");
    await get("/site/walk-tests/1?sha256=0").expect(404);
    archive.copyFrom(site.journal.walkTests);
    site.zoneService.zoneOverrides.walkTests.continueAfter(archive.lastNumber() + 6);
    expect(await walked()).toMatchObject({ number: 8 });
    site.zoneService.zoneOverrides.walkTests.continueAfter(3);
    expect(await walked()).toMatchObject({ number: 9 });
  });

  test("have no result where the disk has altered it, but its copy, and an altered one is not copied", async () => {
    const { sha256 } = await walked();
    archive.copyFrom(site.journal.walkTests);
    site.database.exec("UPDATE walk_tests SET result = replace(result, 'Hala', 'Sala')");
    site.restart();
    const { text } = await get("/site/walk-tests/1").expect(200);
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(await report()).toMatchObject({ number: 1, sha256: null });
    main.exec("DELETE FROM walk_test_results");
    expect(archive.copyFrom(site.journal.walkTests)).toBe(0);
    await get("/site/walk-tests/1").expect(404);
  });

  test("are listed page by page, newest first, and never the running one", async () => {
    for (let count = 0; count < 5; count += 1) await walked();
    await change({ minutes: 30 });
    const numbers: number[] = [];
    for (let next: string | undefined = "?limit=2"; next !== undefined;) {
      const { body, headers } = await listed(next);
      numbers.push(...(body as EndedWalkTestView[]).map(({ number }) => number));
      next = /^<\/site\/walk-tests(\?[^>]+)>; rel="next"$/.exec(headers["link"] ?? "")?.[1];
    }
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
    await get("/site/walk-tests/6").expect(404);
  });

  test("are listed with their counts and hashes", async () => {
    const { sha256, since, ended } = await walked();
    expect((await listed()).body).toEqual([
      {
        number: 1,
        who: "operator@test.example",
        since,
        ended,
        endedBy: "operator@test.example",
        zones: 2,
        tested: 1,
        sha256,
      },
    ]);
  });

  test.each(["?limit=0", "?limit=101", "?limit=x", "?before=x", "?before=0"])(
    "are not listed for %s",
    async (query) => {
      await get(`/site/walk-tests${query}`).expect(400);
    },
  );

  test("of an earlier release stay in the list, without a result", async () => {
    // What a former release writes.
    site.database.exec(
      "INSERT INTO walk_tests(who, after_seq, since_wall, until_wall, ended_wall) VALUES('ana', 0, 1000, 5000, 2000)",
    );
    expect((await listed()).body).toEqual([
      {
        number: 1,
        who: "ana",
        since: "1970-01-01T00:00:01.000Z",
        ended: "1970-01-01T00:00:02.000Z",
        endedBy: null,
        zones: null,
        tested: null,
        sha256: null,
      },
    ]);
    await get("/site/walk-tests/1").expect(404);
    expect(await report()).toMatchObject({ running: false, number: 1, who: "ana", sha256: null });
    expect(await walked()).toMatchObject({ number: 2 });
  });

  test("are the newest five hundred", async () => {
    const { walkTests } = site.zoneService.zoneOverrides;
    for (let count = 0; count < 501; count += 1) {
      walkTests.begin(1, ANA);
      walkTests.end(ANA);
    }
    await get("/site/walk-tests/1").expect(404);
    await get("/site/walk-tests/2").expect(200);
  });
});

describe("a running walk test", () => {
  test("is extended, with an entry in the event log, to at most four hours", async () => {
    const started = (await change({ minutes: 30 })).body as WalkTestView;
    const lastsMin = ({ until }: WalkTestView): number =>
      (Date.parse(until) - Date.parse(started.since)) / MINUTE_MS;
    site.clock.advance(20 * MINUTE_MS);
    expect(lastsMin((await change({ extend: true })).body as WalkTestView)).toBe(45);
    expect(site.events.at(-1)).toMatchObject({ event: "walk-test-extended", detail: { minutes: 15 } });
    site.clock.advance(24 * MINUTE_MS);
    trip("door");
    expect(site.trips.at(-1)?.state).toBe("test");
    site.restart();
    expect(await report()).toMatchObject({ running: true });
    expect(lastsMin((await change({ extend: true, minutes: 240 })).body as WalkTestView)).toBe(240);
    expect((await change({ extend: true })).status).toBe(409);
    site.clock.advance(200 * MINUTE_MS);
    expect(await report()).toMatchObject({ running: false });
    expect((await change({ extend: true })).status).toBe(409);
  });

  test("is not extended by a viewer, nor by a time out of range", async () => {
    await change({ minutes: 30 });
    await request(app.app)
      .post("/site/walk-test")
      .set("Authorization", `Bearer ${tokens.viewer}`)
      .send({ extend: true })
      .expect(403);
    for (const minutes of [0, 241, 1.5]) expect((await change({ extend: true, minutes })).status).toBe(400);
  });
});

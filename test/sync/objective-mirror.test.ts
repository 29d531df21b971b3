import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Objective } from "../../src/domain/objective.ts";
import { usersText, type ObjectiveUser } from "../../src/domain/objective-names.ts";
import { ObjectiveSeeds } from "../../src/service/first-run.ts";
import { ObjectiveService } from "../../src/service/objectives.ts";
import { ObjectiveStore } from "../../src/store/objectives.ts";
import { UpstreamObjectiveStore } from "../../src/store/upstream-objectives.ts";
import { ObjectiveNames } from "../../src/sync/objectives/objective-names.ts";
import { ObjectiveMirror, type ListOutcome } from "../../src/sync/objectives/objective-mirror.ts";
import { NextRun } from "../../src/sync/schedule.ts";
import { PATROL, OPERATOR_USER, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import {
  notFound,
  json,
  NonconformingCentre,
  type ScriptedResponse,
} from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

const BUILDINGS = "obiective/cladiri";
const HOUR_MS = 3_600_000;

let centre: NonconformingCentre;
let site: SyncingSite;
let mirror: ObjectiveMirror;
let lists: UpstreamObjectiveStore;
let address: string;
/** Rows of the dispatch centre, by list. */
let there: Record<string, unknown[]>;
/** Called with each list that was read. */
let onPulled: () => void;
/** Paging of the dispatch centre. */
let pageOf: (all: unknown[], start: number, end: number) => unknown;

beforeEach(async () => {
  centre = new NonconformingCentre();
  address = await centre.start();
  site = new SyncingSite(await TestApp.make(), address);
  onPulled = () => site.push.retryBlocked();
  there = { cladiri: [], bunuri: [], persoane: [] };
  pageOf = (all, start, end) => all.slice(start, end);
  centre.read = (request) => answerOf(request.path);
  lists = new UpstreamObjectiveStore(site.app.database);
  mirror = mirrorOf(address);
});
afterEach(async () => {
  await mirror.stop();
  await site.close();
  await centre.stop();
});

function answerOf(path: string): ScriptedResponse {
  const { pathname, searchParams } = new URL(path, address);
  const all = there[pathname.replace("/obiective/", "")];
  if (!all) return json(200, []);
  return json(200, pageOf(all, Number(searchParams.get("_start")), Number(searchParams.get("_end"))));
}

function mirrorOf(baseUrl: string): ObjectiveMirror {
  const { clock, database } = site.app;
  return new ObjectiveMirror({
    centre: site.centre,
    link: site.link,
    database,
    clock,
    random: () => 0.5,
    log: site.log,
    conditions: site.health,
    baseUrl,
    timetable: new NextRun(clock, () => Math.floor(clock.wallMs() / HOUR_MS + 1) * HOUR_MS),
    untilIdle: () => site.push.untilIdle(),
    onPulled: () => onPulled(),
  });
}

const hall = (id: number, name = `Hall ${id}`): Objective => ({ id, name, city: "Cluj" });
const halls = (count: number, from = 1): Objective[] =>
  Array.from({ length: count }, (_, index) => hall(from + index));
const pull = (isLossAccepted = false): Promise<readonly ListOutcome[]> => mirror.pull({ isLossAccepted });

function buildings(): Objective[] {
  const query = { filters: [], sort: [], start: 0, end: 20_000 };
  const { records } = new ObjectiveStore(site.app.database).list({
    type: "obiective/cladiri",
    ids: undefined,
    query,
  });
  return records.map((text) => JSON.parse(text) as Objective);
}
const names = (): string[] => buildings().map(({ name }) => name);
/** Objectives 1 to 3 are from the configuration; higher ids are from the dispatch centre. */
const idsAbove3 = (): number[] =>
  buildings()
    .map(({ id }) => id)
    .filter((id) => id > 3);

describe("a list of the dispatch centre", () => {
  test("is stored with the ids and fields of the dispatch centre", async () => {
    there["cladiri"] = [hall(41, "Depozit"), hall(12)];
    there["persoane"] = [{ id: 9, firstName: "Ana" }];
    const outcomes = await pull();
    expect(outcomes.map(({ result, read }) => [result, read])).toEqual([
      ["taken", 2],
      ["taken", 0],
      ["taken", 1],
    ]);
    expect(await site.app.parts.objectives.get({ type: BUILDINGS, id: 41 })).toMatchObject({
      name: "Depozit",
      city: "Cluj",
    });
    expect(await site.app.parts.objectives.get({ type: "obiective/persoane", id: 9 })).toEqual({
      id: 9,
      name: "#9",
      firstName: "Ana",
    });
    expect(site.conditions()).toEqual([]);
  });

  test.each<[string, typeof pageOf]>([
    ["sends at most seven rows", (all, start, end) => all.slice(start, Math.min(end, start + 7))],
    ["sends at most one row", (all, start) => all.slice(start, start + 1)],
    ["treats _end as inclusive", (all, start, end) => all.slice(start, end + 1)],
    ["has no pages", (all) => all],
    ["wraps its rows in data", (all, start, end) => ({ data: all.slice(start, end), total: all.length })],
    ["wraps its rows in results", (all, start, end) => ({ results: all.slice(start, end) })],
    [
      "repeats the last rows after the end",
      (all, start, end) => (start < all.length ? all.slice(start, end) : all.slice(-5)),
    ],
  ])("is read completely from a dispatch centre that %s", async (_what, cut) => {
    pageOf = cut;
    there["cladiri"] = halls(43, 11);
    await pull();
    expect(idsAbove3()).toEqual(halls(43, 11).map(({ id }) => id));
  });

  test("is read completely although objectives are deleted between two pages", async () => {
    const all = halls(30, 11);
    there["cladiri"] = [...all];
    let pages = 0;
    pageOf = (rows, start) => {
      pages += 1;
      if (pages === 2) rows.splice(0, 2);
      return rows.slice(start, start + 10);
    };
    await pull();
    expect(idsAbove3()).toEqual(all.map(({ id }) => id));
  });

  test("may have no page after its end, or not exist", async () => {
    there["cladiri"] = halls(4, 11);
    centre.read = ({ path }) => {
      const start = Number(new URL(path, address).searchParams.get("_start"));
      return path.startsWith("/obiective/cladiri") && start < 4 ? answerOf(path) : notFound();
    };
    expect((await pull()).map(({ result, read }) => [result, read])).toEqual([
      ["taken", 4],
      ["taken", 0],
      ["taken", 0],
    ]);
  });

  test.each<[string, ScriptedResponse]>([
    ["an empty page", json(200, [])],
    ["a page that is not found", notFound()],
  ])("does not end at %s in the middle", async (_what, answer) => {
    there["cladiri"] = halls(600, 11);
    await pull();
    let pages = 0;
    centre.read = ({ path }) => ((pages += 1) === 3 ? answer : answerOf(path));
    expect((await pull())[0]).toMatchObject({ result: "failed", reason: "it broke off before its end" });
    expect(idsAbove3()).toHaveLength(600);
    expect(
      [...lists.listed(BUILDINGS).values()].filter(({ missingSinceMs }) => missingSinceMs !== null),
    ).toEqual([]);
  });

  test.each<[string, typeof answerOf]>([
    [
      "sends the same 50 rows for each page, and sorts",
      (path) => {
        const list = there["cladiri"] ?? [];
        const { searchParams } = new URL(path, address);
        return json(200, (searchParams.get("_order") === "DESC" ? list.toReversed() : list).slice(0, 50));
      },
    ],
    [
      "sends the same 50 rows for each page, and the total",
      () => json(200, (there["cladiri"] ?? []).slice(0, 50), { "X-Total-Count": "60" }),
    ],
    [
      "ends before its total",
      (path) => {
        const start = Number(new URL(path, address).searchParams.get("_start"));
        return json(200, (there["cladiri"] ?? []).slice(start, 50), { "X-Total-Count": "60" });
      },
    ],
  ])("that %s is not taken, and the others are not missing", async (_what, cut) => {
    there["cladiri"] = halls(60, 11);
    await pull();
    centre.read = ({ path }) => (path.startsWith("/obiective/cladiri") ? cut(path) : answerOf(path));
    expect((await pull())[0]).toMatchObject({ result: "failed" });
    const missing = [...lists.listed(BUILDINGS).values()].filter(({ missingSinceMs }) => missingSinceMs);
    expect(missing).toEqual([]);
  });

  test.each<[string, number]>([
    ["counts the rows of its page", 200],
    ["also counts rows without an id", 20],
  ])("is taken although the total %s", async (_what, pageRows) => {
    const all = [...halls(43, 11), ...(pageRows === 200 ? [] : [{ name: "no id" }])];
    centre.read = ({ path }) => {
      const start = Number(new URL(path, address).searchParams.get("_start"));
      const page = all.slice(start, start + pageRows);
      const total = pageRows === 200 ? page.length : all.length;
      return path.startsWith("/obiective/cladiri")
        ? json(200, page, { "X-Total-Count": String(total) })
        : answerOf(path);
    };
    expect((await pull())[0]).toMatchObject({ result: "taken", read: 43 });
  });

  test("without an end is aborted, and nothing of it is stored", async () => {
    pageOf = (all, start, end) => (all === there["cladiri"] ? halls(end - start, start + 11) : []);
    const [outcome] = await pull();
    expect(outcome).toMatchObject({ result: "failed", reason: expect.stringMatching(/more than/) });
    expect(idsAbove3()).toEqual([]);
  });

  test("whose rows have no id is rejected", async () => {
    there["cladiri"] = [{ id: "12", name: "Hall" }, { id: -1 }, null, "x"];
    expect((await pull())[0]).toMatchObject({ result: "failed" });
    expect(idsAbove3()).toEqual([]);
  });

  test.each([
    [
      "nests deeper than any description",
      `[{"id":1,"name":"Hall","more":${"[".repeat(80)}${"]".repeat(80)}}]`,
    ],
    ["nests too deep for SQLite", `[{"id":1,"name":"Hall","more":${"[".repeat(2_000)}${"]".repeat(2_000)}}]`],
    [
      "nests too deep to be written",
      `[{"id":1,"name":"Hall","more":${"[".repeat(90_000)}${"]".repeat(90_000)}}]`,
    ],
    ["has more rows than the memory holds", `[${"{},".repeat(1_000_000)}{}]`],
  ])("that %s is rejected, and does not stop the daemon", async (_what, body) => {
    const before = buildings();
    centre.read = () => ({ ...json(200, []), body });
    expect((await pull())[0]).toMatchObject({ result: "failed", read: 0, reason: "answered 200" });
    expect(lists.differences(BUILDINGS, 10)).toEqual([]);
    expect(buildings()).toEqual(before);
  });

  test("with quotes, brackets and backslashes in names is stored unchanged", async () => {
    const name = `"${'[{\\"'.repeat(100)}`;
    there["cladiri"] = [hall(11, name)];
    await pull();
    expect(names()).toContain(name);
  });

  test("causes no write without changes, and one for a changed name", async () => {
    there["cladiri"] = halls(600, 11);
    await pull();
    const changes = (): number => site.app.database.prepare("SELECT total_changes()").pluck().get() as number;
    const before = changes();
    await pull();
    // The time of the pull, of each list.
    expect(changes() - before).toBe(3);
    there["cladiri"]?.splice(0, 1, hall(11, "Hala Sud"));
    await pull();
    // That, the name, the version of the list, and an entry of the event log.
    expect(changes() - before).toBe(9);
    expect(names()).toContain("Hala Sud");
  });
});

describe("an objective that the dispatch centre no longer lists", () => {
  test("is removed, and returns with the next list", async () => {
    there["cladiri"] = halls(4, 11);
    await pull();
    there["cladiri"] = halls(3, 11);
    await pull();
    expect(idsAbove3()).toEqual([11, 12, 13]);
    expect(() => site.create({ ...PATROL, objectiveId: 14 })).toThrow(/objective 14 does not exist/);
    there["cladiri"] = halls(4, 11);
    await pull();
    expect(idsAbove3()).toEqual([11, 12, 13, 14]);
  });

  test("stays while a record refers to it, with the time since when it is missing", async () => {
    there["cladiri"] = halls(4, 11);
    await pull();
    const { id } = site.create({ objectiveId: 14 });
    there["cladiri"] = halls(3, 11);
    await pull();
    site.app.clock.advance(40 * 24 * HOUR_MS);
    await pull();
    expect(idsAbove3()).toEqual([11, 12, 13, 14]);
    expect(site.app.interventions.get(id).record.objectiveId).toBe(14);
    expect(lists.differences(BUILDINGS, 10).filter(({ id: objective }) => objective === 14)).toMatchObject([
      { here: "Hall 14", missingSinceMs: expect.any(Number) },
    ]);
  });

  test("is removed after a month without a reference", async () => {
    there["cladiri"] = halls(4, 11);
    await pull();
    there["cladiri"] = halls(3, 11);
    await pull();
    expect(lists.listed(BUILDINGS).get(14)?.missingSinceMs).toBe(site.app.clock.wallMs());
    site.app.clock.advance(31 * 24 * HOUR_MS);
    await pull();
    expect(lists.listed(BUILDINGS).has(14)).toBe(false);
  });
});

describe("a list that has lost most of its rows", () => {
  test.each([
    ["that is empty", 0],
    ["of which more than half is missing", 4],
  ])(
    "%s is rejected as implausible: the mirror stays, and a condition has the remedy",
    async (_what, left) => {
      there["cladiri"] = halls(10, 11);
      await pull();
      there["cladiri"] = halls(left, 11);
      expect((await pull())[0]).toMatchObject({ result: "refused" });
      expect(idsAbove3()).toHaveLength(10);
      expect(site.health.list()).toMatchObject([
        {
          code: "objectives-mirror-stale",
          subject: BUILDINGS,
          text: expect.stringContaining("--accept-removals"),
        },
      ]);

      there["cladiri"] = halls(10, 11);
      await pull();
      expect(site.conditions()).toEqual([]);
    },
  );

  test("with the same number of different rows is rejected too", async () => {
    there["cladiri"] = halls(10, 11);
    await pull();
    there["cladiri"] = halls(10, 511);
    expect((await pull())[0]).toMatchObject({ result: "refused" });
    expect(idsAbove3()).toEqual(halls(10, 11).map(({ id }) => id));
  });

  test("is accepted when half is left, or by a manual confirmation", async () => {
    there["cladiri"] = halls(10, 11);
    await pull();
    there["cladiri"] = halls(5, 11);
    expect((await pull())[0]).toMatchObject({ result: "taken" });
    there["cladiri"] = [];
    expect((await pull(true))[0]).toMatchObject({ result: "taken" });
    expect(idsAbove3()).toEqual([]);
    expect(site.conditions()).toEqual([]);
  });

  test("is accepted from another dispatch centre, which never had them", async () => {
    there["cladiri"] = halls(10, 11);
    await pull();
    mirror = mirrorOf("http://other.example");
    there["cladiri"] = halls(2, 511);
    expect((await pull())[0]).toMatchObject({ result: "taken" });
    expect(idsAbove3()).toEqual([511, 512]);
  });
});

describe("objectives from the site", () => {
  test("of the configuration always exist, and always accept a record", async () => {
    there["cladiri"] = [hall(1, "Something else"), hall(11)];
    await pull();
    expect(names()).toEqual(["Hall 1", "Hall 2", "Hall 3", "Hall 11"]);
    expect(site.create({ objectiveId: 2 }).objectiveId).toBe(2);
    expect(lists.differences(BUILDINGS, 10)).toEqual([
      {
        type: BUILDINGS,
        id: 1,
        source: "config",
        here: "Hall 1",
        there: "Something else",
        missingSinceMs: null,
      },
      { type: BUILDINGS, id: 2, source: "config", here: "Hall 2", there: null, missingSinceMs: null },
      { type: BUILDINGS, id: 3, source: "config", here: "Hall 3", there: null, missingSinceMs: null },
    ]);
    const told = site.app.events.newest(5).find(({ event }) => event === "objectives-changed");
    expect(told).toMatchObject({
      subject: BUILDINGS,
      detail: { added: 2, otherwise: [{ id: 1, here: "Hall 1", there: "Something else" }] },
    });
  });

  test("of an import are replaced by those of the dispatch centre, with a notice, and return without it", async () => {
    site.app.objectives.import({ [BUILDINGS]: [{ id: 21, name: "Imported", floors: 2 }] }, "import");
    there["cladiri"] = [hall(21, "The centre's")];
    await pull();
    expect((await site.app.parts.objectives.get({ type: BUILDINGS, id: 21 })).name).toBe("The centre's");
    expect(JSON.stringify(site.app.events.newest(5))).toContain("Imported");
    site.app.database.exec("DELETE FROM centre_objectives");
    expect(await site.app.parts.objectives.get({ type: BUILDINGS, id: 21 })).toMatchObject({
      name: "Imported",
      floors: 2,
    });
  });

  test("of a zone alone get the name of the dispatch centre", async () => {
    site.app.objectives.import({ [BUILDINGS]: [{ id: 31, name: "Obiectiv 31" }] }, "zone");
    there["cladiri"] = [hall(31, "Hala Nord")];
    await pull();
    expect((await site.app.parts.objectives.get({ type: BUILDINGS, id: 31 })).name).toBe("Hala Nord");
    there["cladiri"] = [];
    await pull(true);
    expect(site.create({ objectiveId: 31 }).objectiveId).toBe(31);
  });

  test("of an earlier configuration are replaced like imports", async () => {
    there["cladiri"] = [hall(1, "The centre's")];
    await pull();
    site.app.objectives.release({ [BUILDINGS]: [{ id: 2, name: "Hall 2" }] });
    expect(names()).toEqual(["The centre's", "Hall 2", "Hall 3"]);
  });

  test("include each objective of the dispatch centre that a record refers to", async () => {
    there["cladiri"] = halls(2, 11);
    await pull();
    const { id } = site.create();
    site.app.interventions.update(id, { objectiveId: 12 }, OPERATOR_USER);
    site.app.database.exec("DELETE FROM centre_objectives");
    expect(names()).toContain("Hall 12");
  });
});

const door = (id: number): ObjectiveUser => ({ name: "Door", objective: { type: BUILDINGS, id } });

describe("an objective that a zone uses", () => {
  const conditions = (): string[] => site.health.list().map(({ code, text }) => `${code}: ${text}`);

  test("is an error while the dispatch centre does not list it, and before its lists were read it is not", async () => {
    const { database } = site.app;
    const compared = new ObjectiveNames({ database, conditions: site.health, log: site.log });
    compared.use([
      door(1),
      door(9),
      { ...door(9), name: "Window" },
      { account: "1234", objective: door(8).objective },
    ]);
    compared.check(address);
    expect(conditions()).toEqual([]);
    there["cladiri"] = halls(3);
    await pull();
    compared.check(address);
    expect(site.health.list()).toMatchObject([{ code: "objective-missing", severity: "error" }]);
    expect(conditions()[0]).toContain(
      "obiective/cladiri/9 (Door, Window), obiective/cladiri/8 (1234). Trips",
    );
    there["cladiri"] = halls(9);
    await pull();
    compared.check(address);
    expect(conditions()).toEqual([]);
    there["cladiri"] = halls(8);
    await pull();
    compared.check(address);
    expect(conditions()[0]).toContain("obiective/cladiri/9 (Door, Window). Trips");
    compared.check(undefined);
    expect(conditions()).toEqual([]);
  });

  test("of an alarm panel is not forgotten by a reload", () => {
    const used: string[] = [];
    const seeds = new ObjectiveSeeds(new ObjectiveService(site.app.database), "en", (users) =>
      used.push(usersText(users)),
    );
    seeds.seed({}, [door(1)], [{ account: "1234", objective: door(8).objective }]);
    seeds.seed({}, [door(2)]);
    expect(used[1]).toBe("obiective/cladiri/2 (Door), obiective/cladiri/8 (1234)");
  });
});

describe("the name of an objective that a zone uses", () => {
  const compare = async (here: string, atCentre: string): Promise<ObjectiveNames> => {
    const { database } = site.app;
    new ObjectiveStore(database).put(BUILDINGS, hall(1, here), "config");
    there["cladiri"] = [hall(1, atCentre), hall(2), hall(3)];
    await pull();
    const compared = new ObjectiveNames({ database, conditions: site.health, log: site.log });
    compared.use([door(1), door(1)]);
    compared.check(address);
    return compared;
  };
  const texts = (): string[] => site.health.list().map(({ code, text }) => `${code}: ${text}`);

  test("raises a condition while it is another one at the dispatch centre", async () => {
    const compared = await compare("My flat", "North Hall");
    expect(texts()).toEqual([
      expect.stringMatching(
        /^objective-names-differ: .*: obiective\/cladiri\/1 \("My flat" ≠ "North Hall"\)\. The same id may be another building/,
      ),
    ]);
    there["cladiri"] = [hall(1, "My flat"), hall(2), hall(3)];
    await pull();
    compared.check(address);
    expect(texts()).toEqual([]);
  });

  test("may be written with other case, spaces and diacritics", async () => {
    await compare("Hala  Științei", " hala stiintei");
    expect(texts()).toEqual([]);
  });

  test("is compared with this dispatch centre only, and not without one", async () => {
    const compared = await compare("My flat", "North Hall");
    compared.check("https://other.example");
    expect(texts()).toEqual([]);
    compared.check(address);
    compared.check(undefined);
    expect(texts()).toEqual([]);
  });

  test("is not compared for one that no zone uses or that the configuration does not name", async () => {
    const compared = await compare("My flat", "North Hall");
    compared.use([door(2)]);
    compared.check(address);
    expect(texts()).toEqual([]);
    new ObjectiveStore(site.app.database).release(BUILDINGS, []);
    compared.use([door(1)]);
    compared.check(address);
    expect(texts()).toEqual([]);
  });
});

describe("a dispatch centre whose lists fail", () => {
  test.each<[string, ScriptedResponse]>([
    ["an error", json(500, { message: "no" })],
    ["a gateway's error", { status: 502, body: "<html>" }],
    [
      "a page instead of a list",
      { status: 200, headers: { "Content-Type": "text/html" }, body: "<html>sign in</html>" },
    ],
    ["something other than a list", json(200, { errors: [] })],
  ])("with %s keeps the link, delays no record, and is reported if it persists", async (_what, answer) => {
    centre.answer = () => json(201, { id: 1 });
    centre.read = ({ path }) => (path.startsWith("/obiective") ? answer : json(200, []));
    site.create();
    await pull();
    expect(site.conditions()).toEqual([]);
    await site.push.cycle();
    expect(centre.requests).toHaveLength(1);
    await pull();
    expect(new Set(site.conditions())).toEqual(new Set(["objectives-mirror-stale"]));
    expect(site.health.list()[0]?.text).toContain("Only the configured and imported objectives are known");
    centre.read = ({ path }) => answerOf(path);
    await pull();
    expect(site.conditions()).toEqual([]);
  });

  test("with a Retry-After is retried after it", async () => {
    centre.read = () => json(429, {}, { "Retry-After": "120" });
    await pull();
    expect(site.link.state.waitMs).toBeGreaterThanOrEqual(120_000);
    // The lists after the first are not requested.
    expect(centre.reads).toHaveLength(1);
    mirror.start();
    mirror.runIfDue();
    expect(mirror.progress).toBeUndefined();
  });

  test("half way leaves no partial list", async () => {
    there["cladiri"] = halls(600, 11);
    let pages = 0;
    centre.read = ({ path }) => ((pages += 1) > 2 ? json(503, {}) : answerOf(path));
    expect((await pull())[0]).toMatchObject({ result: "failed" });
    expect(idsAbove3()).toEqual([]);
    expect(lists.lastRead(BUILDINGS)).toBeUndefined();
  });

  test("on a read-only disk fails only the pull", async () => {
    there["cladiri"] = halls(3, 11);
    site.app.database.exec(
      "CREATE TRIGGER full BEFORE INSERT ON centre_objectives BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    expect((await pull())[0]).toMatchObject({
      result: "failed",
      reason: expect.stringContaining("disk full"),
    });
    site.app.database.exec("DROP TRIGGER full");
    expect((await pull())[0]).toMatchObject({ result: "taken" });
  });
});

describe("automatically", () => {
  const listReads = (): number => centre.reads.filter(({ path }) => path.startsWith("/obiective")).length;
  const reread = async (count: number): Promise<void> => {
    await eventually(
      `${count} readings`,
      () => (lists.lastRead("obiective/persoane")?.generation ?? 0) >= count,
    );
    await eventually("the reading to be over", () => mirror.progress === undefined);
  };

  test("the lists are read at the first link, and every hour with a random offset", async () => {
    mirror.start();
    mirror.runIfDue();
    await reread(1);
    mirror.runIfDue();
    expect(mirror.progress).toBeUndefined();
    // The clock shows half past; with the fixed random number the offset is two and a half minutes.
    site.app.clock.advance(30 * 60_000);
    mirror.runIfDue();
    expect(mirror.progress).toBeUndefined();
    site.app.clock.advance(150_000);
    mirror.runIfDue();
    await reread(2);
  });

  test("a restart of a site with lists reads them again with a random offset", async () => {
    await pull();
    mirror = mirrorOf(address);
    mirror.start();
    mirror.runIfDue();
    expect(mirror.progress).toBeUndefined();
    site.app.clock.advance(150_000);
    mirror.runIfDue();
    await reread(2);
  });

  test.each([
    ["an hour back", -HOUR_MS],
    ["thirty days on", 30 * 24 * HOUR_MS],
    ["56 years on", 56 * 365 * 24 * HOUR_MS],
  ])("the lists are read within the hour also when the clock is set %s", async (_what, stepMs) => {
    mirror.start();
    mirror.runIfDue();
    await reread(1);
    site.app.clock.stepWall(stepMs);
    mirror.clockStepped();
    site.app.clock.advance(HOUR_MS);
    mirror.runIfDue();
    site.app.clock.advance(150_000);
    mirror.runIfDue();
    await reread(2);
  });

  test("a list that cannot be read is retried with a growing back-off", async () => {
    centre.read = () => json(500, {});
    mirror.start();
    const waits: number[] = [];
    for (let time = 0; time < 9; time += 1) {
      const before = listReads();
      let waitedMs = 0;
      for (; listReads() === before; waitedMs += 15_000) {
        site.app.clock.advance(15_000);
        mirror.runIfDue();
        await eventually("the reading to be over", () => mirror.progress === undefined);
      }
      waits.push(waitedMs);
    }
    expect(waits[1]).toBe(30_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(HOUR_MS / 2 + 300_000);
    expect(waits.at(-1)).toBeGreaterThan(waits[2] ?? 0);
  });

  test("records have precedence: no page is requested while one is being sent", async () => {
    there["cladiri"] = halls(600, 11);
    centre.answer = () => json(201, { id: 1 });
    const order: string[] = [];
    centre.read = ({ path }) => {
      order.push(path.split("?")[0] ?? "");
      if (order.length === 1) {
        // An alarm is created during the request of the first page.
        site.create({ priority: "high" });
        void site.push.cycle();
      }
      return answerOf(path);
    };
    site.atFailpoint = (name) => void order.push(name);
    await pull();
    expect(order.slice(0, 4)).toEqual([
      "/obiective/cladiri",
      "/interventii",
      "sync-posting-committed",
      "sync-answered",
    ]);
    expect(idsAbove3()).toHaveLength(600);
  });
});

test("a record with a missing objective is sent again after each pull", async () => {
  centre.answer = () => notFound("objective does not exist");
  const { id } = site.create();
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("blocked");
  centre.answer = () => json(201, { id: 1 });
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("blocked");
  await pull();
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("linked");
});

describe("a request during a pull", () => {
  test("waits for the current lists, and all such requests get the same", async () => {
    there["cladiri"] = halls(2, 101);
    const names = (): unknown[] =>
      buildings()
        .filter(({ id }) => id > 100)
        .map(({ name }) => name);
    const asked: Promise<readonly ListOutcome[]>[] = [];
    centre.read = (request) => {
      const answer = answerOf(request.path);
      // The buildings are read by then.
      if (asked.length === 0 && request.path.includes("persoane")) {
        there["cladiri"] = [hall(101, "renamed"), hall(102, "renamed")];
        asked.push(pull(), pull());
      }
      return answer;
    };
    await pull();
    expect(names()).toEqual(["Hall 101", "Hall 102"]);
    const [first, second] = await Promise.all(asked);
    expect(names()).toEqual(["renamed", "renamed"]);
    expect(second).toBe(first);
  });

  test("does not get the error of that pull", async () => {
    there["cladiri"] = halls(2);
    onPulled = () => {
      throw new Error("the disk is gone");
    };
    const [first, second] = [pull(), pull()];
    await expect(first).rejects.toThrow("the disk is gone");
    onPulled = () => {};
    expect((await second)[0]).toMatchObject({ result: "taken" });
    expect((await pull())[0]).toMatchObject({ result: "taken" });
  });
});

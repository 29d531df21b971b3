import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { REBUILD_COUNTS } from "../../src/store/intervention-lists.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { askDaemon, type ControlAnswer } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

/*
 * More records and objectives than the daemon sorts for one list on its event loop. The test checks the order of responses,
 * not durations.
 */

const RECORDS = 11_000;
const OBJECTIVES = 10_000;
/** Sorted by a text without an index, with a large offset: all records are read, sorted and skipped. */
const LONG_LIST = `/interventii?_sort=notes&_order=DESC&_start=${RECORDS - 1_000}&_end=${RECORDS}`;
/** As long to sort, and short to read: a client that is busy with responses sends its other requests too late (408). */
const LONG_SORT = `/interventii?_sort=notes&_order=DESC&_start=${RECORDS - 1}&_end=${RECORDS}`;

/** As many lists as wait for their turn: an alarm that waited for them would come after the last one. */
const LISTS = 10;
/** A zone for each test with an opening, so that each opening has an intervention of its own. */
const ZONES = ["door", "gate", "window", "hatch"];

describe("a site with very large tables of records and objectives", () => {
  const installation = Installation.temporary(afterAll);
  let site: DaemonProcess;
  let dataDir: string;

  beforeAll(async () => {
    site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: off\nzones:\n${ZONES.map(zoneYaml).join("")}`,
    );
    dataDir = join(installation.folder, "site");
    mkdirSync(dataDir, { mode: 0o700 });
    addRecords(join(dataDir, "santinela.db"));
    await site.start();
  });

  const ask = (path: string): Promise<ControlAnswer> => askDaemon(dataDir, "GET", path);
  const idsIn = ({ value }: ControlAnswer): number[] => (value as { id: number }[]).map(({ id }) => id);

  const simulate = (zone: string, contact: string): Promise<ControlAnswer> =>
    askDaemon(dataDir, "POST", "/site/simulate", { zone, contact });

  /** Asks for many long lists and opens a zone. @returns the answers, if the opening had its intervention before the last one */
  async function openDuring(path: string, zone: string): Promise<ControlAnswer[]> {
    await simulate(zone, "normal");
    let ended = 0;
    const lists = Array.from({ length: LISTS }, () => ask(path).finally(() => (ended += 1)));
    await simulate(zone, "open");
    const intervention = await eventually("the intervention of the opening", async () => {
      const trips = (await ask("/site/trips?limit=10")).value as readonly Trip[];
      return trips.find(({ zoneId }) => zoneId === zone)?.interventionId;
    });
    expect((await ask(`/interventii/${intervention}`)).value).toMatchObject({ priority: "high" });
    expect(ended).toBeLessThan(LISTS);
    return Promise.all(lists);
  }

  test("an opening has its intervention while lists are sorted without an index", async () => {
    for (const { status, headers, value } of await openDuring(LONG_LIST, "door")) {
      // The intervention is in the later ones.
      expect([status, Number(headers["x-total-count"]) - RECORDS]).toEqual([200, expect.toBeOneOf([0, 1])]);
      expect(value).toHaveLength(1_000);
    }
  });

  test("a long list and its total have the format of a short one", async () => {
    const all = idsIn(await ask("/interventii?_sort=notes&_order=DESC&_start=0&_end=1000"));
    // Notes are `note 0` to `note 11000` in the order of their text; equal ones do not occur.
    const byNote = Array.from({ length: RECORDS }, (_, index) => index + 1).sort((a, b) =>
      `note ${a}` < `note ${b}` ? 1 : -1,
    );
    expect(all).toEqual(byNote.slice(0, 1_000));
    const found = await ask("/interventii?q=note%2010999");
    expect([found.headers["x-total-count"], idsIn(found)]).toEqual(["1", [10_999]]);
    const page = await ask("/interventii?crews=2&_start=3000&_end=3002");
    expect([page.headers["x-total-count"], idsIn(page)]).toEqual(["5500", [6_001, 6_003]]);
  });

  test.each([
    ["q=hala%207", "gate"],
    ["_sort=name&_order=DESC", "window"],
    ["city=Cluj", "hatch"],
  ])("an opening has its intervention while objectives are searched or sorted: %s", async (query, zone) => {
    for (const { status, value } of await openDuring(`/obiective/cladiri?${query}&_end=5`, zone))
      expect([status, (value as object[]).length]).toEqual([200, 5]);
  });

  test("a long list of objectives and its total have the format of a short one, and its errors their remedy", async () => {
    const found = await ask("/obiective/cladiri?q=HALA%20999&_sort=name&_order=DESC&_start=1&_end=3");
    expect([found.headers["x-total-count"], idsIn(found)]).toEqual(["11", [9_998, 9_997]]);
    expect((found.value as object[])[0]).toMatchObject({ name: "Hala 9998", city: "Cluj", floors: null });
    const named = await ask("/obiective/cladiri?id=7&id=9999&id=12");
    expect([named.headers["x-total-count"], idsIn(named)]).toEqual(["3", [7, 12, 9_999]]);
    const last = await ask(
      `/obiective/cladiri?_sort=id&_order=ASC&_start=${OBJECTIVES - 1}&_end=${OBJECTIVES + 5}`,
    );
    expect([last.headers["x-total-count"], idsIn(last)]).toEqual([String(OBJECTIVES), [OBJECTIVES]]);
    const refused = await ask("/obiective/cladiri?_sort=nonsense");
    expect([refused.status, (refused.value as { message: string }).message]).toEqual([
      400,
      '_sort must name a field of the record, not "nonsense"',
    ]);
  });

  test("objectives in the order of their names do not wait for the long lists of interventions of their account", async () => {
    const isOver = { value: false };
    const lists = Promise.all(Array.from({ length: LISTS }, () => ask(LONG_LIST))).finally(
      () => (isOver.value = true),
    );
    const choice = await ask("/obiective/cladiri?_end=50&_sort=name");
    expect([choice.status, (choice.value as object[]).length, isOver.value]).toEqual([200, 50, false]);
    await lists;
  });

  test("long lists of an account wait for each other, and those that wait too long get a remedy", async () => {
    const answers = await Promise.all(Array.from({ length: 150 }, () => ask(LONG_SORT)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(150);
    for (const { status, headers, value } of refused) {
      expect([status, Number(headers["retry-after"]) > 0]).toEqual([429, true]);
      expect(value).toMatchObject({
        error: "Too Many Requests",
        message: expect.stringMatching(/already reads 2 slow lists.*Filter by status/) as string,
        statusCode: 429,
      });
    }
    expect((await ask(LONG_SORT)).status).toBe(200);
  });

  test("a daemon that reads long lists stops in order", async () => {
    const lists = Array.from({ length: 10 }, () => ask(LONG_LIST).catch(() => undefined));
    await eventually(
      "the first lists to be asked for",
      async () => (await ask("/interventii/1")).status === 200,
    );
    await site.end("SIGTERM");
    const statuses = (await Promise.all(lists)).map((answer) => answer?.status);
    expect(statuses.filter((status) => ![200, 429, 503, undefined].includes(status))).toEqual([]);
  });
});

function zoneYaml(id: string, index: number): string {
  return `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${index + 1} }, input: { simulated: true } }\n`;
}

function addRecords(path: string): void {
  const database = openMainDatabase(path);
  database.exec(`
    BEGIN;
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${OBJECTIVES})
    INSERT INTO objectives(kind, id, data, source)
      SELECT 'obiective/cladiri', n, json_object('id', n, 'name', 'Hala ' || n, 'city', 'Cluj'), 'import' FROM numbers;
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RECORDS})
    INSERT INTO interventions(uid, name, nameFolded, notes, notesFolded, status, priority, type, objectiveType, objectiveId,
        crews, police, ambulance, firetruck, dispeceratId, created_by, created_at, updated_at)
      SELECT 'made-' || n, 'Patrol', 'patrol', 'note ' || n, 'note ' || n, 'done', 'low', 'other', 'obiective/cladiri', 1,
        1 + n % 2, 0, 0, 0, 1, 1, 0, 0 FROM numbers;
    ${REBUILD_COUNTS}
    COMMIT;
  `);
  database.close();
}

import { afterEach, beforeEach, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { json, NonconformingCentre, notFound } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/*
 * Centres that follow the contract, but ignore `_start` and `_end` and send the number of rows of their page as the total. What
 * is not on the page must never count as missing.
 */

/** Rows of one response. */
const PAGE_ROWS = 20;

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

let centre: NonconformingCentre;
let site: SyncingSite;
let rows: Row[];
let ignoresSort: boolean;
let ignoresFilters: boolean;
let pageRows: number;

beforeEach(async () => {
  rows = [];
  ignoresSort = false;
  ignoresFilters = false;
  pageRows = PAGE_ROWS;
  centre = new NonconformingCentre();
  centre.answer = ({ body }) => json(201, add(JSON.parse(body) as object));
  centre.read = ({ path }) => {
    const url = new URL(path, "http://centre");
    const id = /^\/interventii\/(\d+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) {
      const found = rows.find((row) => row.id === Number(id));
      return found ? json(200, found) : notFound();
    }
    const page = listed(url.searchParams).slice(0, pageRows);
    return json(200, page, { "X-Total-Count": String(page.length) });
  };
  site = new SyncingSite(await TestApp.make(), await centre.start());
});
afterEach(async () => {
  await site.close();
  await centre.stop();
});

function add(fields: object): Row {
  const defaults = {
    status: "planned",
    priority: "medium",
    type: "maintenance",
    dateStart: null,
    notes: null,
  };
  const row = { id: rows.length + 1, ...defaults, ...fields };
  rows = [...rows, row];
  return row;
}

function listed(query: URLSearchParams): Row[] {
  const filters = ["status", "priority", "type"].filter((name) => !ignoresFilters && query.has(name));
  const found = rows.filter((row) => filters.every((name) => row[name] === query.get(name)));
  return query.get("_order") === "DESC" && !ignoresSort ? found.toReversed() : found;
}

/** Records that dispatchers have typed in. */
function typeOthers(count: number, fields: object = {}): void {
  for (let index = 0; index < count; index += 1)
    add({ name: `call ${index}`, objectiveType: "obiective/cladiri", objectiveId: 7, ...fields });
}

/** Compares with the centre once. */
async function compare(): Promise<void> {
  site.app.clock.advance(60_000);
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
}

test("an alarm whose response was lost is not sent a second time if it is not on the page", async () => {
  [ignoresSort, ignoresFilters] = [true, true];
  typeOthers(30);
  const { answer } = centre;
  centre.answer = (request) => {
    centre.answer = answer;
    answer(request);
    return json(504, {});
  };
  site.create({ name: "Panic", priority: "high" });
  for (let minute = 0; minute < 120; minute += 1) {
    await site.push.cycle();
    site.app.clock.advance(60_000);
  }
  expect(rows.filter(({ name }) => name === "Panic")).toHaveLength(1);
});

test.each([
  ["the filters show them", false],
  ["nothing shows them", true],
])("records that are not on the page do not count as missing, whether %s or not", async (_what, ignores) => {
  ignoresFilters = ignores;
  const { id } = site.create({ name: "Patrol" });
  await site.push.cycle();
  for (const priority of ["low", "high"]) typeOthers(15, { priority });
  for (let hour = 0; hour < 3; hour += 1) await compare();
  const comparison = site.outbox.comparison();
  if (ignores) expect(comparison).toBeNull();
  else expect(comparison).toMatchObject({ here: 1, there: 1, differences: [] });
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  expect(site.conditions()).toEqual([]);
});

test.each([1, 2, PAGE_ROWS])(
  "%i records in one response are compared if they are the same from both ends",
  async (count) => {
    ignoresFilters = true;
    site.create({ name: "Patrol" });
    await site.push.cycle();
    typeOthers(count - 1);
    await compare();
    expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1, differences: [] });
    rows = rows.filter(({ name }) => name !== "Patrol");
    await compare();
    expect(site.outbox.comparison()).toMatchObject({ differences: [{ kind: "missing-there" }] });
  },
);

test("a whole list that a centre returns without order counts, if it is longer than a page", async () => {
  [ignoresSort, ignoresFilters] = [true, true];
  const { read } = centre;
  centre.read = (request) => {
    pageRows = request.path.includes("_end=") ? PAGE_ROWS : Infinity;
    return read(request);
  };
  typeOthers(30);
  site.create({ name: "Patrol" });
  await site.push.cycle();
  await compare();
  expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1, differences: [] });
});

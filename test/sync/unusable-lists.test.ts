import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { CentreTrials } from "../../src/sync/centre-trials.ts";
import { TestApp } from "../support/app.ts";
import {
  json,
  NonconformingCentre,
  notFound,
  type ReceivedRequest,
  type ScriptedResponse,
} from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* An alarm without a response is searched for at a centre whose list does not follow the contract. */

interface Row {
  readonly id: number | string;
}

const internalError = json(500, { error: "Internal Server Error", message: "failed", statusCode: 500 });

let centre: NonconformingCentre;
let site: SyncingSite;
let baseUrl: string;
/** What the centre has, newest first. */
let rows: Row[];
let idOf: (id: number) => number | string;
/** Response to the requests for a page. */
let pageOf: (start: number, page: readonly Row[]) => ScriptedResponse;

beforeEach(async () => {
  rows = [];
  idOf = (id) => id;
  pageOf = (_start, page) => json(200, page);
  centre = new NonconformingCentre();
  centre.answer = ({ body }: ReceivedRequest) => {
    const record = { ...(JSON.parse(body) as object), id: idOf(rows.length + 1) };
    rows = [record, ...rows];
    return json(201, record);
  };
  centre.read = ({ path }) => {
    const query = new URL(path, "http://centre").searchParams;
    const [start, end] = [Number(query.get("_start") ?? 0), Number(query.get("_end") ?? rows.length)];
    return pageOf(start, rows.slice(start, end));
  };
  baseUrl = await centre.start();
  site = new SyncingSite(await TestApp.make(), baseUrl);
});
afterEach(async () => {
  await site.close();
  await centre.stop();
});

test("a list that cannot be read in a day of comparisons is a condition until a comparison succeeds", async () => {
  const compare = async (): Promise<void> => {
    site.app.clock.advance(3_600_000);
    site.push.audit.makeDue();
    await site.push.audit.runIfDue();
  };
  site.create();
  await site.push.cycle();
  // Each page is the first one, in an order that no parameter changes.
  const others = Array.from({ length: 100 }, (_, index) => ({ id: 5 + ((index * 7) % 100) }));
  pageOf = () => json(200, others);
  for (let hour = 0; hour < 24; hour += 1) await compare();
  expect(site.conditions(), "within a day").toEqual([]);
  for (let hour = 0; hour < 2; hour += 1) await compare();
  expect(site.conditions()).toEqual(["upstream-not-compared"]);
  pageOf = (_start, page) => json(200, page);
  await compare();
  expect(site.conditions()).toEqual([]);
});

test("comparisons that an error ends each time are a condition too", async () => {
  site.app.database.exec(
    `CREATE TRIGGER broken BEFORE INSERT ON centre_facts WHEN new.name = 'comparison' BEGIN SELECT RAISE(FAIL, 'broken'); END`,
  );
  const failures: unknown[] = [];
  for (let hour = 0; hour < 26; hour += 1) {
    site.app.clock.advance(3_600_000);
    site.push.audit.makeDue();
    await site.push.audit.runIfDue().catch((error: unknown) => failures.push(error));
  }
  expect(failures).toHaveLength(26);
  expect(site.conditions()).toEqual(["upstream-not-compared"]);
});

/** Lets two hours pass, a minute at a time. */
async function twoHours(): Promise<void> {
  for (let minute = 0; minute < 120; minute += 1) {
    site.app.clock.advance(60_000);
    await site.push.cycle();
  }
}

/** The response to the first POST is lost. */
function loseFirst(isStored: boolean): void {
  const { answer } = centre;
  centre.answer = (request) => {
    centre.answer = answer;
    if (isStored) answer(request);
    return json(504, {});
  };
}

test("an alarm without a response is sent again where keys are honoured, whatever the list shows, and others are not", async () => {
  const { answer } = centre;
  const keyed = (request: ReceivedRequest): ScriptedResponse => ({
    ...answer(request),
    headers: { "Content-Type": "application/json", "Idempotency-Key": '"key"' },
  });
  centre.answer = keyed;
  site.create();
  await site.push.cycle();
  // Records without an id: the list is never complete.
  pageOf = () => json(200, [{ id: "a" }, { id: "b" }]);
  for (const priority of ["high", "low"] as const) {
    loseFirst(false);
    const { id } = site.create({ priority });
    await site.push.cycle();
    site.app.clock.advance(60_000);
    await site.push.cycle();
    expect(site.entry(id).phase, priority).toBe(priority === "high" ? "linked" : "unsure");
  }
});

describe("at a centre that returns keys, whose list is never complete and whose responses to POST are lost", () => {
  let id: number;

  beforeEach(async () => {
    const { answer } = centre;
    centre.answer = (request) => ({
      ...answer(request),
      headers: { "Content-Type": "application/json", "Idempotency-Key": '"key"' },
    });
    site.create();
    await site.push.cycle();
    pageOf = () => json(200, [{ id: "a" }, { id: "b" }]);
    centre.answer = (request) => {
      answer(request);
      return json(504, {});
    };
    ({ id } = site.create({ priority: "high" }));
    await site.push.cycle();
  });

  async function postsAfter(minutes: number): Promise<number> {
    for (let minute = 0; minute < minutes; minute += 1) {
      site.app.clock.advance(60_000);
      await site.push.cycle();
    }
    return rows.length - 1;
  }

  test("an alarm is sent four times, then once every half hour: a gateway may return the keys", async () => {
    expect(await postsAfter(25)).toBe(4);
    site.restart();
    expect(await postsAfter(60)).toBe(6);
    expect(site.conditions()).toContain("upstream-alarm-unproved");
    site.push.operator.retry(id);
    expect(await postsAfter(1)).toBe(7);
  });

  test("an alarm is sent without this limit if a test has proved the keys", async () => {
    const traits = { baseUrl, atMs: 0, marker: "notes", rowsMax: 2, honoursKeys: true } as const;
    new UpstreamCapabilities(site.app.database).noteTraits(traits);
    expect(await postsAfter(25)).toBeGreaterThan(8);
  });
});

describe("at a centre that returns keys, whose answers to POST have no record", () => {
  let id: number;

  beforeEach(async () => {
    const { answer } = centre;
    centre.answer = (request) => ({
      ...answer(request),
      headers: { "Content-Type": "application/json", "Idempotency-Key": '"key"' },
    });
    site.create();
    await site.push.cycle();
    // The list is complete, and shows the record later.
    centre.read = () => json(200, rows.slice(-1));
    centre.answer = (request) => {
      answer(request);
      return json(202, {});
    };
    ({ id } = site.create({ priority: "high" }));
    await site.push.cycle();
  });

  async function postsAfter(seconds: number): Promise<number> {
    for (let second = 0; second < seconds; second += 10) {
      site.app.clock.advance(10_000);
      await site.push.cycle();
    }
    return rows.length - 1;
  }

  test("an alarm is searched for during a minute, and sent four times in the first half hour", async () => {
    expect(await postsAfter(50)).toBe(1);
    expect(await postsAfter(25 * 60)).toBe(4);
    centre.read = () => json(200, rows);
    await postsAfter(600);
    expect(site.entry(id).phase).toBe("linked");
  });

  test("an alarm is sent without this limit if a test has proved the keys, returned or not", async () => {
    const facts = new UpstreamCapabilities(site.app.database);
    facts.noteTraits({ baseUrl, atMs: 0, marker: "notes", rowsMax: 2, honoursKeys: true });
    facts.noteKeys(false);
    expect(await postsAfter(600)).toBeGreaterThan(4);
  });
});

test("an alarm is found at a centre that answers 404 after the last page of its list", async () => {
  pageOf = (start, page) => (start > 0 && page.length === 0 ? notFound("no such page") : json(200, page));
  loseFirst(true);
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  await twoHours();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
  expect(rows).toHaveLength(1);
});

test("an alarm that is not there is sent again at a centre that answers 404 after the last page", async () => {
  rows = [{ id: 1 }];
  pageOf = (start, page) => (start > 0 && page.length === 0 ? notFound("no such page") : json(200, page));
  loseFirst(false);
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  await twoHours();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
});

test.each([
  ["answers its list with an internal error", () => internalError],
  [
    "answers the pages after the first with a page of a gateway",
    (start: number, page: readonly Row[]): ScriptedResponse =>
      start > 0
        ? { status: 404, headers: { "Content-Type": "text/html" }, body: "<p>Not here" }
        : json(200, page),
  ],
])(
  "an alarm without a response is reported at a centre that %s, and sent again by a retry",
  async (_what, page) => {
    rows = [{ id: 2 }, { id: 1 }];
    loseFirst(false);
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    // Others fill more than a page meanwhile.
    rows = [...Array.from({ length: 150 }, (_, index) => ({ id: 152 - index })), ...rows];
    pageOf = page;
    await twoHours();
    expect(site.entry(id).phase).toBe("unsure");
    expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
    expect(centre.requests).toHaveLength(1);
    site.push.operator.retry(id);
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("linked");
    expect(rows).toHaveLength(153);
  },
);

test("an alarm is sent once to a centre whose ids are texts, and reported as unconfirmed", async () => {
  idOf = String;
  site.create({ priority: "high" });
  await site.push.cycle();
  await twoHours();
  expect(rows).toHaveLength(1);
  expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
});

test("the same at a centre that ignores pages", async () => {
  idOf = String;
  rows = Array.from({ length: 30 }, (_, index) => ({ id: String(30 - index) }));
  const all = centre.read;
  centre.read = (request) => all({ ...request, path: "/interventii?_start=0&_end=20" });
  site.create({ priority: "high" });
  await site.push.cycle();
  await twoHours();
  expect(rows).toHaveLength(31);
  expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
});

test("a test of a centre whose ids are texts reports it", async () => {
  idOf = String;
  const { clock, database } = site.app;
  const options = { centre: site.centre, clock, database, baseUrl, siteRef: "test", newKey: randomUUID };
  const objective = { objectiveType: "obiective/cladiri", objectiveId: 12 } as const;
  const { findings } = await new CentreTrials(options).run(objective);
  expect(findings).toMatchObject([{ code: "ids-not-numbers", status: "error" }]);
  expect(findings[0]?.text).toContain("without a numeric id");
});

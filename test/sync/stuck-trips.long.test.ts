import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import {
  json,
  notFound,
  type ReceivedRequest,
  type ScriptedResponse,
} from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A trip has joined a record that the dispatch centre has, or seems to have, and that cannot be updated there. */

const FIRST = {
  name: "Alarm",
  priority: "high",
  notes: "03:27 Door",
  dateStart: "2026-11-20T03:27:00",
} as const;
const BOTH = "03:27 Door\n03:41 Smoke in the hall";

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

function join(id: number, notes = BOTH): void {
  site.app.interventions.change(id, { body: { notes }, hasTripJoined: true }, DEVICE_USER);
}

function notesThere(): string[] {
  return [...centre.rows.values()].map(({ notes }) => String(notes).replace(/\n\[ref.*/, ""));
}

const page = (status: number): ScriptedResponse => ({
  status,
  headers: { "Content-Type": "text/html" },
  body: "<p>",
});

describe.each([
  ["403", json(403, { error: "Forbidden", message: "no", statusCode: 403 })],
  ["405", json(405, {})],
  ["500", json(500, {})],
  ["404 in the form of a gateway", page(404)],
  ["200 and another object", json(200, { ok: true })],
  ["200 and null", json(200, null)],
  ["a page", page(200)],
  ["the end of the connection", { status: 0 }],
])("at a centre that answers each read of a record with %s", (_what, answer) => {
  test("the line of the trip is in a record of its own within a quarter of an hour", async () => {
    const { id } = site.create(FIRST);
    await site.push.cycle();
    centre.instead = ({ method, path }) =>
      method === "GET" && path.startsWith("/interventii/") ? answer : undefined;
    join(id);
    await site.minutes(8);
    expect(centre.rows.size).toBe(1);
    await site.minutes(10);
    expect(notesThere()).toEqual([FIRST.notes, "03:41 Smoke in the hall"]);
    expect(centre.rows.get(2)).toMatchObject({ priority: "high", status: "planned" });
    await site.minutes(60);
    expect(centre.rows.size).toBe(2);
    join(id, `${BOTH}\n05:10 Fire in the attic`);
    await site.minutes(25);
    expect(notesThere()[2]).toBe("05:10 Fire in the attic");
  });
});

test("a trip, and the services that it confirms, reach a centre where the account may only create records", async () => {
  const { id } = site.create(FIRST);
  await site.push.cycle();
  centre.instead = ({ method }) =>
    method === "GET" ? json(403, { error: "Forbidden", message: "no", statusCode: 403 }) : undefined;
  const body = { notes: BOTH, police: true, firetruck: true };
  site.app.interventions.change(id, { body, hasTripJoined: true }, DEVICE_USER);
  await site.minutes(20);
  expect(notesThere()).toEqual([FIRST.notes, "03:41 Smoke in the hall"]);
  expect(centre.rows.get(2)).toMatchObject({ priority: "high", police: true, firetruck: true });
  centre.instead = () => undefined;
  await site.minutes(60);
  expect(notesThere()).toEqual([FIRST.notes, "03:41 Smoke in the hall"]);
});

test.each([
  ["405", json(405, {})],
  ["501", json(501, {})],
  ["404", notFound("no such path")],
  ["the 404 of a gateway", page(404)],
])(
  "a trip reaches a centre that answers every read with %s, and is in one record once reads work",
  async (_what, answer) => {
    const { id } = site.create(FIRST);
    await site.push.cycle();
    centre.instead = ({ method }) => (method === "GET" ? answer : undefined);
    join(id);
    await site.minutes(20);
    expect(notesThere()).toEqual([FIRST.notes, "03:41 Smoke in the hall"]);
    await site.minutes(60);
    centre.instead = () => undefined;
    await site.minutes(60);
    expect(notesThere()).toEqual([FIRST.notes, "03:41 Smoke in the hall"]);
    expect(site.conditions()).toEqual([]);
  },
);

const posts = ({ method }: ReceivedRequest): boolean => method === "POST";

describe.each<[what: string, list: () => ScriptedResponse]>([
  ["has records without ids", () => json(200, [{ name: "Other" }])],
  ["cannot be read", () => json(500, {})],
  ["does not show the record", () => json(200, [])],
])("a centre that answers without the record, and whose list %s", (_what, list) => {
  test("gets the line of a trip that has joined since in a record of its own", async () => {
    const bodies: string[] = [];
    centre.instead = (request) => {
      if (request.method === "GET") {
        const isSimple = request.path === "/interventii?_start=0&_end=1";
        return isSimple ? json(200, []) : list();
      }
      if (!posts(request)) return undefined;
      bodies.push((JSON.parse(request.body) as { notes: string }).notes);
      return json(202, {});
    };
    const { id } = site.create(FIRST);
    await site.minutes(3);
    expect(site.entry(id).phase).toBe("unsure");
    join(id);
    await site.minutes(30);
    expect(bodies.some((notes) => notes.startsWith("03:41 Smoke in the hall"))).toBe(true);
    expect(site.app.records()).toHaveLength(2);
  });
});

describe("trips that join an unconfirmed record, each later than ten minutes", () => {
  const LINES = ["03:41 Smoke in the hall", "04:20 Fire in the attic", "05:10 Fire in the cellar"];
  let held: ReceivedRequest | undefined;
  let id: number;

  beforeEach(async () => {
    held = undefined;
    centre.instead = (request) => {
      if (request.method === "GET" && request.path !== "/interventii?_start=0&_end=1") return json(500, {});
      if (!posts(request) || held) return undefined;
      held = request;
      return json(202, {});
    };
    ({ id } = site.create(FIRST));
    await site.minutes(3);
    for (const [at] of LINES.entries()) {
      join(id, [FIRST.notes, ...LINES.slice(0, at + 1)].join("\n"));
      await site.minutes(40);
    }
    expect(site.entry(id).phase).toBe("unsure");
  });

  test("have one record each", () => {
    expect(notesThere()).toEqual(LINES);
  });

  test("are in no other record once the first one is found", async () => {
    if (held) centre.arrive(held);
    centre.instead = () => undefined;
    await site.minutes(60);
    expect(site.entry(id)).toMatchObject({ phase: "linked", wantRev: 4, syncedRev: 4 });
    expect(notesThere().sort()).toEqual([FIRST.notes, ...LINES]);
  });

  test("are in no other record once the first one is sent again", async () => {
    centre.instead = () => undefined;
    await site.minutes(60);
    expect(site.entry(id)).toMatchObject({ phase: "linked", wantRev: 4, syncedRev: 4 });
    expect(notesThere().sort()).toEqual([FIRST.notes, ...LINES]);
  });

  test("are followed by one that joins the record once it is found", async () => {
    if (held) centre.arrive(held);
    centre.instead = () => undefined;
    await site.minutes(60);
    join(id, [FIRST.notes, ...LINES, "06:30 Window"].join("\n"));
    await site.minutes(10);
    expect(centre.rows.size).toBe(4);
    expect(notesThere().filter((notes) => notes.includes("06:30 Window"))).toHaveLength(1);
  });
});

test.each([502, 0])(
  "a trip that joins during an outage is not in a second record: status %i",
  async (status) => {
    const { id } = site.create(FIRST);
    await site.push.cycle();
    centre.instead = () => ({ status });
    join(id);
    await site.minutes(40);
    centre.instead = () => undefined;
    await site.minutes(15);
    expect(notesThere()).toEqual([BOTH]);
  },
);

test("a trip that joins a record which is deleted there during an outage is sent with it, once", async () => {
  const { id } = site.create(FIRST);
  await site.push.cycle();
  centre.instead = () => ({ status: 502 });
  join(id);
  await site.minutes(40);
  centre.rows.clear();
  centre.add({ name: "Newer" });
  centre.instead = () => undefined;
  await site.minutes(30);
  expect(notesThere().slice(1)).toEqual([BOTH]);
});

test.each([
  ["a search", 1],
  ["a search, and the simple read after it,", 2],
])("%s that a gateway denies once costs no second record", async (_what, count) => {
  let hasArrived = false;
  centre.instead = (request) => {
    if (!posts(request) || hasArrived) return undefined;
    hasArrived = true;
    return json(504, {});
  };
  const { id } = site.create(FIRST);
  await site.push.cycle();
  join(id);
  centre.instead = () => ({ status: 0 });
  await site.minutes(15);
  let denials = 0;
  centre.instead = (request) => {
    if (request.method !== "GET" || denials === count) return undefined;
    denials += 1;
    return json(403, {});
  };
  await site.minutes(30);
  expect(denials).toBe(count);
  expect(notesThere()).toEqual([BOTH]);
  expect(site.entry(id).phase).toBe("linked");
});

test("a gateway that denies everything for a moment delays a waiting alarm by a minute at most", async () => {
  centre.instead = () => json(403, {});
  site.create({ ...FIRST, priority: "low" });
  await site.push.cycle();
  const { id } = site.create(FIRST);
  await site.push.cycle();
  centre.instead = () => undefined;
  await site.minutes(2);
  expect(site.entry(id).phase).toBe("linked");
});

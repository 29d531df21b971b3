import { beforeEach, describe, expect, test } from "vitest";
import { type CentreRow, InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* The contract shows neither the body of a list nor that of a record that is read: both may be wrapped. */

let centre: InMemoryCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

/** Answers the reads of single records with a body of this form. */
function wrapRecords(wrapped: (row: CentreRow) => unknown): void {
  centre.instead = ({ method, path }) => {
    const row = centre.rows.get(Number(/^\/interventii\/(\d+)$/.exec(path)?.[1]));
    return method === "GET" && row ? json(200, wrapped(row)) : undefined;
  };
}

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    site.app.clock.advance(60_000);
    await site.push.cycleWithChecks();
  }
}

test.each<[what: string, wrapped: (row: CentreRow) => unknown]>([
  ["in a field of its own", (row) => ({ intervention: row })],
  ["beside others", (row) => ({ success: true, message: null, item: row, user: { id: 7 } })],
  ["in a field of data", (row) => ({ data: { intervention: row } })],
  [
    "beside its office, which has the same id",
    (row) => ({ dispecerat: { id: row.id, name: "Nord" }, interventie: row }),
  ],
  ["with its office in it", (row) => ({ interventie: { ...row, dispecerat: { id: row.id, name: "Nord" } } })],
  ["as an array", (row) => [row]],
  ["as the only item of a list", (row) => ({ items: [row], total: 1 })],
])("what a dispatcher does arrives if a record is read %s", async (_what, wrapped) => {
  wrapRecords(wrapped);
  const { id } = site.create();
  await site.push.cycle();
  centre.edit(1, { status: "done" });
  await pass(10);
  expect(site.app.interventions.get(id).record.status).toBe("done");
});

describe("a read that is answered without the record", () => {
  test("twice makes the record doubtful until it is read again", async () => {
    wrapRecords(() => ({ ok: true }));
    const { id } = site.create();
    await site.push.cycle();
    await pass(6);
    expect(site.outbox.summary().doubtful).toBe(0);
    await pass(6);
    expect(site.outbox.summary().doubtful).toBe(1);
    expect(site.entry(id)).toMatchObject({ phase: "linked", lastError: expect.stringContaining("record 1") });
    centre.instead = () => undefined;
    await pass(6);
    expect(site.outbox.summary().doubtful).toBe(0);
    expect(site.entry(id).lastError).toBeNull();
  });

  test("but with another object of its id does so too: it stays linked", async () => {
    wrapRecords(({ id }) => ({ dispecerat: { id, name: "Nord" } }));
    const { id } = site.create();
    await site.push.cycle();
    await pass(12);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
  });

  test("once does not", async () => {
    wrapRecords(() => ({ ok: true }));
    site.create();
    await site.push.cycle();
    await pass(6);
    centre.instead = () => undefined;
    await pass(6);
    wrapRecords(() => ({ ok: true }));
    await pass(6);
    expect(site.outbox.summary().doubtful).toBe(0);
  });
});

const LISTS: readonly [what: string, wrapped: (rows: readonly unknown[]) => object][] = [
  ["content, with the page", (content) => ({ content, pageable: { sort: [] }, totalElements: 1 })],
  ["a field of its own", (interventii) => ({ interventii })],
  ["_embedded", (interventii) => ({ _embedded: { interventii }, _links: { self: [] } })],
  ["a field of data", (rows) => ({ data: { rows, count: rows.length } })],
];

function listed(wrapped: (rows: readonly unknown[]) => object) {
  return ({ method, path }: ReceivedRequest): ScriptedResponse | undefined => {
    if (method !== "GET" || !path.startsWith("/interventii?")) return undefined;
    const query = new URL(path, "http://centre").searchParams;
    const rows = [...centre.rows.values()].sort((a, b) => b.id - a.id);
    return json(200, wrapped(rows.slice(Number(query.get("_start")), Number(query.get("_end")))));
  };
}

test.each(LISTS)("records are compared with a list in %s", async (_what, wrapped) => {
  centre.instead = listed(wrapped);
  site.create();
  await site.push.cycle();
  await pass(1);
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
  expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1, differences: [] });
});

test.each([
  ["errors", { errors: [] }],
  ["the details of an error", { statusCode: 200, message: "later", details: [] }],
  ["two arrays", { old: [], recent: [] }],
])("a response with %s is no empty list", async (_what, body) => {
  site.create();
  await site.push.cycle();
  centre.instead = listed(() => body);
  await pass(1);
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
  expect(site.outbox.comparison()).toBeNull();
});

import request from "supertest";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { SyncGroup } from "../../src/domain/sync-group.ts";
import { InterventionLists } from "../../src/store/intervention-lists.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* The list of interventions of a site, by how far they have come to the dispatch centre. */

let centre: InMemoryCentre;
let site: SyncingSite;
let hasUpstream = true;
beforeEach(async () => {
  hasUpstream = true;
  centre = new InMemoryCentre();
  const app = await TestApp.make({ hasUpstream: () => hasUpstream });
  site = new SyncingSite(app, await centre.start());
});
afterEach(async () => {
  await site.close();
  await centre.stop();
});

async function ask(query: string, status: number) {
  // The clock of a test runs ahead of any token.
  const token = await site.app.token();
  return request(site.app.app)
    .get(`/interventii${query}`)
    .set("Authorization", `Bearer ${token}`)
    .expect(status);
}

async function listed(query: string): Promise<{ names: string[]; total: string | undefined }> {
  const { body, headers } = await ask(query, 200);
  expect(headers["x-ignored-parameters"]).toBeUndefined();
  return { names: (body as Intervention[]).map(({ name }) => name), total: headers["x-total-count"] };
}

const NOT_FOUND = { error: "Not Found", message: "objective 1 does not exist", statusCode: 404 };
const INVALID = { error: "Bad Request", message: "crews must be at least 2", statusCode: 400 };

/** Each of these is in another phase afterwards. */
async function createAll(): Promise<void> {
  centre.instead = ({ method, body }) => {
    if (method !== "POST") return undefined;
    if (body.includes('"Refused"')) return json(400, INVALID);
    return body.includes('"Blocked"') ? json(404, NOT_FOUND) : undefined;
  };
  for (const name of ["Arrived", "Refused", "Blocked", "Dropped", "Deleted there", "Changed", "Missing"])
    site.create({ name });
  for (let round = 0; round < 3; round += 1) await site.cycleAfterWait();
}

function idOf(name: string): number {
  const found = site.app.records().find((record) => record.name === name);
  if (!found) throw new Error(`no record ${name}`);
  return found.id;
}

/** Puts the entry of a record into the state that the sync would give it. */
function move(name: string, changes: Partial<ReturnType<SyncingSite["entry"]>>): void {
  site.outbox.save({ ...site.entry(idOf(name)), ...changes });
}

test("a record is in the group that its column shows, and in no other", async () => {
  await createAll();
  move("Dropped", { phase: "closed" });
  move("Deleted there", { phase: "gone" });
  move("Changed", { wantRev: 2 });
  move("Missing", { missingSinceMs: site.app.clock.wallMs() });
  site.create({ name: "New" });
  expect(await listed("?sync=arrived")).toEqual({ names: ["Arrived"], total: "1" });
  expect(await listed("?sync=waiting")).toEqual({ names: ["Changed", "Missing", "New"], total: "3" });
  expect(await listed("?sync=attention")).toEqual({
    names: ["Refused", "Blocked", "Deleted there"],
    total: "3",
  });
  expect((await listed("")).total).toBe("8");
});

test("a group is sorted, paged and searched as the whole list is, and its total counts all of it", async () => {
  await createAll();
  for (const name of ["New 1", "New 2", "New 3"]) site.create({ name, status: "done" });
  expect(await listed("?sync=waiting&_sort=id&_order=DESC&_start=0&_end=2")).toEqual({
    names: ["New 3", "New 2"],
    total: "3",
  });
  expect(await listed("?sync=waiting&_sort=status,id&_start=2&_end=4")).toEqual({
    names: ["New 3"],
    total: "3",
  });
  expect(await listed("?sync=waiting&q=new+2")).toEqual({ names: ["New 2"], total: "1" });
  expect(await listed("?sync=waiting&status=planned")).toEqual({ names: [], total: "0" });
  expect(await listed("?sync=arrived&status=planned&_start=1&_end=3")).toEqual({
    names: ["Dropped", "Deleted there"],
    total: "5",
  });
  site.app.interventions.delete(idOf("Arrived"), OPERATOR_USER);
  expect((await listed("?sync=arrived")).total).toBe("4");
});

test("the few records that wait or need attention are found without reading the others", async () => {
  for (let count = 0; count < 300; count += 1) {
    const { id } = site.create({ name: `Old ${count}` });
    site.outbox.save({ ...site.entry(id), phase: "linked", upstreamId: id, base: "{}", syncedRev: 1 });
  }
  site.create({ name: "New" });
  site.create({ name: "Blocked" });
  move("Blocked", { phase: "blocked" });
  const lists = new InterventionLists(site.app.database);
  const read = (sync: SyncGroup): { readonly total: number; readonly rows: number } => {
    let rows = 0;
    const query = {
      filters: [],
      sync,
      sort: [{ field: "id", descending: true }],
      start: 0,
      end: 20,
    } as const;
    const { total } = lists.read(query, (row) => {
      rows = row;
    });
    return { total, rows };
  };
  // Once for the page and once for the total.
  expect(read("waiting")).toEqual({ total: 1, rows: 2 });
  expect(read("attention")).toEqual({ total: 1, rows: 2 });
  expect(read("arrived").total).toBe(300);
  expect(read("arrived").rows).toBeGreaterThan(300);
});

test("a group that does not exist is refused, and so is a second one", async () => {
  const message = async (query: string): Promise<string> =>
    ((await ask(query, 400)).body as { message: string }).message;
  expect(await message("?sync=gone")).toMatch(/^sync must be one of arrived, waiting, attention/);
  expect(await message("?sync=")).toMatch(/^sync must be one of/);
  expect(await message("?sync=arrived&sync=waiting")).toMatch(/^sync may be given once/);
});

test("without a dispatch centre the groups are an unknown parameter", async () => {
  hasUpstream = false;
  site.create();
  const { body, headers } = await ask("?sync=arrived", 200);
  expect([(body as unknown[]).length, headers["x-ignored-parameters"]]).toEqual([1, "sync"]);
  const refused = await ask("?sync=arrived&strict=1", 400);
  expect((refused.body as { message: string }).message).toMatch(/^unknown query parameter sync;/);
});

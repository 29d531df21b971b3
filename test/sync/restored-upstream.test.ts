import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { notFound, json, type ReceivedRequest } from "../support/nonconforming-centre.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre restored from its backup has lost its newest records and reuses their ids. */

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

/** The descriptions of the records at the dispatch centre, sorted. */
function there(): string[] {
  return [...centre.rows.values()]
    .map(({ description }) => String(description))
    .sort((one, other) => one.localeCompare(other));
}

async function linked(...descriptions: readonly string[]): Promise<number[]> {
  const ids = descriptions.map((description) => site.create({ description }).id);
  await site.push.cycle();
  return ids;
}

/** Advances past every due check and those that follow from it. */
async function looks(times = 3): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    site.app.clock.advance(1_000_000);
    await site.push.cycleWithChecks();
  }
}

const isList = ({ method, path }: ReceivedRequest): boolean => method === "GET" && path.includes("?");
const unanswered = json(504, {});

/** Another client creates a record, which gets the next id. */
function another(): void {
  centre.add({ description: "another", notes: "[ref:elsewhere-1]" });
}

test("records lost by a restored dispatch centre are created again, once each", async () => {
  await linked("kept", "lost", "lost too");
  centre.restoreTo(2);
  another();
  await looks();
  expect(there()).toEqual(["another", "kept", "lost", "lost too"]);
  expect(site.outbox.summary()).toMatchObject({ waiting: 0, gone: 0 });
});

describe("the newest records are missing at a dispatch centre that does not tell why", () => {
  let ids: number[];
  beforeEach(async () => {
    ids = await linked("kept", "missing", "missing too");
    centre.restoreTo(2);
    await looks();
    expect(there()).toEqual(["kept"]);
    expect(ids.map((id) => site.entry(id).phase)).toEqual(["linked", "gone", "gone"]);
    expect(site.conditions()).toEqual(["upstream-rejects-records"]);
    expect(site.entry(ids[1] ?? 0).lastError).toMatch(/deleted there, or was lost in a restore/);
  });

  test("and it gives an id of theirs to this site's next record: they were lost, and are created again", async () => {
    await linked("next");
    await looks();
    expect(there()).toEqual(["kept", "missing", "missing too", "next"]);
    expect(site.conditions()).toEqual([]);
  });

  test("and it has given an id of theirs to a record of another: they were lost, and are created again", async () => {
    another();
    await site.push.audit.runIfDue();
    await looks();
    expect(there()).toEqual(["another", "kept", "missing", "missing too"]);
    expect(site.conditions()).toEqual([]);
  });

  test("and it has counted on: they were deleted, and stay so after a later restore", async () => {
    for (let other = 1; other <= 3; other += 1) another();
    centre.rows.delete(2);
    centre.rows.delete(3);
    await site.push.audit.runIfDue();
    expect(ids.map((id) => site.entry(id).lastCode)).toEqual([null, "404", "404"]);
    centre.restoreTo(2);
    another();
    another();
    await linked("next");
    await looks();
    expect(there()).toEqual(["another", "another", "kept", "next"]);
  });

  test("and a user retries one of them: that one is created again, once", async () => {
    site.push.operator.retry(ids[1] ?? 0);
    await looks();
    expect(there()).toEqual(["kept", "missing"]);
    expect(ids.map((id) => site.entry(id).phase)).toEqual(["linked", "linked", "gone"]);
  });
});

test("a record deleted by a dispatcher is not a sign of a restore", async () => {
  const [, id = 0] = await linked("kept", "deleted");
  centre.rows.delete(2);
  await looks();
  expect(site.entry(id).phase).toBe("gone");
  expect(there()).toEqual(["kept"]);
});

test("a record deleted by a dispatcher stays deleted also at a dispatch centre that ignores the order", async () => {
  centre.ignoresOrder = true;
  const [, id = 0] = await linked("kept", "deleted", "kept too", "and this");
  centre.rows.delete(2);
  await looks();
  expect(site.entry(id).phase).toBe("gone");
  expect(there()).toEqual(["and this", "kept", "kept too"]);
});

test("records lost by a restored dispatch centre are created again also when it ignores the order", async () => {
  centre.ignoresOrder = true;
  await linked("kept", "lost", "lost too");
  centre.restoreTo(2);
  another();
  await looks();
  expect(there()).toEqual(["another", "kept", "lost", "lost too"]);
});

test("a missing record is not classified while the list cannot be read", async () => {
  const [id = 0] = await linked("lost", "lost too");
  centre.restoreTo(1);
  centre.instead = (request) => (isList(request) ? json(500, {}) : undefined);
  await looks();
  expect(site.entry(id).phase).toBe("linked");
  another();
  centre.instead = () => undefined;
  await looks();
  expect(there()).toEqual(["another", "lost", "lost too"]);
});

test("a record that could not be read in the audit is audited again as possibly lost", async () => {
  await linked("kept", "lost", "lost too");
  for (let other = 1; other <= 5; other += 1) another();
  await linked("lost as well");
  centre.restoreTo(2);
  another();
  centre.instead = ({ method, path }) =>
    method === "GET" && path.endsWith("/9") ? json(500, {}) : undefined;
  await looks();
  expect(there()).toEqual(["another", "kept", "lost", "lost too"]);
  centre.instead = () => undefined;
  await looks();
  expect(there()).toEqual(["another", "kept", "lost", "lost as well", "lost too"]);
});

test("a clock step during the audit does not turn a lost record into a deleted one", async () => {
  const other = { description: "other", notes: "[ref:elsewhere-1]" };
  await linked("kept", "lost");
  for (let count = 1; count <= 5; count += 1) centre.add(other);
  await linked("lost too", "lost as well");
  centre.restoreTo(2);
  centre.add(other);
  const refused = json(500, {});
  centre.instead = ({ method, path }) => (method === "GET" && /\/[89]$/.test(path) ? refused : undefined);
  await looks(1);
  site.app.clock.stepWall(30 * 86_400_000);
  await looks(1);
  for (let count = 1; count <= 8; count += 1) centre.add(other);
  centre.rows.delete(8);
  centre.rows.delete(9);
  centre.instead = () => undefined;
  await looks();
  expect(there().filter((words) => words !== "other")).toEqual(["kept", "lost", "lost as well", "lost too"]);
});

describe("a POST that reaches a restored dispatch centre late", () => {
  let late: ReceivedRequest | undefined;

  /** A record whose POST is delayed, after another one that got the id which the late one will get. */
  async function oneOnItsWay(): Promise<{ first: number; second: number }> {
    const [first = 0] = await linked("first");
    centre.instead = (request) => {
      if (request.method !== "POST") return undefined;
      late = request;
      return unanswered;
    };
    const { id: second } = site.create({ description: "second", dateStart: "2026-11-20T21:30:00Z" });
    await site.push.cycle();
    centre.restoreTo(1);
    centre.instead = () => undefined;
    if (late) centre.arrive(late);
    return { first, second };
  }

  test("under the id of another record: that one is searched for, and each is there once", async () => {
    const { second } = await oneOnItsWay();
    await looks();
    expect(there()).toEqual(["first", "second"]);
    expect(site.entry(second).upstreamId).toBe(1);
  });

  test("and is changed meanwhile is there once with the change", async () => {
    const { second } = await oneOnItsWay();
    site.app.interventions.update(second, { description: "changed" }, OPERATOR_USER);
    await looks();
    expect(there()).toEqual(["changed", "first"]);
  });
});

describe("an unconfirmed attempt at a dispatch centre with many clients", () => {
  let late: ReceivedRequest | undefined;

  /** Records of others, then a POST of ours without a response. */
  async function inDoubt(others = 6): Promise<number> {
    for (let other = 1; other <= others; other += 1) centre.add({ name: `other ${other}` });
    centre.instead = (request) => {
      if (request.method !== "POST") return undefined;
      late = request;
      return unanswered;
    };
    // By now the highest id is read again.
    site.app.clock.advance(60_000);
    const { id } = site.create({ description: "ours", dateStart: "2026-11-20T21:30:00Z" });
    await site.push.cycle();
    centre.instead = () => undefined;
    return id;
  }

  test("is found below the earlier ids after a restore and new records", async () => {
    const id = await inDoubt();
    centre.restoreTo(3);
    if (late) centre.arrive(late);
    for (let other = 1; other <= 6; other += 1) centre.add({ name: `newer ${other}` });
    site.app.clock.advance(200_000);
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 3 });
    expect(centre.rows.size).toBe(9);
  });

  test("is sent again once when the newest earlier record was deleted", async () => {
    const id = await inDoubt();
    centre.rows.delete(6);
    site.app.clock.advance(200_000);
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 7 });
    expect(centre.rows.size).toBe(6);
  });

  test("causes an audit of all records when the newest earlier id is a record of another site now", async () => {
    const [first = 0] = await linked("first");
    centre.add({ name: "another record", notes: "[ref:sud-1]" });
    await inDoubt(0);
    centre.restoreTo(2);
    centre.add({ name: "another record", notes: "[ref:sud-2]" });
    expect(site.entry(first).verifyAtMs).not.toBe(0);
    site.app.clock.advance(200_000);
    await site.push.cycle();
    expect(site.entry(first).verifyAtMs).toBe(0);
  });
});

test("an update rejected with 404 while the record exists does not mark it as deleted", async () => {
  const [id = 0] = await linked("here");
  centre.instead = ({ method }) => (method === "PUT" ? notFound("no such objective") : undefined);
  site.app.interventions.update(id, { objectiveId: 2 }, OPERATOR_USER);
  await site.push.cycle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1, lastCode: "404" });
  centre.instead = () => undefined;
  await site.cycleAfterWait();
  expect(centre.rows.get(1)).toMatchObject({ objectiveId: 2 });
});

describe("an in-flight value that arrives late", () => {
  /** A value for which the dispatch centre shows an older one, and whose first correction fails. */
  async function firstTryFails(): Promise<number> {
    const [id = 0] = await linked("first");
    centre.afterwards = ({ method }) => (method === "PUT" ? unanswered : undefined);
    site.app.interventions.update(id, { description: "second" }, OPERATOR_USER);
    await site.push.cycle();
    centre.afterwards = () => undefined;
    site.app.interventions.update(id, { description: "third" }, OPERATOR_USER);
    site.app.clock.advance(30_000);
    await site.push.cycle();
    expect(there()).toEqual(["third"]);
    centre.edit(1, { description: "second" });
    centre.instead = ({ method }) => (method === "PUT" ? json(403, {}) : undefined);
    site.app.clock.advance(300_000);
    await site.push.cycleWithChecks();
    centre.instead = () => undefined;
    return id;
  }

  test("is corrected automatically, although the first attempt was rejected", async () => {
    const id = await firstTryFails();
    expect(there()).toEqual(["second"]);
    await site.cycleAfterWait();
    expect(there()).toEqual(["third"]);
    expect(site.app.interventions.get(id).record.description).toBe("third");
  });

  test("is corrected also in a done record that is no longer read", async () => {
    const id = await firstTryFails();
    site.app.database.prepare("UPDATE outbox SET verify_at = NULL").run();
    await site.cycleAfterWait();
    expect(there()).toEqual(["third"]);
    expect(site.entry(id)).toMatchObject({ phase: "linked" });
  });
});

describe("two records there for one on site", () => {
  /** A POST that was sent twice: both arrived, the second is linked. */
  async function twice(): Promise<{ id: number; double: CentreRow; known: CentreRow }> {
    let late: ReceivedRequest | undefined;
    centre.instead = (request) => {
      if (request.method !== "POST") return undefined;
      late = request;
      return unanswered;
    };
    const { id } = site.create({ description: "alarm" });
    await site.push.cycle();
    centre.instead = () => undefined;
    site.app.clock.advance(200_000);
    await site.push.cycle();
    if (late) centre.arrive(late);
    const [known, double] = [...centre.rows.values()] as [CentreRow, CentreRow];
    expect(site.entry(id).upstreamId).toBe(known.id);
    return { id, double, known };
  }

  test("become one, and the linked one stays", async () => {
    const { known } = await twice();
    await looks();
    expect([...centre.rows.keys()]).toEqual([known.id]);
  });

  test("become the one that a dispatcher has changed, and local changes are sent to it", async () => {
    const { id, double } = await twice();
    site.app.interventions.update(id, { description: "two men", status: "in_progress" }, OPERATOR_USER);
    await site.push.cycle();
    centre.edit(double.id, { crews: 3 });
    await looks(3);
    expect([...centre.rows.values()]).toMatchObject([
      { id: double.id, crews: 3, description: "two men", status: "in_progress" },
    ]);
    expect(site.app.interventions.get(id).record).toMatchObject({ crews: 3, description: "two men" });
  });

  test("stay when each has its own invoice or changes, and raise a condition", async () => {
    const { known, double } = await twice();
    centre.edit(known.id, { invoicePdf: "https://centre.example/1.pdf" });
    centre.edit(double.id, { crews: 3 });
    await looks();
    expect([...centre.rows.keys()]).toEqual([known.id, double.id]);
    expect(site.app.events.newest(100).map(({ event }) => event)).toContain("sync-conflict");
  });

  test("stay when a dispatcher begins to work on one after the list was read", async () => {
    const { double, known } = await twice();
    // The list shows all of it, so that the sweep reads it only once more, before it deletes it.
    centre.edit(double.id, { invoicePdf: null });
    centre.instead = ({ method, path }) => {
      if (method === "GET" && path.endsWith(`/${double.id}`)) centre.edit(double.id, { crews: 3 });
      return undefined;
    };
    site.app.clock.advance(1_000_000);
    await site.push.cycleWithChecks();
    expect([...centre.rows.keys()]).toEqual([known.id, double.id]);
    centre.instead = () => undefined;
    await looks();
    expect([...centre.rows.values()]).toMatchObject([{ id: double.id, crews: 3 }]);
  });
});

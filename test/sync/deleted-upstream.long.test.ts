import { createSecretKey, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import request from "supertest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fieldsOf, type Intervention } from "../../src/domain/intervention.ts";
import { limitedEnrolments } from "../../src/service/limited-enrolments.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { removeOldRecords } from "../../src/store/retention.ts";
import { DEVICE_USER, OPERATOR_USER, PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { enrolled, SITE_PASSWORD } from "../support/enrolled-site.ts";
import { close, listen } from "../support/loopback.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* Records that a dispatcher deletes stay deleted, and those that a restored centre has lost are created again. */

/** Requests go to this application, which a test may replace as a restore does. */
let centre: TestApp;
let server: Server;
let url: string;
let sites: SyncingSite[];

async function open(): Promise<void> {
  sites = [];
  server = createServer((asked, response) => centre.app(asked, response));
  url = `http://127.0.0.1:${await listen(server)}`;
}

async function shut(): Promise<void> {
  for (const site of sites) await site.close();
  server.closeAllConnections();
  await close(server);
  await centre.close();
}

/** A site that is enrolled with one building. */
async function enrol(siteRef: string, building: number): Promise<SyncingSite> {
  await enrolled(centre, siteRef, [`obiective/cladiri/${building}`]);
  const account = { siteRef, email: `${siteRef}@sites.santinela.local`, password: SITE_PASSWORD };
  const site = new SyncingSite(await TestApp.make(), url, () => 0.5, account);
  sites.push(site);
  return site;
}

async function ask(method: "get" | "delete", path: string) {
  return request(centre.app)
    [method](path)
    .set("Authorization", `Bearer ${await centre.token()}`);
}

async function namesThere(): Promise<string[]> {
  const { body } = await ask("get", "/interventii");
  return (body as Intervention[]).map(({ name }) => name).sort((one, other) => one.localeCompare(other));
}

async function link(site: SyncingSite, objectiveId: number, ...names: readonly string[]): Promise<number[]> {
  const ids = names.map((name) => site.create({ name, objectiveId }).id);
  await site.push.cycle();
  expect(ids.map((id) => site.entry(id).phase)).toEqual(names.map(() => "linked"));
  return ids;
}

/** Advances a quarter of an hour with every check that falls into it, then compares the lists. */
async function quarter(...those: readonly SyncingSite[]): Promise<void> {
  for (let minute = 0; minute < 15; minute += 1)
    for (const site of those) {
      site.app.clock.advance(60_000);
      await site.push.cycleWithChecks();
    }
  for (const site of those) {
    site.push.audit.makeDue();
    await site.push.audit.runIfDue();
    await site.push.cycleWithChecks();
  }
}

/** The newest two of three records are deleted by a dispatcher. */
async function expectDeletedStayDeleted(): Promise<void> {
  const site = await enrol("nord", 1);
  const ids = await link(site, 1, "Call 1", "Call 2", "Call 3");
  for (const id of ids.slice(1)) {
    const { status } = await ask("delete", `/interventii/${site.entry(id).upstreamId}`);
    expect(status).toBe(204);
  }
  await quarter(site);
  expect(await namesThere()).toEqual(["Call 1"]);
  expect(ids.map((id) => site.entry(id).phase)).toEqual(["linked", "gone", "gone"]);
  expect(site.conditions()).toEqual(["upstream-rejects-records"]);
  await link(site, 1, "Call 4");
  await quarter(site);
  expect(await namesThere()).toEqual(["Call 1", "Call 4"]);
}

describe("at a Santinela centre on SQLite", () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    centre = await TestApp.make({}, join(folder, "centre.db"));
    await open();
  });
  afterEach(() => shut());

  test("the two newest records that a dispatcher deletes stay deleted", expectDeletedStayDeleted);

  test("a record that was done on both sides and is deleted there needs no attention", async () => {
    const site = await enrol("nord", 1);
    const [id = 0] = await link(site, 1, "Call 1");
    site.app.interventions.update(id, { status: "done" }, OPERATOR_USER);
    await site.push.cycle();
    await ask("delete", `/interventii/${site.entry(id).upstreamId}`);
    await quarter(site);
    expect(site.entry(id)).toMatchObject({ phase: "closed", deleted: false });
    expect(site.conditions()).toEqual([]);
    expect(site.app.events.newest(1)).toMatchObject([
      { event: "sync-conflict", detail: { phase: "closed" } },
    ]);
    expect(await namesThere()).toEqual([]);
  });

  test("a done record that a trip has joined since is sent again", async () => {
    const site = await enrol("nord", 1);
    const [id = 0] = await link(site, 1, "Call 1");
    site.app.interventions.update(id, { status: "done" }, OPERATOR_USER);
    await site.push.cycle();
    await ask("delete", `/interventii/${site.entry(id).upstreamId}`);
    site.app.interventions.change(id, { body: { notes: "03:41 Window" }, hasTripJoined: true }, DEVICE_USER);
    await quarter(site);
    expect(await namesThere()).toEqual(["Call 1"]);
  });

  /** Puts the centre back to a backup, and keeps its address. */
  async function restore(path: string): Promise<void> {
    await centre.close();
    centre = await TestApp.make({}, path);
  }

  test("one lost record of each of two sites is created again, also if its id belongs to the other site now", async () => {
    const [nord, sud] = [await enrol("nord", 1), await enrol("sud", 2)];
    const backup = join(folder, "backup.db");
    await centre.database.backup(backup);
    const [lost = 0] = await link(nord, 1, "Lost of nord");
    await link(sud, 2, "Lost of sud");
    await restore(backup);
    sud.app.clock.advance(61_000);
    const [next = 0] = await link(sud, 2, "Next of sud");
    expect(sud.entry(next).upstreamId).toBe(nord.entry(lost).upstreamId);
    await quarter(nord, sud);
    expect(await namesThere()).toEqual(["Lost of nord", "Lost of sud", "Next of sud"]);
    for (const site of sites) {
      expect(site.outbox.summary()).toMatchObject({ waiting: 0, gone: 0, doubtful: 0 });
      expect(site.conditions()).toEqual([]);
    }
  });

  test("a copy that a dispatcher makes of a record, with its notes, is reported once, and both stay", async () => {
    const site = await enrol("nord", 1);
    const [id = 0] = await link(site, 1, "Call 1");
    const original = fieldsOf(centre.records()[0] as Intervention);
    const { record: copy } = centre.interventions.create(original, OPERATOR_USER);
    centre.interventions.update(copy.id, { crews: 3 }, OPERATOR_USER);
    for (let hour = 0; hour < 3; hour += 1) await quarter(site);
    expect(await namesThere()).toEqual(["Call 1", "Call 1"]);
    expect(site.entry(id).upstreamId).not.toBe(copy.id);
    const conflicts = site.app.events.newest(50).filter(({ event }) => event === "sync-conflict");
    expect(conflicts).toHaveLength(1);
    expect(conflicts[0]?.detail).toMatchObject({
      reason: expect.stringContaining(`a copy of this record (${copy.id}`),
    });
  });

  test("a record that a gateway's 404 hides is neither deleted nor created again", async () => {
    const site = await enrol("nord", 1);
    const [id = 0] = await link(site, 1, "Call 1");
    const app = centre;
    server.removeAllListeners("request");
    const body = JSON.stringify({ error: "Not Found", message: "no route", statusCode: 404 });
    server.on("request", (asked, response) => {
      if (asked.method !== "GET" || asked.url !== `/interventii/${site.entry(id).upstreamId}`)
        return app.app(asked, response);
      response.writeHead(404, { "Content-Type": "application/json" }).end(body);
    });
    await quarter(site);
    expect(await namesThere()).toEqual(["Call 1"]);
    expect(site.entry(id).phase).toBe("linked");
  });
});

describeOnPostgres("at a Santinela centre on PostgreSQL", (postgres) => {
  let database: PostgresCentre;
  beforeEach(async () => {
    database = await PostgresCentre.open(await postgres.newDatabase());
    const { signIns, notes: events, clock, records, fleet, objectives, accounts, enrolments } = database;
    const keys = { current: createSecretKey(randomBytes(32)) };
    const tokens = new TokenService({ signIns, events, clock, keys });
    centre = await TestApp.make({
      records,
      fleet,
      objectives,
      accounts,
      events,
      tokens,
      enrolments: limitedEnrolments(enrolments, { codes: enrolments, events, clock }),
    });
    const tokenOf = async (role: keyof typeof TEST_ACCOUNTS = "operator"): Promise<string> =>
      (await tokens.signIn(TEST_ACCOUNTS[role], PASSWORD)).token;
    centre.token = tokenOf;
    await open();
  });
  afterEach(async () => {
    await shut();
    await database.close();
  });

  test("the two newest records that a dispatcher deletes stay deleted", expectDeletedStayDeleted);
});

describe("at the centre of another vendor", () => {
  let foreign: InMemoryCentre;
  let site: SyncingSite;
  beforeEach(async () => {
    foreign = new InMemoryCentre();
    site = await SyncingSite.at(foreign);
  });

  const namesInRows = (): unknown[] => [...foreign.rows.values()].map(({ name }) => name);

  test("the two newest records that a dispatcher deletes stay deleted", async () => {
    const ids = await link(site, 1, "Call 1", "Call 2", "Call 3");
    foreign.rows.delete(2);
    foreign.rows.delete(3);
    await quarter(site);
    expect(namesInRows()).toEqual(["Call 1"]);
    expect(ids.map((id) => site.entry(id).phase)).toEqual(["linked", "gone", "gone"]);
    await link(site, 1, "Call 4");
    await quarter(site);
    expect(namesInRows()).toEqual(["Call 1", "Call 4"]);
    expect(ids.map((id) => site.entry(id).phase)).toEqual(["linked", "gone", "gone"]);
  });

  test("a done record needs attention until a newer one shows that it was deleted", async () => {
    const [id = 0] = await link(site, 1, "Call 1");
    site.app.interventions.update(id, { status: "done" }, OPERATOR_USER);
    await site.push.cycle();
    foreign.rows.delete(1);
    await quarter(site);
    expect(site.entry(id).phase).toBe("gone");
    await link(site, 1, "Call 2");
    await quarter(site);
    expect(site.entry(id).phase).toBe("closed");
    expect(site.conditions()).toEqual([]);
  });

  test("records that retention has removed at the site are not taken for those of another daemon", async () => {
    await site.push.audit.readBackRecords();
    const [open = 0, done = 0] = await link(site, 1, "Open", "Done");
    site.app.interventions.update(done, { status: "done" }, OPERATOR_USER);
    await site.push.cycle();
    site.app.clock.advance(91 * 86_400_000);
    expect(removeOldRecords(site.app.database, site.app.clock.wallMs() - 86_400_000, 0).removed).toBe(1);
    expect(site.outbox.find(done)).toBeUndefined();
    for (let hour = 0; hour < 2; hour += 1) {
      site.app.clock.advance(3_600_000);
      site.push.audit.makeDue();
      await site.push.audit.runIfDue();
    }
    expect(site.outbox.comparison()).toMatchObject({ here: 1, there: 1, differences: [] });
    expect(site.conditions()).toEqual([]);
    expect(site.entry(open).phase).toBe("linked");
  });
});

import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { siteReport } from "../../src/domain/site-report.ts";
import { validateSiteReport } from "../../src/generated/validators.js";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { Sync } from "../../src/sync/sync.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";
import { close, listen } from "../support/loopback.ts";

let centre: TestApp;
let site: TestApp;
let server: Server;
let sync: Sync;
/** Paths of the POST requests to the centre. */
let posted: string[];
/** Whether the centre is one of another vendor, which does not offer to take reports. */
let isForeign: boolean;
let status: number | undefined;
/** Response to all requests about records; undefined for the normal one. */
let refused: { readonly status: number; readonly headers: Record<string, string> } | undefined;
/** Whether reports get no response, as on a connection that a router has forgotten. */
let isSwallowed: boolean;
let conditions: ConditionRegistry;

beforeEach(async () => {
  [centre, site] = [await TestApp.make(), await TestApp.make()];
  [posted, isForeign, status, refused, isSwallowed] = [[], false, undefined, undefined, false];
  server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    if (method === "POST") posted.push(url);
    if (isForeign) {
      const setHeader = response.setHeader.bind(response);
      response.setHeader = (name, value) => (name === "Site-Reports" ? response : setHeader(name, value));
    }
    if (url === "/site-reports" && isSwallowed) return;
    if (url === "/site-reports" && status !== undefined) response.writeHead(status).end();
    else if (refused && url.startsWith("/interventii"))
      response.writeHead(refused.status, refused.headers).end();
    else centre.app(request, response);
  });
  await listen(server);
  sync = syncOf({ timeoutS: 5, reportS: 60 });
});
afterEach(async () => {
  await sync.stop();
  server.closeAllConnections();
  await close(server);
  await site.close();
  await centre.close();
});

function syncOf(times: { readonly timeoutS: number; readonly reportS: number }, random = 0.5): Sync {
  const { port } = server.address() as AddressInfo;
  const { database, clock } = site;
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  conditions = new ConditionRegistry(clock, log);
  return new Sync({
    upstream: {
      baseUrl: `http://127.0.0.1:${port}`,
      email: TEST_ACCOUNTS.operator,
      password: PASSWORD,
      schedule: "* * * * *",
      objectives: "off",
      marker: "notes",
      ca: undefined,
      ...times,
    },
    site: { ref: "hala-nord", timezone: "Europe/Bucharest", locale: "en" },
    database,
    clock,
    random: () => random,
    newKey: randomUUID,
    log,
    conditions,
    failpoint: () => {},
    // The clock of the centre stands still here.
    report: async () => ({ ...REPORT, at: centre.clock.wallMs() }),
  });
}

async function start(): Promise<void> {
  sync.start();
  // The first request of a start is the heartbeat.
  await eventually("the link to be up", () => sync.link.state === "up");
}
const reports = (): number => posted.filter((path) => path === "/site-reports").length;
const signIns = (): number => posted.filter((path) => path === "/auth/token").length;
/** Lets the time pass until the next report: it is due a minute after the answer to the last one has arrived. */
const nextReport = (count: number) =>
  eventually(`${count} reports`, () => {
    site.clock.advanceToNext(60_000);
    return reports() >= count;
  });

test("a site reports every minute to a centre that offers to take it", async () => {
  await start();
  for (let minute = 1; minute <= 3; minute += 1) {
    await nextReport(minute);
    await eventually("its answer", async () => (await centre.parts.fleet.counts()).counts.well === 1);
  }
  expect(reports()).toBe(3);
});

test("a site that starts again reports within a quarter of its interval, or a centre that waits for two would call it silent", async () => {
  await start();
  await nextReport(1);
  await sync.stop();
  sync = syncOf({ timeoutS: 5, reportS: 60 }, 0.99);
  sync.start();
  site.clock.advance(15_000);
  await eventually("the report after the start", () => reports() === 2);
});

test("a failing report raises no condition and is not repeated: the next one replaces it", async () => {
  await start();
  status = 503;
  await nextReport(1);
  await nextReport(2);
  expect(conditions.list()).toEqual([]);
  status = undefined;
  await nextReport(3);
  await eventually("the report", async () => (await centre.parts.fleet.counts()).counts.well === 1);
});

test("a centre that asks for an hour still gets every second report, or it would call the site silent", async () => {
  await start();
  await nextReport(1);
  await eventually("its answer", async () => (await centre.parts.fleet.counts()).counts.well === 1);
  refused = { status: 503, headers: { "Retry-After": "3600" } };
  await sync.now();
  await eventually("the pause", () => sync.link.waitMs > 3_000_000);
  for (let quarter = 0; quarter < 8; quarter += 1) site.clock.advance(15_000);
  await eventually("the second report", () => reports() === 2);
  // The third one shows that the answer to the second did not end the pause.
  await nextReport(3);
  expect(sync.link.state).toBe("down");
  expect(sync.link.waitMs).toBeGreaterThan(3_000_000);
});

test("a report without a response holds up no further one, however long other requests may take", async () => {
  sync = syncOf({ timeoutS: 120, reportS: 2 });
  await start();
  await nextReport(1);
  await eventually("its answer", async () => (await centre.parts.fleet.counts()).counts.well === 1);
  isSwallowed = true;
  await nextReport(2);
  isSwallowed = false;
  await nextReport(3);
});

test("a site whose heartbeat gets a single 403, as from a proxy, is not called silent during the pause that follows", async () => {
  await start();
  await nextReport(1);
  await eventually("its answer", async () => (await centre.parts.fleet.counts()).counts.well === 1);
  refused = { status: 403, headers: {} };
  await eventually("the heartbeat that is denied", () => {
    site.clock.advance(15_000);
    return sync.link.waitMs > 800_000;
  });
  refused = undefined;
  const before = reports();
  // The report that is left out, and the one after it.
  for (let quarter = 0; quarter < 8; quarter += 1) site.clock.advance(15_000);
  await eventually("the overdue report", () => reports() > before);
  await nextReport(before + 2);
  await nextReport(before + 3);
  // A centre that denies the records and takes the reports is still down for the records.
  expect(sync.link).toMatchObject({ state: "down", cause: "forbidden" });
});

test("a centre that rejects the sign-in is not asked again for the sake of a report", async () => {
  await start();
  await nextReport(1);
  refused = { status: 401, headers: { "Retry-After": "900" } };
  await sync.now();
  await eventually("a pause longer than two reports", () => sync.link.waitMs > 800_000);
  const before = posted.length;
  for (let quarter = 0; quarter < 12; quarter += 1) site.clock.advance(15_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(posted.length).toBe(before);
});

test("one 404, as of a gateway that reloads, does not end the reports", async () => {
  await start();
  status = 404;
  await nextReport(1);
  status = undefined;
  const before = signIns();
  await nextReport(2);
  await eventually("the report", async () => (await centre.parts.fleet.counts()).counts.well === 1);
  // A sign-in asks the centre again whether it takes reports.
  expect(signIns()).toBe(before);
});

test("a centre that no longer takes reports gets no more of them after the next sign-in", async () => {
  await start();
  await nextReport(1);
  [isForeign, status] = [true, 404];
  await eventually("the next sign-in", () => {
    site.clock.advance(60_000);
    return signIns() > 1;
  });
  // The report that may have caused the sign-in is sent after it.
  for (let run = 0; run < 3; run += 1) await sync.now();
  const before = reports();
  for (let minute = 0; minute < 5; minute += 1) site.clock.advance(60_000);
  await sync.now();
  expect(reports()).toBe(before);
});

test("reports that the centre rejects, as after a change of site.ref, are a condition until one is taken", async () => {
  const open = () => conditions.list().filter(({ code }) => code === "upstream-rejects-reports");
  await start();
  status = 403;
  await nextReport(1);
  await eventually("the condition", () => open().length === 1);
  expect(open()[0]?.text).toContain("hala-nord: answered 403");
  status = undefined;
  await nextReport(2);
  await eventually("the end of the condition", () => open().length === 0);
  for (status of [404, 408, 429, 503]) {
    // The second one is not sent before the answer to the first one is read.
    const before = reports();
    await nextReport(before + 1);
    await nextReport(before + 2);
    expect(open()).toEqual([]);
  }
});

test("the centre of another vendor gets nothing", async () => {
  isForeign = true;
  await start();
  for (let minute = 0; minute < 5; minute += 1) site.clock.advance(60_000);
  await sync.now();
  expect(posted).toEqual(["/auth/token"]);
});

test("the largest report is valid and smaller than 16 kB", () => {
  const long = "ș".repeat(200);
  const report = siteReport(
    {
      ref: "a".repeat(32),
      name: long,
      version: "10.10.10",
      upS: 1e9,
      headline: {
        level: "alarm",
        reasons: Array.from({ length: 9 }, () => ({
          code: "alarm-unfinished" as const,
          level: "alarm" as const,
          count: 2,
          items: [1, 2].map((id) => ({ about: "intervention" as const, id, name: long })),
        })),
      },
      alarm: { name: long, sinceMs: 0 },
      unfinished: 1e9,
      conditions: Array.from({ length: 60 }, () => "c".repeat(40)),
      faults: Array.from({ length: 600 }, () => ({ zone: `\u0007${long}`, fault: "supervision" })),
      objective: "obiective/persoane/123456789012345",
      diskFreeMb: 1e9,
      cardWear: 110,
    },
    {
      outbox: { waiting: 1e9, oldestWaitingMs: 0 },
      comparison: { atMs: 0, here: 1, there: 1, differing: 1e9, differences: [] },
    },
    Date.UTC(2100, 0),
  );
  expect(validateSiteReport(report)).toBe(true);
  expect(report.moreFaults).toBe(560);
  expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThan(16_384);
});

import request from "supertest";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CancelTimer, Clock } from "../../src/domain/clock.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import type { SilenceTimes } from "../../src/domain/site-silence.ts";
import { SilenceWatch } from "../../src/service/silence-watch.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { claim, codeFor, SITE_PASSWORD } from "../support/enrolled-site.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT, SILENCE } from "../support/fleet.ts";
import { ServedApp } from "../support/served-app.ts";
import { signInFrom } from "../support/sign-in-from.ts";

/* When a site without reports is silent, and when the centre itself is the reason; over SQLite, and over PostgreSQL (vitest.config.ts). */

const SILENT_MS = 600_000;
const LOOK_MS = 15_000;
const LOCALHOST = "127.0.0.1";

let app: TestApp;
let conditions: ConditionRegistry;
let watch: SilenceWatch;
/** Looks that are over: each plans the next one. */
const looks = { over: 0 };

/** Interval of the looks. */
let lookMs: number;

/** A watch as after a start of the dispatch centre. */
function start(times: SilenceTimes = SILENCE, intervalMs = LOOK_MS): void {
  lookMs = intervalMs;
  const { clock, parts } = app;
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  conditions = new ConditionRegistry(clock, log);
  const counted: Clock = {
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    afterEventLoopTurn: (action) => clock.afterEventLoopTurn(action),
    after: (delayMs, action): CancelTimer => {
      if (delayMs === lookMs) looks.over += 1;
      return clock.after(delayMs, action);
    },
  };
  watch = new SilenceWatch({ fleet: parts.fleet, clock: counted, conditions, log, times });
  watch.start();
}

beforeEach(async () => {
  app = await TestApp.forTest();
  looks.over = 0;
  start();
});
afterEach(() => watch.stop());

const report = (ref = REPORT.ref) => app.parts.fleet.report({ ...REPORT, ref }, OPERATOR_USER);
async function post(body: object, status: number): Promise<void> {
  // The account that keeps the site.
  const token = await app.token("administrator");
  const sent = request(app.app).post("/site-reports").set("Authorization", `Bearer ${token}`);
  await sent.send(body).expect(status);
}
async function repairs(): Promise<Intervention[]> {
  const query = { filters: [], sort: [{ field: "id", descending: false }], start: 0, end: 1000 } as const;
  const { records } = await app.parts.records.page(query, new AbortController().signal);
  return records.map((text) => JSON.parse(text) as Intervention);
}
/** Breaks the database for what concerns sites, until `repairSites`. */
const breakSites = () => app.run("ALTER TABLE sites RENAME TO lost_sites");
const repairSites = () => app.run("ALTER TABLE lost_sites RENAME TO sites");

/** Runs what moves the clock over one look, and waits until the look is over. */
async function look(move: () => void = () => app.clock.advance(lookMs)): Promise<void> {
  const before = looks.over;
  move();
  while (looks.over === before) await new Promise((resolve) => void setImmediate(resolve));
}

/** Passes time in steps of one look, each of which is completed. */
async function pass(ms: number, alive: readonly string[] = []): Promise<void> {
  for (let passed = 0; passed < ms; passed += lookMs) {
    await look();
    for (const ref of alive) await report(ref);
  }
}

/** References of the silent sites. */
async function silentSites(): Promise<string[]> {
  const sites = await app.parts.fleet.after(0, 1000);
  return sites.flatMap(({ ref, silentSinceMs }) => (silentSinceMs === null ? [] : [ref])).toSorted();
}

test("a site that was alive before a long stop of the centre is given the whole time again", async () => {
  await report();
  await watch.stop();
  app.clock.advance(10 * SILENT_MS);
  // The same fleet as before the stop, which a new process would not have.
  app.parts.fleet.reportsMissed();
  start();
  await pass(SILENT_MS);
  expect(await repairs()).toEqual([]);
  await pass(LOOK_MS);
  expect(await repairs()).toHaveLength(1);
  await watch.stop();
  start();
  await pass(3 * SILENT_MS);
  expect(await repairs()).toHaveLength(1);
});

test("a database that was gone for long makes no site silent that reports again", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  await breakSites();
  for (let passed = 0; passed < 2 * SILENT_MS; passed += LOOK_MS) {
    await pass(LOOK_MS);
    await expect(report()).rejects.toThrow();
  }
  await repairSites();
  await pass(SILENT_MS - LOOK_MS);
  expect(await repairs()).toEqual([]);
  await pass(3 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
});

/**
 * Enrols sites, which all report once. Their passwords have been verified by another process, of which this one knows nothing.
 * @returns the addresses of their accounts
 */
async function reportingSites(): Promise<readonly string[]> {
  const { clock, signIns, key, parts, tokens } = app;
  const earlier = new TokenService({
    signIns,
    events: parts.events,
    clock,
    keys: { current: key },
  });
  const emails: string[] = [];
  for (let index = 1; index <= 24; index += 1) {
    const ref = `site-${index}`;
    const { body } = await claim(app, await codeFor(app, ref, ["obiective/cladiri/1"]), ref).expect(201);
    const { email } = body as { email: string };
    emails.push(email);
    const { token } = await earlier.signIn(email, SITE_PASSWORD, LOCALHOST);
    await parts.fleet.report({ ...REPORT, ref }, await tokens.verify(token, LOCALHOST));
  }
  return emails;
}

/**
 * Fills the places and the queue of the sign-ins.
 * @param place address of the attempts
 * @returns the codes of the responses
 */
async function signInAllAtOnce(
  emails: readonly string[],
  place: string,
  password: string,
): Promise<Set<string>> {
  const { throttle } = app.signIns;
  const check = throttle.assertOpen.bind(throttle);
  const checked = new Map<string, number>();
  let admit = (): void => {};
  const gate = new Promise<void>((resolve) => (admit = resolve));
  throttle.assertOpen = async (attempt) => {
    await check(attempt);
    const times = (checked.get(attempt.email) ?? 0) + 1;
    checked.set(attempt.email, times);
    // The second check is that of an attempt whose turn it is.
    if (times > 1) await gate;
  };
  const codes = new Set<string>();
  const server = await new ServedApp(app).start();
  const all = emails.map((email) => signInFrom(place, server.server.address.port, { email, password }));
  await eventually("all attempts", () => checked.size === emails.length);
  admit();
  for (const status of await Promise.all(all)) codes.add(String(status));
  await server.stop();
  throttle.assertOpen = check;
  return codes;
}

test("sites that the centre cannot sign in at once after an outage are given the whole time again", async () => {
  const emails = await reportingSites();
  await pass(SILENT_MS - 4 * LOOK_MS);
  expect(await signInAllAtOnce(emails, LOCALHOST, SITE_PASSWORD)).toEqual(new Set(["200", "429"]));
  await pass(8 * LOOK_MS);
  expect(await silentSites()).toEqual([]);
  await pass(SILENT_MS);
  expect(await silentSites()).toHaveLength(24);
});

test("sites that cannot sign in because the database rejects what a sign-in reads are given the whole time again", async () => {
  const [email = ""] = await reportingSites();
  await pass(SILENT_MS - 4 * LOOK_MS);
  await app.run("ALTER TABLE accounts RENAME TO lost_accounts");
  await request(app.app).post("/auth/token").send({ email, password: SITE_PASSWORD }).expect(500);
  await app.run("ALTER TABLE lost_accounts RENAME TO accounts");
  await pass(8 * LOOK_MS);
  expect(await silentSites()).toEqual([]);
  await pass(SILENT_MS);
  expect(await silentSites()).toHaveLength(24);
});

test("strangers who fill the queue of the sign-ins with guesses do not put off that sites are silent", async () => {
  const emails = await reportingSites();
  await pass(SILENT_MS - 4 * LOOK_MS);
  expect(await signInAllAtOnce(emails, "127.0.9.9", "a guess")).toEqual(new Set(["401", "429"]));
  await pass(8 * LOOK_MS);
  expect(await silentSites()).toHaveLength(24);
});

test("nor do strangers at the address of the load balancer, which is that of every site", async () => {
  const emails = await reportingSites();
  for (let burst = 1; burst <= 5; burst += 1) {
    await pass(SILENT_MS / 2);
    const codes = await signInAllAtOnce(emails, LOCALHOST, `guess ${burst}`);
    expect(codes).toEqual(new Set(["401", "429"]));
  }
  expect(await silentSites()).toHaveLength(24);
  expect((await repairs()).length).toBeGreaterThan(0);
});

test("sign-ins refused soon after an outage of the database count, and later ones do not", async () => {
  const emails = await reportingSites();
  await breakSites();
  await pass(2 * SILENT_MS);
  await repairSites();
  for (let burst = 1; burst <= 3; burst += 1) {
    await pass(SILENT_MS / 2 - LOOK_MS);
    await signInAllAtOnce(emails, LOCALHOST, `guess ${burst}`);
  }
  expect(await silentSites()).toEqual([]);
  await pass(SILENT_MS / 2 + 3 * LOOK_MS);
  expect(await silentSites()).toHaveLength(24);
});

test("one report that the centre refused between two looks gives its site the whole time again", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  await pass(SILENT_MS / 2);
  await breakSites();
  await post(REPORT, 500);
  await repairSites();
  await pass(SILENT_MS / 2 + 2 * LOOK_MS);
  expect(await repairs()).toEqual([]);
  await post(REPORT, 204);
  await pass(SILENT_MS - LOOK_MS);
  expect(await repairs()).toEqual([]);
  await pass(3 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
});

test("a report that the centre rejects because of its content delays nothing", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  await pass(SILENT_MS / 2);
  await post({ ...REPORT, level: "fine" }, 400);
  await pass(SILENT_MS / 2 + 2 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
});

test("a report that is on its way while a look decides is no silence", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  await pass(SILENT_MS - LOOK_MS);
  await pass(LOOK_MS);
  app.clock.advance(LOOK_MS - 1);
  const stored = report();
  // SQLite stores it at the end of this event loop turn, after both looks; the other database during the first.
  const before = looks.over;
  app.clock.advance(1);
  for (let step = 0; step < 50 && looks.over === before; step += 1) await Promise.resolve();
  await look();
  await stored;
  await pass(LOOK_MS);
  expect(await repairs()).toEqual([]);
});

test("a process that stood still for longer than the time calls no site silent whose report it has to read first", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  await look(() => app.clock.standStill(2 * SILENT_MS));
  await pass(LOOK_MS);
  expect(await repairs()).toEqual([]);
  await pass(SILENT_MS + 2 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
});

test("a clock that jumps makes no site silent", async () => {
  await report();
  await pass(SILENT_MS, [REPORT.ref]);
  app.clock.stepWall(86_400_000);
  await pass(SILENT_MS - LOOK_MS, [REPORT.ref]);
  app.clock.stepWall(-2 * 86_400_000);
  await pass(2 * SILENT_MS, [REPORT.ref]);
  expect(await repairs()).toEqual([]);
  await pass(SILENT_MS + 2 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
});

test("a clock that is set back while the database is gone leaves no site that is never silent", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  await breakSites();
  app.clock.stepWall(-86_400_000);
  await pass(LOOK_MS);
  await repairSites();
  await pass(SILENT_MS + 3 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
});

test("a silent site is found within two looks", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  const lastMs = app.clock.wallMs();
  while ((await repairs()).length === 0) await pass(LOOK_MS);
  expect(app.clock.wallMs() - lastMs).toBeLessThanOrEqual(SILENT_MS + 2 * LOOK_MS);
});

test("a centre that keeps missing reports says that it cannot tell, until it can", async () => {
  await pass(SILENT_MS + LOOK_MS, [REPORT.ref]);
  for (let part = 0; part < 7; part += 1) {
    await pass(SILENT_MS / 2);
    app.parts.fleet.reportsMissed();
  }
  expect(await repairs()).toEqual([]);
  expect(conditions.list().map(({ code }) => code)).toEqual(["silent-sites-unknown"]);
  await pass(SILENT_MS + 3 * LOOK_MS);
  expect(await repairs()).toHaveLength(1);
  expect(conditions.list()).toEqual([]);
});

test("an outage is one condition, which ends with the reports", async () => {
  const refs = Array.from({ length: 12 }, (_, number) => `site-${number}`);
  await pass(SILENT_MS, refs);
  await pass(SILENT_MS + 2 * LOOK_MS);
  expect(await repairs()).toHaveLength(12);
  expect(conditions.list()[0]).toMatchObject({ code: "sites-silent", values: { sites: 12 } });
  await pass(2 * LOOK_MS, refs);
  expect(conditions.list()).toEqual([]);
});

/** A watch with times of single sites, whose looks are those of a site that may be silent for 20 seconds. */
async function startAgain(times: SilenceTimes): Promise<void> {
  await watch.stop();
  start(times, 5_000);
}

test("a bank is silent after seconds and a shed after an hour, beside the other sites of a centre", async () => {
  await startAgain({ silentS: 600, sites: { bank: 20, shed: 3_600 } });
  const refs = ["bank", "shed", REPORT.ref];
  await pass(20_000, refs);
  expect(await silentSites()).toEqual([]);
  await pass(30_000, ["shed", REPORT.ref]);
  expect(await silentSites()).toEqual(["bank"]);
  await pass(600_000, ["bank"]);
  expect(await silentSites()).toEqual([]);
  await pass(10_000, ["bank"]);
  expect(await silentSites()).toEqual([REPORT.ref]);
  await pass(3_000_000, ["bank", REPORT.ref]);
  expect(await silentSites()).toEqual(["shed"]);
  expect(await repairs()).toHaveLength(3);
  expect(conditions.list()).toEqual([]);
});

test("a time of its own waits for a site that reports later", async () => {
  await startAgain({ silentS: 600, sites: { later: 20 } });
  await pass(60_000, [REPORT.ref]);
  expect(await silentSites()).toEqual([]);
  await report("later");
  await pass(30_000, [REPORT.ref]);
  expect(await silentSites()).toEqual(["later"]);
});

test("a centre after its start judges a bank at once, and a shed only after its whole time", async () => {
  for (const ref of ["bank", "shed"]) await report(ref);
  await watch.stop();
  app.clock.advance(86_400_000);
  // The same fleet as before the stop, which a new process would not have.
  app.parts.fleet.reportsMissed();
  await startAgain({ silentS: 600, sites: { bank: 20, shed: 3_600 } });
  await pass(30_000);
  expect(await silentSites()).toEqual(["bank"]);
  await pass(3_500_000);
  expect(await silentSites()).toEqual(["bank"]);
  await pass(80_000);
  expect(await silentSites()).toEqual(["bank", "shed"]);
});

test("sheds between two of their reports are no outage, and banks that stop together are one", async () => {
  const named = (kind: string) => Array.from({ length: 12 }, (_, number) => `${kind}-${number}`);
  const [banks, sheds] = [named("bank"), named("shed")];
  const times = [...banks.map((ref) => [ref, 20]), ...sheds.map((ref) => [ref, 400])] as [string, number][];
  await startAgain({ silentS: 120, sites: Object.fromEntries(times) });
  for (const ref of [...banks, ...sheds]) await report(ref);
  for (let turn = 0; turn < 3; turn += 1) {
    await pass(190_000, [...banks, REPORT.ref]);
    for (const ref of sheds) await report(ref);
  }
  // The sheds reported two minutes ago, which is long for other sites.
  await pass(140_000, banks);
  expect(await silentSites()).toEqual([REPORT.ref]);
  expect((await repairs()).map(({ priority }) => priority)).toEqual(["medium"]);
  expect(conditions.list()).toEqual([]);
  await pass(30_000);
  expect(await silentSites()).toEqual([...banks, REPORT.ref].toSorted());
  expect(new Set((await repairs()).slice(1).map(({ priority }) => priority))).toEqual(new Set(["low"]));
  expect(conditions.list()[0]).toMatchObject({ code: "sites-silent" });
});

test("an outage stays one although a missed report hides for a while which other sites have stopped", async () => {
  const refs = Array.from({ length: 12 }, (_, number) => `site-${number}`);
  await startAgain({ silentS: 600, sites: { bank: 20 } });
  await pass(600_000, [...refs, "bank"]);
  await pass(620_000, ["bank"]);
  expect(conditions.list()[0]).toMatchObject({ code: "sites-silent", values: { sites: 12 } });
  app.parts.fleet.reportsMissed();
  // The bank is judged again before the others, and stops too.
  await pass(60_000);
  expect(await silentSites()).toEqual(["bank", ...refs].toSorted());
  // It is no part of the outage, because it reported for ten minutes longer.
  expect((await repairs()).filter(({ priority }) => priority === "medium")).toHaveLength(1);
  expect(conditions.list()[0]).toMatchObject({ code: "sites-silent", values: { sites: 12 } });
});

test("a centre that has missed the reports of many sites makes no outage of the silence of one", async () => {
  const refs = Array.from({ length: 12 }, (_, number) => `site-${number}`);
  for (const ref of [...refs, "bank"]) await report(ref);
  await watch.stop();
  app.clock.advance(3_600_000);
  app.parts.fleet.reportsMissed();
  await startAgain({ silentS: 600, sites: { bank: 20 } });
  await pass(60_000);
  expect(await silentSites()).toEqual(["bank"]);
  expect((await repairs()).map(({ priority }) => priority)).toEqual(["medium"]);
});

test("a process that stands still for seconds again and again still finds sites with a longer time than a bank", async () => {
  await startAgain({ silentS: 600, sites: { bank: 20 } });
  await pass(600_000, ["bank", REPORT.ref]);
  for (let minute = 0; minute < 11; minute += 1) {
    await pass(50_000, ["bank"]);
    await look(() => app.clock.standStill(8_000));
    await report("bank");
  }
  expect(await silentSites()).toEqual([REPORT.ref]);
  // A report of the bank may have come meanwhile: it is given the whole time again.
  await pass(10_000);
  await look(() => app.clock.standStill(8_000));
  await pass(15_000);
  expect(await silentSites()).toEqual([REPORT.ref]);
  await pass(20_000);
  expect(await silentSites()).toEqual(["bank", REPORT.ref]);
});

test("a changed time is in force from the next look on", async () => {
  await startAgain({ silentS: 600, sites: { other: 20 } });
  await pass(60_000, [REPORT.ref]);
  await pass(60_000);
  expect(await silentSites()).toEqual([]);
  watch.use({ silentS: 600, sites: { other: 20, [REPORT.ref]: 30 } });
  await pass(5_000);
  expect(await silentSites()).toEqual([REPORT.ref]);
});

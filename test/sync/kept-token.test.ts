import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Sync } from "../../src/sync/sync.ts";
import { PATROL, OPERATOR_USER, TestApp } from "../support/app.ts";
import { TestAuthority, type KeyPairPem } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { NO_ANSWER, TlsCentre } from "../support/tls-centre.ts";
import { tlsSiteOf } from "../support/tls-site.ts";

/* A site keeps its token of the dispatch centre across a power cut. */

let authority: TestAuthority;
let pair: KeyPairPem;
beforeAll(async () => {
  authority = await TestAuthority.make();
  pair = await authority.sign("127.0.0.1");
});
afterAll(() => authority.remove());

const HOUR_MS = 3_600_000;

let app: TestApp;
let centre: TlsCentre;
let baseUrl: string;
let folder: string;
let running: Sync | undefined;
let alarms = 0;

beforeEach(async () => {
  app = await TestApp.forTest();
  centre = new TlsCentre(pair);
  baseUrl = await centre.start();
  folder = temporaryFolder();
  mkdirSync(join(folder, "secrets"));
});
afterEach(async () => {
  await running?.stop();
  await centre.stop();
});

/** A start after a power cut. */
async function start(account: { email?: string; password?: string } = {}): Promise<void> {
  await running?.stop();
  running = tlsSiteOf(app, { baseUrl, ca: authority.ca, dataDir: folder, ...account });
  running.start();
}

/** Creates an alarm. @returns its name */
function create(): string {
  alarms += 1;
  const name = `Alarm ${alarms}`;
  running?.changed(app.interventions.create({ ...PATROL, name, priority: "high" }, OPERATOR_USER).record);
  return name;
}

/** Creates an alarm and waits until the dispatch centre has it. */
async function alarm(): Promise<void> {
  const name = create();
  await eventually(name, () => centre.names.includes(name));
}

const file = (): string => join(folder, "secrets", "upstream-token.json");

test("the first alarm after a power cut is sent without a sign-in", async () => {
  await start();
  await alarm();
  await start();
  await alarm();
  expect(centre.signIns).toBe(1);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test.each([401, 403])(
  "a stored token that is rejected with %i is replaced, and the alarm is sent",
  async (status) => {
    await start();
    await alarm();
    centre.refusedTokens.set("t1", status);
    await start();
    await alarm();
    expect(centre.signIns).toBe(2);
    expect(readFileSync(file(), "utf8")).toContain('"token":"t2"');
  },
);

test.each([429, 503, NO_ANSWER])(
  "an alarm is sent with the token of a site whose renewal is answered %i (0: not at all)",
  async (status) => {
    await start();
    await alarm();
    centre.signInStatus = status;
    app.clock.advance(0.9 * HOUR_MS);
    await alarm();
    await alarm();
    // The renewal is repeated, but not for each request.
    expect(centre.rejectedSignIns).toEqual(["Bearer t1"]);
    app.clock.advance(120_000);
    await alarm();
    expect(centre.rejectedSignIns.length).toBeGreaterThan(1);
    centre.signInStatus = 200;
    app.clock.advance(120_000);
    await alarm();
    expect(centre.signIns).toBe(2);
  },
);

test.each<[status: number, elapsedMs: number]>([
  [403, 0.9 * HOUR_MS],
  [429, HOUR_MS],
])("a token is not sent again after an answer %i, %i ms after it was issued", async (status, elapsedMs) => {
  await start();
  await alarm();
  const sent: (string | undefined)[] = [];
  centre.faultFor = ({ authorization }) => void sent.push(authorization);
  centre.signInStatus = status;
  app.clock.advance(elapsedMs);
  create();
  await eventually("a sign-in without the token", () => {
    app.clock.advance(60_000);
    return centre.rejectedSignIns.includes("");
  });
  expect(sent).toEqual([]);
});

test.each([400, 401, 403, 422])(
  "a sign-in that is rejected with %i is repeated without the token",
  async (status) => {
    await start();
    await alarm();
    centre.signInStatus = status;
    app.clock.advance(0.9 * HOUR_MS);
    create();
    await eventually("another sign-in", () => {
      app.clock.advance(30_000);
      return centre.rejectedSignIns.length > 1;
    });
    expect(centre.rejectedSignIns.slice(0, 2)).toEqual(["Bearer t1", ""]);
  },
);

test("an expired token is not sent", async () => {
  await start();
  await alarm();
  app.clock.advance(3_600_000);
  await start();
  await alarm();
  expect(centre.signIns).toBe(2);
});

test.each([
  ["another account does not use a stored token", { email: "other@centre.example" }],
  [
    "an account with a new password does not use a stored token, so that a wrong one fails at once",
    { password: "q" },
  ],
])("%s", async (_what, account) => {
  await start();
  await alarm();
  await start(account);
  await alarm();
  expect(centre.signIns).toBe(2);
});

test.each(["", "{", "null", '{"token":7}', '{"token":"a\\r\\nb","expiresAtMs":9e15}'])(
  "a token file with %j causes a sign-in and no error",
  async (text) => {
    writeFileSync(file(), text);
    await start();
    await alarm();
    expect(centre.signIns).toBe(1);
    expect(existsSync(file())).toBe(true);
  },
);

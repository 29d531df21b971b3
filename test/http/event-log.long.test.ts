import request from "supertest";
import { beforeEach, describe, expect, test } from "vitest";
import type { LoggedEvent } from "../../src/domain/event.ts";
import { PASSWORD, PATROL, TEST_ACCOUNTS, TESTER, TestApp, testOfSite } from "../support/app.ts";
import { enrolled, signIn } from "../support/enrolled-site.ts";
import { eventually } from "../support/eventually.ts";

let site: TestApp;
let tokens: Readonly<Record<keyof typeof TEST_ACCOUNTS, string>>;
beforeEach(async () => {
  site = await TestApp.forTest();
  tokens = await site.tokenOfEach();
});

const logged = async (event: LoggedEvent["event"]): Promise<LoggedEvent[]> =>
  (await site.newestEvents(1000)).filter((entry) => entry.event === event);
const as = (role: keyof typeof TEST_ACCOUNTS, method: "post" | "put" | "delete" | "get", path: string) =>
  request(site.app)[method](path).set("Authorization", `Bearer ${tokens[role]}`);

describe("the event log records", () => {
  test("sixty sign-ins of a site from one address in an hour, and then the number of the others", async () => {
    await enrolled(site, "hala-nord", ["obiective/cladiri/1"]);
    const email = "hala-nord@sites.santinela.local";
    for (let number = 1; number < 65; number += 1) await signIn(site, email).expect(200);
    const own = async () =>
      (await logged("signed-in")).filter(({ who }) => who === email).map(({ detail }) => detail);
    expect(await own()).toEqual(Array.from({ length: 60 }, () => ({ role: "operator" })));
    site.clock.advance(3_600_000);
    await signIn(site, email).expect(200);
    expect((await own())[0]).toEqual({ role: "operator", refusedMeanwhile: 5 });
  });

  test("who signed in and from where, who failed, and whose attempts were stopped", async () => {
    const guess = (email: string, password: string) =>
      request(site.app).post("/auth/token").send({ email, password });
    await guess(TEST_ACCOUNTS.operator, PASSWORD).expect(200);
    for (let attempt = 0; attempt < 5; attempt += 1) await guess("unknown@test.example", "x").expect(401);
    await guess("unknown@test.example", "x").expect(429);
    const from = expect.stringMatching(/127\.0\.0\.1$/) as string;
    expect((await logged("signed-in"))[0]).toEqual({
      seq: expect.any(Number),
      at: new Date(site.clock.wallMs()).toISOString(),
      event: "signed-in",
      who: TEST_ACCOUNTS.operator,
      from,
      subject: `account ${TEST_ACCOUNTS.operator}`,
      detail: { role: "operator" },
    });
    expect(await logged("sign-in-failed")).toHaveLength(5);
    expect((await logged("sign-in-failed"))[0]).toMatchObject({ who: "unknown@test.example", from });
    // In the spelling of the account: each spelling would otherwise have a limit of its own in the audit trail.
    await guess(TEST_ACCOUNTS.operator.toUpperCase(), "x").expect(401);
    expect((await logged("sign-in-failed"))[0]).toMatchObject({ who: TEST_ACCOUNTS.operator });
    expect((await logged("sign-in-blocked")).map(({ detail }) => detail)).toEqual([{ blockedForS: 30 }]);
  });

  test("requests rejected with 403, one entry a minute with the count of the others", async () => {
    await as("viewer", "get", "/interventii").expect(403);
    for (let again = 0; again < 3; again += 1) await as("viewer", "get", "/interventii").expect(403);
    // The response does not wait for the log.
    const count = async (): Promise<number> => (await logged("forbidden")).length;
    await eventually("the first entry", async () => (await count()) === 1);
    expect(await logged("forbidden")).toMatchObject([
      { who: TEST_ACCOUNTS.viewer, subject: "GET /interventii", detail: {} },
    ]);
    site.clock.advance(60_000);
    await as("viewer", "delete", "/interventii/1").expect(403);
    await eventually("the second entry", async () => (await count()) === 2);
    expect((await logged("forbidden"))[0]).toMatchObject({
      subject: "DELETE /interventii/1",
      detail: { refusedMeanwhile: 3 },
    });
  });

  test("each record that is created, changed and deleted, with its values before and after", async () => {
    const { body } = await as("operator", "post", "/interventii").send(PATROL).expect(201);
    await as("administrator", "put", `/interventii/${body.id}`).send({ crews: 3, police: false });
    await as("administrator", "put", `/interventii/${body.id}`).send({ crews: 3 }).expect(200);
    await as("operator", "delete", `/interventii/${body.id}`).expect(204);
    const subject = `intervention ${body.id}`;
    expect(await logged("intervention-created")).toMatchObject([
      { who: TEST_ACCOUNTS.operator, subject, detail: { after: body } },
    ]);
    expect(await logged("intervention-changed")).toMatchObject([
      { who: TEST_ACCOUNTS.administrator, subject, detail: { before: { crews: 1 }, after: { crews: 3 } } },
    ]);
    expect((await logged("intervention-changed"))[0]?.detail).toEqual({
      before: { crews: 1 },
      after: { crews: 3 },
    });
    expect(await logged("intervention-deleted")).toMatchObject([
      { who: TEST_ACCOUNTS.operator, subject, detail: { before: { ...body, crews: 3 } } },
    ]);
  });

  test("nothing about a change that failed", async () => {
    const before = (await site.newestEvents(1))[0]?.seq;
    await as("operator", "post", "/interventii")
      .send({ ...PATROL, objectiveId: 4711 })
      .expect(404);
    expect((await site.newestEvents(1))[0]?.seq).toBe(before);
  });

  test("a device, not a user, as the source of a record", async () => {
    await request(site.app)
      .post("/interventii")
      .set("Authorization", `Bearer ${await site.tokens.deviceToken()}`)
      .send(PATROL)
      .expect(201);
    expect((await logged("intervention-created"))[0]).toMatchObject({ who: "device@santinela.local" });
  });

  test("every change of an account and its user, and never a password", async () => {
    await site.parts.accounts.add({ email: "new@test.example", role: "viewer", password: PASSWORD }, TESTER);
    await site.parts.accounts.setPassword("new@test.example", "another fine password", TESTER);
    await site.parts.accounts.setRole("new@test.example", "operator", TESTER);
    await site.parts.accounts.setDisabled("new@test.example", true, TESTER);
    await site.parts.accounts.setDisabled("new@test.example", false, TESTER);
    const entries = (await site.newestEvents(5)).toReversed();
    expect(entries.map(({ event }) => event)).toEqual([
      "account-added",
      "account-password-set",
      "account-role-changed",
      "account-disabled",
      "account-enabled",
    ]);
    expect(entries[2]).toMatchObject({ ...TESTER, detail: { before: "viewer", after: "operator" } });
    expect(JSON.stringify(await site.newestEvents(1000))).not.toMatch(/another fine password|\$2b\$/);
  });

  test("a name with line breaks on one line", async () => {
    await as("operator", "post", "/interventii")
      .send({ ...PATROL, name: "a\r\n2026-11-20 signed-in admin" })
      .expect(201);
    const [row] = await site.run("SELECT detail FROM events ORDER BY seq DESC LIMIT 1");
    const { detail } = row as { detail: string };
    expect(detail).not.toMatch(/[\r\n]/);
    expect(detail).toContain(String.raw`a\r\n2026`);
  });

  testOfSite("entries that cannot be changed, and of which the newest cannot be deleted", () => {
    expect(() => site.database.exec("UPDATE events SET who = 'another user'")).toThrow(/is final/);
    expect(() => site.database.exec("DELETE FROM events")).toThrow(/are kept/);
  });
});

testOfSite("a full disk does not prevent sign-ins", async () => {
  site.database.exec("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(FAIL, 'full'); END");
  await request(site.app)
    .post("/auth/token")
    .send({ email: TEST_ACCOUNTS.operator, password: PASSWORD })
    .expect(200);
  await as("operator", "post", "/interventii").send(PATROL).expect(500);
  expect(site.database.prepare("SELECT count(*) FROM interventions").pluck().get()).toBe(0);
});

describe("a generated password", () => {
  const EMAIL = "first@test.example";
  const GIVEN = "abcde-fghij-kmnpq-rstuv";
  let token: string;
  const ask = (method: "get" | "post", path: string) =>
    request(site.app)[method](path).set("Authorization", `Bearer ${token}`);
  beforeEach(async () => {
    await site.parts.accounts.add({ email: EMAIL, role: "administrator", password: GIVEN }, TESTER, {
      mustChangePassword: true,
    });
    token = (await site.tokens.signIn(EMAIL, GIVEN)).token;
  });

  test("permits a change of the password and nothing else", async () => {
    const { body } = await ask("get", "/interventii").expect(403);
    expect(body.message).toMatch(/use POST \/site\/password/);
    await ask("get", "/site/status").expect(403);
    await ask("get", "/openapi.json").expect(403);
    const changed = await ask("post", "/site/password")
      .send({ currentPassword: GIVEN, password: "my very own words" })
      .expect(200);
    await ask("get", "/interventii").expect(401);
    token = changed.body.token;
    await ask("get", "/interventii").expect(200);
    await request(site.app).post("/auth/token").send({ email: EMAIL, password: GIVEN }).expect(401);
    expect((await logged("account-password-set"))[0]).toMatchObject({
      who: EMAIL,
      subject: `account ${EMAIL}`,
    });
  });

  test.each([
    [
      "another one with a wrong current password",
      { currentPassword: "wrong", password: "my very own words" },
      403,
    ],
    ["the same one", { currentPassword: GIVEN, password: GIVEN }, 400],
    ["a short one", { currentPassword: GIVEN, password: "abc" }, 400],
    ["a common one", { currentPassword: GIVEN, password: "Password123" }, 400],
    ["the Romanian word for it", { currentPassword: GIVEN, password: "Parolă2026!" }, 400],
    ["the name of the product", { currentPassword: GIVEN, password: "santinela1" }, 400],
    ["the address of the account", { currentPassword: GIVEN, password: EMAIL }, 400],
    ["nothing", { currentPassword: GIVEN }, 400],
    ["half a character", { currentPassword: GIVEN, password: "abcdefg\ud800hijk" }, 400],
    ["no text", { currentPassword: GIVEN, password: 12345678 }, 400],
  ])("cannot be changed to %s", async (_what, body, status) => {
    await ask("post", "/site/password").send(body).expect(status);
    await ask("get", "/interventii").expect(403);
  });

  test("is protected from guessing here too", async () => {
    for (let attempt = 0; attempt < 20; attempt += 1)
      await ask("post", "/site/password").send({ currentPassword: "x", password: "my very own words" });
    await ask("post", "/site/password")
      .send({ currentPassword: GIVEN, password: "my very own words" })
      .expect(429);
    expect((await logged("sign-in-failed")).filter(({ who }) => who === EMAIL)).toHaveLength(5);
    expect(await logged("sign-in-blocked")).toHaveLength(1);
  });

  test("can be changed once, by the first of several requests", async () => {
    const answers = await Promise.all(
      ["one of my words", "two of my words", "all of my words"].map((password) =>
        ask("post", "/site/password").send({ currentPassword: GIVEN, password }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
  });
});

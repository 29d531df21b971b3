import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import type { SiteAccess } from "../../src/generated/types.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { claim, codeFor, enrolled, SITE_PASSWORD, signIn } from "../support/enrolled-site.ts";

const HALL = ["obiective/cladiri/1"];
const BAD_REQUEST = { error: "Bad Request", message: expect.any(String) as string, statusCode: 400 };
const HOUR_MS = 3_600_000;
const OTHER_PASSWORD = "z8r4-2mkqp-x7dvb-h9ctn";

let centre: TestApp;
beforeEach(async () => {
  centre = await TestApp.forTest();
});

async function asAdministrator(method: "get" | "post" | "put" | "delete", path: string, body?: object) {
  const token = await centre.token("administrator");
  return request(centre.app)[method](path).set("Authorization", `Bearer ${token}`).send(body);
}

async function access(): Promise<SiteAccess[]> {
  return (await asAdministrator("get", "/enrolments")).body as SiteAccess[];
}

test("a site exchanges its code for an account of its own", async () => {
  const code = await codeFor(centre, "hala-nord", ["obiective/cladiri/1", "obiective/bunuri/2"]);
  expect(await access()).toMatchObject([{ site: "hala-nord", state: "invited", email: null }]);
  // Codes are typed: case, spaces and dashes do not matter.
  const typed = ` ${code.toUpperCase().replaceAll("-", " ")} `;
  const { body } = await claim(centre, typed, "hala-nord").expect(201);
  expect(body).toEqual({
    email: "hala-nord@sites.santinela.local",
    site: "hala-nord",
    objectives: ["obiective/cladiri/1", "obiective/bunuri/2"],
  });
  expect(JSON.stringify(body)).not.toContain(SITE_PASSWORD);
  await signIn(centre, body.email).expect(200);
  expect(await access()).toEqual([{ ...body, state: "enrolled", codeExpiresAt: null }]);
});

test("a code works once; only the site that used it may repeat its request, because the answer may be lost", async () => {
  const code = await codeFor(centre, "hala-nord", HALL);
  const { body } = await claim(centre, code, "hala-nord").expect(201);
  expect((await claim(centre, code, "hala-nord").expect(201)).body).toEqual(body);
  await claim(centre, code, "hala-nord", OTHER_PASSWORD).expect(403);
  await signIn(centre, body.email).expect(200);
  centre.clock.advance(HOUR_MS);
  await claim(centre, code, "hala-nord").expect(403);
});

test("of two that use a code at once, one gets the account", async () => {
  const code = await codeFor(centre, "hala-nord", HALL);
  const answers = await Promise.all(
    [SITE_PASSWORD, OTHER_PASSWORD].map(async (password) => ({
      password,
      status: (await claim(centre, code, "hala-nord", password)).status,
    })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403]);
  for (const { password, status } of answers)
    await signIn(centre, "hala-nord@sites.santinela.local", password).expect(status === 201 ? 200 : 401);
});

test("a site that repeats its request before the first has its answer gets the same account", async () => {
  const code = await codeFor(centre, "hala-nord", HALL);
  const answers = await Promise.all([1, 2].map(() => claim(centre, code, "hala-nord")));
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(answers[1]?.body).toEqual(answers[0]?.body);
  await signIn(centre, "hala-nord@sites.santinela.local").expect(200);
});

test("a claim without a reference takes that of the code, once, and again after a lost response", async () => {
  const code = await codeFor(centre, "hala-nord", HALL);
  const { body } = await claim(centre, code, undefined).expect(201);
  expect(body).toMatchObject({ email: "hala-nord@sites.santinela.local", site: "hala-nord" });
  expect((await claim(centre, code, undefined).expect(201)).body).toEqual(body);
  // A second site with the same code.
  await claim(centre, code, undefined, OTHER_PASSWORD).expect(403);
  await claim(centre, "abcde-fghjk-mnpqr-stuvw", undefined).expect(403);
  await signIn(centre, body.email).expect(200);
  const failed = (await centre.newestEvents(100)).filter(({ event }) => event === "sign-in-failed");
  expect(failed.map(({ subject }) => subject)).toEqual(["unknown site", "site hala-nord"]);
});

test("an expired code, a replaced one and one of another centre are refused in the same words", async () => {
  const elsewhere = await TestApp.forTest();
  const ofAnother = await codeFor(elsewhere, "hala-nord", HALL);
  const replaced = await codeFor(centre, "hala-nord", HALL);
  const expired = await codeFor(centre, "hala-nord", HALL, { validH: 1 });
  centre.clock.advance(HOUR_MS);
  const answers = await Promise.all(
    [ofAnother, replaced, expired, "abcde-fghjk-mnpqr-stuvw"].map((code) => claim(centre, code, "hala-nord")),
  );
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(new Set(answers.map(({ body }) => body.message as string)).size).toBe(1);
  await signIn(centre, "hala-nord@sites.santinela.local").expect(401);
});

test("a code is for one site: another cannot take its account with a code of its own", async () => {
  await enrolled(centre, "hala-nord", HALL);
  const code = await codeFor(centre, "hala-sud", ["obiective/cladiri/2"]);
  const { body } = await claim(centre, code, "hala-nord", OTHER_PASSWORD).expect(403);
  expect(body.message).toContain("hala-sud");
  await signIn(centre, "hala-nord@sites.santinela.local").expect(200);
  await claim(centre, code, "hala-sud", OTHER_PASSWORD).expect(201);
});

test("a claim or an invitation that makes no sense is explained, and uses no code", async () => {
  const code = await codeFor(centre, "hala-nord", HALL);
  const bodies: object[] = [
    {},
    { code, site: "hala-nord" },
    { code, site: "hala-nord", password: "short" },
    { code, site: "hala-nord", password: "x".repeat(73) },
    { code, site: "../etc", password: SITE_PASSWORD },
    { code, site: "hala-nord", password: SITE_PASSWORD, role: "administrator" },
  ];
  for (const body of bodies) await request(centre.app).post("/enrolments/claim").send(body).expect(400);
  const short = await request(centre.app).post("/enrolments/claim").send(bodies[2]);
  expect(short.body).toMatchObject({ message: "password must have at least 20 characters" });
  const invitations: object[] = [
    { site: "a b", objectives: HALL },
    { site: "hala-sud", objectives: [] },
    { site: "hala-sud", objectives: ["obiective/cladiri/77"] },
    { site: "hala-sud", objectives: ["obiective/strazi/1"] },
    { site: "hala-sud", objectives: HALL, validH: 0 },
  ];
  for (const body of invitations)
    expect([(await asAdministrator("post", "/enrolments", body)).status, body]).toEqual([400, body]);
  await claim(centre, code, "hala-nord").expect(201);
});

test.each([
  ["an invitation for a reference", "/enrolments", { site: "hala\u0000nord", objectives: HALL }],
  ["an invitation for an objective", "/enrolments", { site: "hala-nord", objectives: [`${HALL[0]}\u0000`] }],
  ["a claim for a reference", "/enrolments/claim", { site: "hala\u0000nord", password: SITE_PASSWORD }],
  ["a claim with a password", "/enrolments/claim", { site: "hala-nord", password: `${SITE_PASSWORD}\u0000` }],
])("%s with a zero byte is rejected, and uses no code", async (_what, path, body) => {
  const code = await codeFor(centre, "hala-nord", HALL);
  const isClaim = path.endsWith("/claim");
  const answer = await asAdministrator("post", path, isClaim ? { ...body, code } : body);
  expect([answer.status, answer.body]).toEqual([400, BAD_REQUEST]);
  await claim(centre, code, "hala-nord").expect(201);
});

test("a code with a zero byte is rejected, and the code stays valid", async () => {
  const code = await codeFor(centre, "hala-nord", HALL);
  await claim(centre, `${code.slice(0, 5)}\u0000${code.slice(5)}`, "hala-nord").expect(400);
  await claim(centre, code, "hala-nord").expect(201);
});

test("a stolen site is locked out at once, and its successor keeps its account", async () => {
  const stolen = await enrolled(centre, "hala-nord", HALL);
  const unused = await codeFor(centre, "hala-nord", HALL, { transfer: true });
  expect((await asAdministrator("delete", "/enrolments/hala-nord")).status).toBe(204);
  await request(centre.app).get("/interventii").set("Authorization", `Bearer ${stolen}`).expect(401);
  await signIn(centre, "hala-nord@sites.santinela.local").expect(401);
  await claim(centre, unused, "hala-nord", OTHER_PASSWORD).expect(403);
  expect(await access()).toMatchObject([{ site: "hala-nord", state: "revoked", codeExpiresAt: null }]);

  const code = await codeFor(centre, "hala-nord", ["obiective/cladiri/2"]);
  const { body } = await claim(centre, code, "hala-nord", OTHER_PASSWORD).expect(201);
  expect(body.email).toBe("hala-nord@sites.santinela.local");
  await signIn(centre, body.email).expect(401);
  await signIn(centre, body.email, OTHER_PASSWORD).expect(200);
  expect(await access()).toMatchObject([{ state: "enrolled", objectives: ["obiective/cladiri/2"] }]);
  expect((await asAdministrator("delete", "/enrolments/hala-vest")).status).toBe(404);
  expect((await asAdministrator("delete", "/enrolments/%2e%2e")).status).toBe(404);
});

test("the account of a revoked site is enabled by a new code only, so that a stolen device stays locked out", async () => {
  await enrolled(centre, "hala-nord", HALL);
  const account = "/site/accounts/hala-nord@sites.santinela.local";
  expect((await asAdministrator("put", account, { disabled: false, currentPassword: PASSWORD })).status).toBe(
    200,
  );
  expect((await asAdministrator("delete", "/enrolments/hala-nord")).status).toBe(204);
  const refused = await asAdministrator("put", account, { disabled: false, currentPassword: PASSWORD });
  expect([refused.status, refused.body.message]).toEqual([
    409,
    "the access of site hala-nord was revoked. Create a new one-time code for the site instead.",
  ]);
  await signIn(centre, "hala-nord@sites.santinela.local").expect(401);
  await claim(centre, await codeFor(centre, "hala-nord", HALL), "hala-nord", OTHER_PASSWORD).expect(201);
  await signIn(centre, "hala-nord@sites.santinela.local", OTHER_PASSWORD).expect(200);
});

test("the accounts of users are listed without those of sites, and the last administrator is a user", async () => {
  const before = (await asAdministrator("get", "/site/accounts")).body as unknown[];
  await enrolled(centre, "hala-nord", HALL);
  expect((await asAdministrator("get", "/site/accounts")).body).toEqual(before);
  const own = `/site/accounts/${TEST_ACCOUNTS.administrator}`;
  expect((await asAdministrator("put", own, { role: "viewer", currentPassword: PASSWORD })).status).toBe(409);
  expect((await asAdministrator("put", own, { disabled: true, currentPassword: PASSWORD })).status).toBe(409);
});

test("the sites with access are read in pages, by their reference", async () => {
  const sites = ["hala-est", "hala-nord", "hala-sud", "hala-vest"];
  for (const site of sites.toReversed()) await codeFor(centre, site, HALL);
  await enrolled(centre, "hala-sud", HALL);
  const page = async (query: string) => {
    const { body, headers } = await asAdministrator("get", `/enrolments${query}`);
    const refs = (body as { site: string }[]).map(({ site }) => site);
    return [refs, headers["x-total-count"], headers["x-ignored-parameters"]] as const;
  };
  expect(await page("")).toEqual([sites, "4", undefined]);
  expect(await page("?_start=1&_end=3&colour=red")).toEqual([["hala-nord", "hala-sud"], "4", "colour"]);
  expect(await page("?_start=9&_end=12")).toEqual([[], "4", undefined]);
  const { headers } = await asAdministrator("get", "/enrolments?_start=0&_end=3");
  expect(headers["link"]).toContain("_start=3&_end=6");
  expect((await asAdministrator("get", "/enrolments?_start=x")).status).toBe(400);
});

test("the account of a site stays operator", async () => {
  await enrolled(centre, "hala-nord", HALL);
  const account = "/site/accounts/hala-nord@sites.santinela.local";
  const set = (role: string) => asAdministrator("put", account, { role, currentPassword: PASSWORD });
  for (const role of ["administrator", "viewer"]) {
    const refused = await set(role);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      "hala-nord@sites.santinela.local is the account of site hala-nord, which is always operator. To end its access, use santinela sites revoke; for a person, add an account.",
    ]);
  }
  expect((await set("operator")).status).toBe(200);
});

test("a code for a site that is enrolled needs a confirmation, and its account stays until then", async () => {
  await enrolled(centre, "hala-nord", HALL);
  const invitation = { site: "hala-nord", objectives: ["obiective/cladiri/2"] };
  for (const body of [invitation, { ...invitation, transfer: false }]) {
    const refused = await asAdministrator("post", "/enrolments", body);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining("takes over its account"),
    ]);
  }
  expect(await access()).toMatchObject([{ state: "enrolled", codeExpiresAt: null, objectives: HALL }]);

  const code = await codeFor(centre, "hala-nord", HALL, { transfer: true });
  await signIn(centre, "hala-nord@sites.santinela.local").expect(200);
  await claim(centre, code, "hala-nord", OTHER_PASSWORD).expect(201);
  await signIn(centre, "hala-nord@sites.santinela.local").expect(401);
  // A site whose access was revoked has no device that could lose it.
  expect((await asAdministrator("delete", "/enrolments/hala-nord")).status).toBe(204);
  expect((await asAdministrator("post", "/enrolments", invitation)).status).toBe(201);
});

test("a site is locked out whose reference is the path of the enrolment", async () => {
  const token = await enrolled(centre, "claim", HALL);
  for (const role of ["operator", "viewer"] as const)
    await request(centre.app)
      .delete("/enrolments/claim")
      .set("Authorization", `Bearer ${await centre.token(role)}`)
      .expect(403);
  await request(centre.app).delete("/enrolments/claim").expect(401);
  await request(centre.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(200);
  expect((await asAdministrator("delete", "/enrolments/claim")).status).toBe(204);
  await request(centre.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(401);
});

test("only administrators invite and revoke", async () => {
  for (const role of ["operator", "viewer"] as const) {
    const token = await centre.token(role);
    const ask = (method: "get" | "post" | "delete", path: string) =>
      request(centre.app)[method](path).set("Authorization", `Bearer ${token}`);
    await ask("get", "/enrolments").expect(403);
    await ask("post", "/enrolments").send({ site: "x", objectives: HALL }).expect(403);
    await ask("delete", "/enrolments/x").expect(403);
  }
  await request(centre.app).get("/enrolments").expect(401);
  await request(centre.app).get("/enrolments/claim").expect(405);
});

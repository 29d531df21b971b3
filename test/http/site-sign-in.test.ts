import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { PASSWORD, TEST_ACCOUNTS, TestApp, TESTER } from "../support/app.ts";
import { claim, codeFor, SITE_PASSWORD } from "../support/enrolled-site.ts";

/* Strangers know the address of a site's account, and may share its network address. They must not hold up its alarms. */

const HOUR_MS = 3_600_000;
/** Of a mobile operator: the site has it together with thousands of strangers. */
const SHARED = "10.0.0.7";

let centre: TestApp;
let email: string;
beforeEach(async () => {
  centre = await TestApp.forTest();
  ({ email } = (await claim(centre, await codeFor(centre, "hala-nord", ["obiective/cladiri/1"]), "hala-nord"))
    .body as { email: string });
});

const siteSignsIn = (from: string, token?: string, password = SITE_PASSWORD) =>
  centre.tokens.signIn(email, password, from, token);
/** @returns the code of the last answer */
async function strangerGuesses(times: number, from: (guess: number) => string, of = email): Promise<string> {
  let code = "";
  for (let guess = 0; guess < times; guess += 1)
    await centre.tokens.signIn(of, `guess-${guess}`, from(guess)).catch((error) => (code = error.code));
  return code;
}
const shared = (): string => SHARED;
const elsewhere = (guess: number): string => `10.9.0.${guess}`;

test("a user renews a token while a stranger at the same address fails with the same account", async () => {
  const { token } = await centre.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, SHARED);
  expect(await strangerGuesses(6, shared, TEST_ACCOUNTS.operator)).toBe("too-many-requests");
  await centre.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, SHARED, token);
});

test("a user changes a password while a stranger at the same address fails with the account", async () => {
  const address = "127.0.0.1";
  const { token } = await centre.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, address);
  await strangerGuesses(6, () => address, TEST_ACCOUNTS.operator);
  await strangerGuesses(6, () => `::ffff:${address}`, TEST_ACCOUNTS.operator);
  const changed = await request(centre.app)
    .post("/site/password")
    .set("Authorization", `Bearer ${token}`)
    .send({ currentPassword: PASSWORD, password: `${PASSWORD} 2` });
  expect(changed.status).toBe(200);
});

test("a token does not give more guesses of the password", async () => {
  const { token } = await siteSignsIn(SHARED);
  for (let guess = 0; guess < 5; guess += 1)
    await expect(siteSignsIn(SHARED, token, "guess")).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(siteSignsIn(SHARED, token, "guess")).rejects.toMatchObject({ code: "too-many-requests" });
});

test("a site signs in from a new address while strangers guess its password elsewhere", async () => {
  expect(await strangerGuesses(6, elsewhere)).toBe("unauthenticated");
  await siteSignsIn("10.0.0.8");
});

test("a site whose token has expired signs in beside a stranger at its address", async () => {
  await siteSignsIn(SHARED);
  centre.clock.advance(2 * HOUR_MS);
  expect(await strangerGuesses(30, shared)).toBe("too-many-requests");
  await siteSignsIn(SHARED);
  // At another address too, where the stranger has used all attempts.
  expect(await strangerGuesses(30, () => "10.0.0.9", "unknown@test.example")).toBe("too-many-requests");
  await siteSignsIn("10.0.0.9");
});

test("guesses of a site's password are limited at each address, whether it has an account or not", async () => {
  for (const of of [email, "unknown@sites.santinela.local"]) {
    const from = `10.1.0.${of.length}`;
    expect(await strangerGuesses(20, () => from, of)).toBe("unauthenticated");
    expect(await strangerGuesses(1, () => from, of)).toBe("too-many-requests");
  }
});

test("a revoked site is not admitted by its password", async () => {
  await siteSignsIn(SHARED);
  await centre.parts.enrolments.revoke("hala-nord", TESTER);
  await expect(siteSignsIn(SHARED)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("the account of a site gets no short password by hand", async () => {
  const { accounts } = centre.parts;
  await expect(accounts.setPassword(email, PASSWORD.slice(0, 19), TESTER)).rejects.toMatchObject({
    code: "bad-data",
  });
  await accounts.setPassword(email, PASSWORD, TESTER);
  await siteSignsIn(SHARED, undefined, PASSWORD);
  await accounts.setPassword(TEST_ACCOUNTS.operator, PASSWORD.slice(0, 19), TESTER);
});

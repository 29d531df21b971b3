import request from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { INITIAL_ADMIN_EMAIL } from "../../src/domain/principal.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";

const ION = { email: "ion@example.ro", role: "operator", password: "given by word of mouth" } as const;

let site: TestApp;
let token: string;
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token("administrator");
});
afterAll(() => site.close());

const put = (email: string, body: object): request.Test =>
  request(site.app)
    .put(`/site/accounts/${encodeURIComponent(email)}`)
    .set("Authorization", `Bearer ${token}`)
    .send({ currentPassword: PASSWORD, ...body });
/** Adds an account with the password of the administrator. */
const post = (account: object): request.Test =>
  request(site.app)
    .post("/site/accounts")
    .set("Authorization", `Bearer ${token}`)
    .send({ currentPassword: PASSWORD, ...account });
const signIn = async (email: string, password: string): Promise<number> =>
  (await request(site.app).post("/auth/token").send({ email, password })).status;

test("only administrators manage accounts", async () => {
  for (const role of ["viewer", "operator"] as const) {
    const authorization = `Bearer ${await site.token(role)}`;
    await request(site.app).get("/site/accounts").set("Authorization", authorization).expect(403);
    await request(site.app).post("/site/accounts").set("Authorization", authorization).send(ION).expect(403);
  }
  const { body } = await request(site.app).get("/site/accounts").set("Authorization", `Bearer ${token}`);
  expect(body).toContainEqual({ email: TEST_ACCOUNTS.viewer, role: "viewer", disabled: false });
});

test("a change has the role or the state, and nothing else", async () => {
  await put(TEST_ACCOUNTS.viewer, { role: "operator", disabled: true }).expect(400);
  await put(TEST_ACCOUNTS.viewer, { role: "operator", rank: 1 }).expect(400);
  await put(TEST_ACCOUNTS.viewer, { disabled: "yes" }).expect(400);
  const { body } = await request(site.app).get("/site/accounts").set("Authorization", `Bearer ${token}`);
  expect(body).toContainEqual({ email: TEST_ACCOUNTS.viewer, role: "viewer", disabled: false });
});

test("a stolen session of an administrator changes no account without the password", async () => {
  const eve = { email: "eve@example.ro", role: "administrator", password: "chosen by the thief" };
  for (const currentPassword of [undefined, "a guess"]) {
    await post({ ...eve, currentPassword }).expect(403);
    await put(TEST_ACCOUNTS.viewer, { role: "administrator", currentPassword }).expect(403);
    await put(TEST_ACCOUNTS.viewer, { disabled: true, currentPassword }).expect(403);
  }
  const { body } = await request(site.app).get("/site/accounts").set("Authorization", `Bearer ${token}`);
  expect(body).toContainEqual({ email: TEST_ACCOUNTS.viewer, role: "viewer", disabled: false });
  expect(JSON.stringify(body)).not.toContain(eve.email);
  const events = await site.newestEvents(9);
  expect(events.map(({ event }) => event)).toContain("sign-in-failed");
  expect(JSON.stringify(events)).not.toContain(eve.email);
});

test("a new user must change the password first", async () => {
  await post(ION).expect(201);
  const answer = await request(site.app)
    .post("/auth/token")
    .send({ email: ION.email, password: ION.password });
  const own = `Bearer ${(answer.body as { token: string }).token}`;
  await request(site.app).get("/site/status").set("Authorization", own).expect(403);
  const change = { currentPassword: ION.password, password: "four words that differ" };
  await request(site.app).post("/site/password").set("Authorization", own).send(change).expect(200);
  expect((await site.newestEvents(9)).map(({ event }) => event)).toContain("account-added");
});

test("a user who has lost the password gets an initial one, and sets another", async () => {
  const ana = { email: "ana@example.ro", role: "operator", password: "forgotten by its user" };
  await post(ana).expect(201);
  const first = await request(site.app).post("/auth/token").send(ana);
  const password = "given again by mouth";
  await put(ana.email, { password, currentPassword: "a guess" }).expect(403);
  await put(ana.email, { password, role: "viewer" }).expect(400);
  await put(ana.email, { password: "short" }).expect(400);
  await put(ana.email, { password }).expect(200);
  const [newest] = await site.newestEvents(1);
  expect(newest).toMatchObject({
    event: "account-password-set",
    who: TEST_ACCOUNTS.administrator,
    subject: `account ${ana.email}`,
  });
  expect(JSON.stringify(newest)).not.toContain(password);
  const former = `Bearer ${(first.body as { token: string }).token}`;
  await request(site.app).get("/site/account").set("Authorization", former).expect(401);
  expect(await signIn(ana.email, ana.password)).toBe(401);
  const { body } = await request(site.app).post("/auth/token").send({ email: ana.email, password });
  const own = `Bearer ${(body as { token: string }).token}`;
  await request(site.app).get("/site/status").set("Authorization", own).expect(403);
  const change = { currentPassword: password, password: "four words that differ" };
  await request(site.app).post("/site/password").set("Authorization", own).send(change).expect(200);
  expect(await signIn(ana.email, change.password)).toBe(200);
});

test("neither the initial administrator nor a site gets an initial password in the panel", async () => {
  const by = { who: "test", from: "here" };
  const first = {
    email: INITIAL_ADMIN_EMAIL,
    role: "administrator",
    password: "made by the program",
  } as const;
  await site.parts.accounts.add(first, by);
  // With it, the set-up would be open again for a stranger.
  await put(first.email, { password: "given again by mouth" }).expect(409);
  expect(await site.parts.accounts.initialAdministrator()).toBeUndefined();
  await site.parts.accounts.setDisabled(first.email, true, by);
});

test("a password of one repeated character is rejected, for a new account and for one's own", async () => {
  const password = "aaaaaaaa";
  const rejected = {
    error: "Bad Request",
    message: "a password needs at least 4 different characters",
    statusCode: 400,
  };
  const authorization = `Bearer ${token}`;
  const account = { email: "mara@example.ro", role: "viewer", password };
  const added = await post(account);
  expect(added.body).toEqual(rejected);
  const changed = await request(site.app)
    .post("/site/password")
    .set("Authorization", authorization)
    .send({ currentPassword: PASSWORD, password });
  expect(changed.body).toEqual(rejected);
  const { body } = await request(site.app).get("/site/accounts").set("Authorization", authorization);
  expect(JSON.stringify(body)).not.toContain(account.email);
  expect(await signIn(TEST_ACCOUNTS.administrator, PASSWORD)).toBe(200);
});

test.each([
  ["an address", { email: "ion\u0000@example.ro" }],
  ["an address", { email: "ion@example.ro\n" }],
  ["a role", { role: "operator\u0000" }],
  ["a password", { password: `${ION.password}\u0000` }],
])("%s with a control character is rejected: %j", async (_what, wrong) => {
  const answer = await post({ ...ION, email: "vlad@example.ro", ...wrong });
  expect([answer.status, answer.body]).toEqual([
    400,
    { error: "Bad Request", message: expect.any(String) as string, statusCode: 400 },
  ]);
  const { body } = await request(site.app).get("/site/accounts").set("Authorization", `Bearer ${token}`);
  expect(JSON.stringify(body)).not.toMatch(/vlad|\\u0000|\\n/);
});

test("a disabled user cannot sign in until the account is enabled", async () => {
  await put(TEST_ACCOUNTS.operator, { disabled: true }).expect(200);
  expect(await signIn(TEST_ACCOUNTS.operator, PASSWORD)).toBe(401);
  await put(TEST_ACCOUNTS.operator, { disabled: false }).expect(200);
  expect(await signIn(TEST_ACCOUNTS.operator, PASSWORD)).toBe(200);
});

test("an unknown role is rejected, and the last administrator keeps the role", async () => {
  await put(TEST_ACCOUNTS.viewer, { role: "operator" }).expect(200);
  await put(TEST_ACCOUNTS.viewer, { role: "emperor" }).expect(400);
  await put("unknown@example.ro", { role: "viewer" }).expect(400);
  await put(TEST_ACCOUNTS.administrator, { role: "viewer" }).expect(409);
  await put(TEST_ACCOUNTS.administrator, { disabled: true }).expect(409);
});

test("the password that an administrator gave to a new user can be guessed no more often than any other", async () => {
  const account = { email: "dana@example.ro", role: "administrator", password: "Sigur2026" };
  await post(account).expect(201);
  const guesses = ["Sigur2020", "Sigur2021", "Sigur2022", "Sigur2023", "Sigur2024", account.password];
  const answers: number[] = [];
  for (const guess of guesses) answers.push(await signIn(account.email, guess));
  expect(answers).toEqual([401, 401, 401, 401, 401, 429]);
});

import request from "supertest";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { INITIAL_ADMIN_EMAIL } from "../../src/domain/principal.ts";
import type { DraftView } from "../../src/site/administration-view.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp, TESTER } from "../support/app.ts";
import { ServedApp } from "../support/served-app.ts";
import { postFrom } from "../support/sign-in-from.ts";

const CODE = "abcde-fghjk-mnpqr-stuvw";
const ANA = { email: "ana@example.ro", password: "four words that differ" } as const;

let site: TestApp;
beforeEach(async () => {
  const config = { file: null, dataDir: "/var/lib/santinela" };
  const setup = { config, load: { env: { HOME: "/h" }, cwd: "/" } };
  site = await TestApp.forTest({ setup });
});

async function firstStart(): Promise<void> {
  const account = { email: INITIAL_ADMIN_EMAIL, role: "administrator", password: CODE } as const;
  await site.accounts.add(account, TESTER, { mustChangePassword: true });
}

function claim(body: object): request.Test {
  return request(site.app).post("/site/setup").send(body);
}

describe("the set-up of a new installation", () => {
  test("is available from the first start until the administrator is claimed", async () => {
    const isOpen = async (): Promise<unknown> => (await request(site.app).get("/site/setup")).body;
    expect(await isOpen()).toEqual({ isOpen: false });
    await firstStart();
    expect(await isOpen()).toEqual({ isOpen: true });
    const { status, body } = await claim({ code: CODE, ...ANA });
    expect([status, typeof (body as { token: string }).token]).toEqual([200, "string"]);
    expect(await isOpen()).toEqual({ isOpen: false });
    expect((await claim({ code: CODE, email: "eve@example.ro", password: ANA.password })).status).toBe(409);
    const emails = site.accounts.list().map(({ email }) => email);
    expect(emails).toContain(ANA.email);
    expect(emails).not.toContain(INITIAL_ADMIN_EMAIL);
    expect(site.events.newest(9).find(({ event }) => event === "account-password-set")).toMatchObject({
      who: ANA.email,
      detail: { formerly: INITIAL_ADMIN_EMAIL },
    });
  });

  test("is not available again for users added by an administrator", async () => {
    const account = {
      email: INITIAL_ADMIN_EMAIL.toUpperCase(),
      role: "viewer",
      password: "given by mouth",
      currentPassword: PASSWORD,
    };
    const answer = await request(site.app)
      .post("/site/accounts")
      .set("Authorization", `Bearer ${await site.token("administrator")}`)
      .send(account);
    expect(answer.status).toBe(409);
    expect((await request(site.app).get("/site/setup")).body).toEqual({ isOpen: false });
  });

  test.each([
    CODE.toUpperCase(),
    "Abcdefghjkmnpqrstuvw",
    " abcde fghjk mnpqr stuvw ",
    "abcde–fghjk–mnpqr–stuvw",
  ])("accepts the code as a phone writes it: %s", async (typed) => {
    await firstStart();
    expect((await claim({ code: typed, ...ANA })).status).toBe(200);
  });

  test("reveals nothing for a wrong code, and soon blocks that address", async () => {
    await firstStart();
    const statuses: number[] = [];
    for (let guess = 0; guess < 21; guess += 1)
      statuses.push((await claim({ code: `guess-${guess}`, ...ANA })).status);
    expect(statuses).toEqual([...Array<number>(20).fill(403), 429]);
    expect((await claim({ code: CODE, ...ANA })).status).toBe(429);
  });

  test("stays open for its owner while wrong codes come from other addresses", async () => {
    await firstStart();
    const served = await new ServedApp(site).start();
    onTestFinished(() => served.stop());
    const { port } = served.server.address;
    const from = (address: string, code: string): Promise<number> =>
      postFrom(address, port, { path: "/site/setup", body: { code, ...ANA } });
    for (let stranger = 1; stranger <= 40; stranger += 1)
      expect(await from(`127.0.1.${stranger}`, `guess-${stranger}`)).toBe(403);
    expect(await from("127.0.0.1", CODE)).toBe(200);
  });

  test.each([
    ["a common password", { password: "password1" }, 400],
    ["a password of one repeated character", { password: "aaaaaaaa" }, 400],
    ["an invalid address", { email: "ana" }, 400],
    ["an address with a zero byte", { email: "ana\u0000@example.ro" }, 400],
    ["an address with a line end", { email: "ana@example.ro\n" }, 400],
    ["a password with a zero byte", { password: `${ANA.password}\u0000` }, 400],
    ["an address in use", { email: TEST_ACCOUNTS.operator }, 409],
  ])("rejects %s, and the code stays valid", async (_what, wrong, status) => {
    await firstStart();
    const { body, status: answered } = await claim({ code: CODE, ...ANA, ...wrong });
    expect([answered, body]).toMatchObject([
      status,
      { statusCode: status, message: expect.any(String) as string },
    ]);
    expect((await claim({ code: CODE, ...ANA })).status).toBe(200);
  });

  test("accepts one of two concurrent requests with the same code", async () => {
    await firstStart();
    const both = await Promise.all([
      claim({ code: CODE, ...ANA }),
      claim({ code: CODE, email: "ion@example.ro", password: ANA.password }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)[0]).toBe(200);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("a first configuration", () => {
  async function draft(
    answers: object,
    role: keyof typeof TEST_ACCOUNTS = "administrator",
  ): Promise<request.Response> {
    return request(site.app)
      .post("/site/setup/draft")
      .set("Authorization", `Bearer ${await site.token(role)}`)
      .send(answers);
  }

  test("requires an administrator", async () => {
    expect((await draft({}, "operator")).status).toBe(403);
    expect((await draft({ "site-name": 7 })).status).toBe(400);
  });

  test("is returned once every answer is given, keeps the data directory, and contains no secret", async () => {
    const empty = (await draft({})).body as DraftView;
    expect(empty.configuration).toBeNull();
    expect(empty.questions.map(({ name }) => name)).not.toContain("centre-url");
    const answers = {
      "site-name": "Hala Nord",
      centre: "yes",
      "centre-url": "https://dispecerat.example.ro",
      "centre-email": "hala-nord@example.ro",
      "zone-name": "Ușa principală",
    };
    const {
      questions,
      configuration,
      secretFiles,
      errors: mistakes,
    } = (await draft(answers)).body as DraftView;
    expect(questions.map(({ name }) => name)).toContain("centre-url");
    expect(questions.find(({ name }) => name === "centre-password")).toBeUndefined();
    expect(configuration).toMatch(/^dataDir: "\/var\/lib\/santinela"$/m);
    expect(configuration).toContain('ref: "hala-nord"');
    // Its owner stores it, and sees that zones can then be added in the panel.
    expect(configuration).toMatch(/^http: \{ .*port: \d+, configuration: panel \}$/m);
    expect(secretFiles).toEqual(["centre.password"]);
    expect(mistakes).toBeNull();
  });

  test("reports the errors that the daemon would report", async () => {
    const { errors: mistakes } = (
      await draft({
        "site-name": "Hala",
        zone: "mqtt",
        "zone-name": "Poarta",
        "zone-topic": "#",
        "zone-open": "ON",
      })
    ).body as DraftView;
    expect(mistakes).toMatch(/:\d+:\d+: zones\[0\]\.input\.mqtt/);
  });
});

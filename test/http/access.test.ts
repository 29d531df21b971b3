import { createHash, createHmac, createSecretKey, randomBytes } from "node:crypto";
import bcrypt from "bcrypt";
import jwt from "jsonwebtoken";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { hashPassword } from "../../src/service/password-rules.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp, TESTER } from "../support/app.ts";

let site: TestApp;
beforeAll(async () => {
  site = await TestApp.make();
});
afterAll(() => site.close());

const signIn = (body: object) => request(site.app).post("/auth/token").send(body);
const list = (authorization?: string) => {
  const pendingRequest = request(site.app).get("/interventii");
  return authorization === undefined ? pendingRequest : pendingRequest.set("Authorization", authorization);
};

describe("obtaining a token", () => {
  test("returns a JWT and its lifetime of an hour", async () => {
    const { body, headers } = await signIn({ email: TEST_ACCOUNTS.operator, password: PASSWORD }).expect(200);
    expect(body).toEqual({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), expiresIn: 3600 });
    expect(headers["cache-control"]).toBe("no-store");
    await list(`Bearer ${body.token}`).expect(200);
    await list(`bearer ${body.token}`).expect(200);
  });

  test("does not reveal whether the address or the password was wrong", async () => {
    const unknown = await signIn({ email: "unknown@test.example", password: PASSWORD }).expect(401);
    const wrong = await signIn({ email: TEST_ACCOUNTS.operator, password: "wrong" }).expect(401);
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.body).toEqual({
      error: "Unauthorized",
      message: "email or password is wrong",
      statusCode: 401,
    });
    expect(wrong.headers["www-authenticate"]).toMatch(/^Bearer/);
  });

  test("takes the work of one comparison whether the address or the password was wrong", async () => {
    const compared = vi.spyOn(bcrypt, "compare");
    const roundsOf = async (email: string): Promise<number[]> => {
      compared.mockClear();
      await signIn({ email, password: "wrong" }).expect(401);
      return compared.mock.calls.map(([, hash]) => bcrypt.getRounds(hash));
    };
    const wrong = await roundsOf(TEST_ACCOUNTS.viewer);
    expect(wrong).toHaveLength(1);
    expect(await roundsOf("unknown@test.example")).toEqual([10]);
    compared.mockRestore();
  });

  test("stores passwords as bcrypt hashes of cost 10", async () => {
    expect(bcrypt.getRounds(await hashPassword("a long enough password"))).toBe(10);
  });

  test.each([
    ["nothing", {}],
    ["no password", { email: "a@b" }],
    ["no address", { password: "x" }],
    ["a number as password", { email: "a@b", password: 5 }],
    ["null as address", { email: null, password: "x" }],
    ["a list", []],
  ])("with %s is rejected with 400", async (_what, body) => {
    expect((await signIn(body).expect(400)).body.statusCode).toBe(400);
  });

  test("ignores the case of the address and limits the password to what bcrypt reads", async () => {
    await signIn({ email: TEST_ACCOUNTS.operator.toUpperCase(), password: PASSWORD }).expect(200);
    await signIn({ email: TEST_ACCOUNTS.operator, password: `${PASSWORD}${"x".repeat(60)}` }).expect(401);
  });

  test("is impossible for the daemon's own account", async () => {
    await site.tokens.deviceToken();
    for (const password of ["", "x", PASSWORD, "null"]) {
      const { status } = await signIn({ email: "device@santinela.local", password });
      expect([400, 401]).toContain(status);
    }
  });
});

describe("a request without a valid token", () => {
  // Account 1 is the first of the test application: only the named error is present.
  const nowS = () => Math.floor(site.clock.wallMs() / 1000);
  const claims = () => ({ sub: "1", iss: "santinela", aud: "santinela", ver: 1, iat: nowS() });
  const good = () => nowS() + 100;
  const kid = () => createHash("sha256").update(site.key.export()).digest("hex").slice(0, 8);
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

  const forge = (payload: object, key = site.key, algorithm: "HS256" | "HS512" = "HS256") =>
    jwt.sign(payload, key, { algorithm, keyid: kid() });
  const head = () => ({ alg: "HS256", kid: kid() });
  const forgeText = (head: object, payload: object) => {
    const signed = `${base64(head)}.${base64(payload)}`;
    return `${signed}.${createHmac("sha256", site.key).update(signed).digest("base64url")}`;
  };

  test("is distinguished from a valid one of the same form", async () => {
    const accounts = await site.parts.accounts.list();
    const { id } = accounts.find(({ email }) => email === TEST_ACCOUNTS.operator) ?? { id: 0 };
    const right = { ...claims(), sub: String(id) };
    await list(`Bearer ${forge({ ...right, exp: good() })}`).expect(200);
    await list(`Bearer ${forgeText(head(), { ...right, exp: good() })}`).expect(200);
    await list(`Bearer ${forgeText({ alg: "HS256", kid: "00000000" }, { ...right, exp: good() })}`).expect(
      401,
    );
    await list(`Bearer ${forgeText({ alg: "HS256" }, { ...right, exp: good() })}`).expect(401);
    await list(
      `Bearer ${forgeText({ alg: "HS256", kid: ["x"], jwk: { kty: "oct", k: "AA" } }, { ...right, exp: good() })}`,
    ).expect(401);
  });

  test("is answered 401 with WWW-Authenticate and the error body", async () => {
    const { body, headers } = await list().expect(401);
    expect(body).toEqual({ error: "Unauthorized", message: expect.any(String), statusCode: 401 });
    expect(headers["www-authenticate"]).toBe('Bearer realm="santinela"');
    expect((await list("Bearer x").expect(401)).headers["www-authenticate"]).toMatch(/error="invalid_token"/);
  });

  test.each(["", "Bearer", "Bearer ", "Basic YTpi", "Token abc", "Bearer a b"])(
    "is rejected when the header is %j",
    async (header) => {
      await list(header).expect(401);
    },
  );

  test.each(["none", "None", "NONE", "nOnE"])("is rejected when the algorithm is %s", async (alg) => {
    await list(
      `Bearer ${base64({ alg, typ: "JWT", kid: kid() })}.${base64({ ...claims(), exp: good() })}.`,
    ).expect(401);
  });

  test.each([
    ["another key", () => forge({ ...claims(), exp: good() }, createSecretKey(randomBytes(32)))],
    ["another algorithm with the right key", () => forge({ ...claims(), exp: good() }, site.key, "HS512")],
    ["no expiry", () => forge(claims())],
    ["an expiry as text", () => forgeText(head(), { ...claims(), exp: "soon" })],
    ["another issuer", () => forge({ ...claims(), iss: "other", exp: good() })],
    ["another audience", () => forge({ ...claims(), aud: "other", exp: good() })],
    ["no subject", () => forge({ ...claims(), sub: undefined, exp: good() })],
    ["a subject that is not a plain number", () => forge({ ...claims(), sub: "0x1", exp: good() })],
    ["a list for a subject", () => forgeText(head(), { ...claims(), sub: ["1"], exp: good() })],
    ["no issue time", () => forgeText(head(), { ...claims(), iat: undefined, exp: good() })],
    ["an issue time in the future", () => forge({ ...claims(), iat: nowS() + 600, exp: nowS() + 700 })],
    ["a lifetime over an hour", () => forge({ ...claims(), exp: nowS() + 3601 })],
    [
      "an extension that must be understood",
      () => forgeText({ ...head(), crit: ["x"] }, { ...claims(), exp: good() }),
    ],
    ["an unknown subject", () => forge({ ...claims(), sub: "4711", exp: good() })],
    ["an older token version", () => forge({ ...claims(), ver: 0, exp: good() })],
    ["a start in the future", () => forge({ ...claims(), exp: good(), nbf: good() })],
  ])("is rejected when the token has %s", async (_what, token) => {
    await list(`Bearer ${token()}`).expect(401);
  });

  test("is rejected when the signature has a suffix", async () => {
    await list(`Bearer ${await site.token()}x`).expect(401);
  });

  test("ignores the case of the scheme, and reads no token from a cookie", async () => {
    const token = await site.token();
    for (const scheme of ["bearer", "BEARER", "BeArEr"]) await list(`${scheme} ${token}`).expect(200);
    await request(site.app)
      .get("/interventii")
      .set("Cookie", `token=${token}; Authorization=Bearer ${token}`)
      .expect(401);
  });

  test("is rejected before its id, query or body is read", async () => {
    await request(site.app).get("/interventii/abc").expect(401);
    await request(site.app).get("/interventii?_start=-1").expect(401);
    await request(site.app).post("/interventii").set("Content-Type", "text/plain").send("{").expect(401);
    await request(site.app).delete("/interventii").expect(401);
  });

  test.each([
    "/obiective/cladiri",
    "/obiective/bunuri",
    "/obiective/persoane",
    "/interventii",
    "/interventii/1",
    "/site/status",
    "/site/trips",
  ])("%s requires a token", async (path) => {
    await request(site.app).get(path).expect(401);
    await request(site.app)
      .get(`${path}?access_token=${await site.token()}`)
      .expect(401);
  });
});

describe("after a rotation of the signing key", () => {
  test("tokens of the previous key are accepted until it is removed", async () => {
    const own = await TestApp.forTest();
    const token = await own.token();
    const list = (tokens: TokenService, bearer: string) => {
      const app = createApp({ ...own.parts, tokens }).handle;
      return request(app).get("/interventii").set("Authorization", `Bearer ${bearer}`);
    };
    const { clock, notes: events, signIns } = own;
    const next = createSecretKey(randomBytes(32));
    const rotated = new TokenService({
      signIns,
      events,
      clock,
      keys: { current: next, previous: own.key },
    });
    const { token: newToken } = await rotated.signIn(TEST_ACCOUNTS.operator, PASSWORD);
    await list(rotated, token).expect(200);
    await list(rotated, newToken).expect(200);
    const forgotten = new TokenService({ signIns, events, clock, keys: { current: next } });
    await list(forgotten, token).expect(401);
    await list(forgotten, newToken).expect(200);
  });
});

test("a token expires after an hour, and a new one works", async () => {
  const own = await TestApp.forTest();
  const token = await own.token();
  own.clock.advance(3599_000);
  await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(200);
  own.clock.advance(2_000);
  await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(401);
  await request(own.app)
    .get("/interventii")
    .set("Authorization", `Bearer ${await own.token()}`)
    .expect(200);
});

test("a disabled account is rejected at once", async () => {
  const own = await TestApp.forTest();
  const token = await own.token();
  await own.run("UPDATE accounts SET disabled = TRUE");
  await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(401);
  await request(own.app)
    .post("/auth/token")
    .send({ email: TEST_ACCOUNTS.operator, password: PASSWORD })
    .expect(401);
});

test.each<[what: string, change: (own: TestApp) => void | Promise<void>]>([
  [
    "password",
    (own: TestApp) => own.parts.accounts.setPassword(TEST_ACCOUNTS.operator, "a new password", TESTER),
  ],
  ["role", (own: TestApp) => own.parts.accounts.setRole(TEST_ACCOUNTS.operator, "viewer", TESTER)],
  [
    "the disabled state",
    (own: TestApp) => own.parts.accounts.setDisabled(TEST_ACCOUNTS.operator, true, TESTER),
  ],
])("a change of %s revokes the tokens of that account at once, and no others", async (_what, change) => {
  const own = await TestApp.forTest();
  const [token, other] = [await own.token(), await own.token("administrator")];
  await change(own);
  await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(401);
  await request(own.app).get("/interventii").set("Authorization", `Bearer ${other}`).expect(200);
});

describe("roles", () => {
  const everything = [
    ["get", "/interventii"],
    ["post", "/interventii"],
    ["get", "/interventii/1"],
    ["put", "/interventii/1"],
    ["delete", "/interventii/1"],
    ["get", "/obiective/cladiri"],
    ["get", "/obiective/bunuri"],
    ["get", "/obiective/persoane"],
  ] as const;

  test.each(everything)("a viewer is answered 403 on %s %s", async (method, path) => {
    const { body } = await request(site.app)
      [method](path)
      .set("Authorization", `Bearer ${await site.token("viewer")}`)
      .expect(403);
    expect(body).toEqual({
      error: "Forbidden",
      message: "operator or administrator rights are needed",
      statusCode: 403,
    });
  });

  test.each(["operator", "administrator"] as const)("the %s may create, update and delete", async (role) => {
    const authorization = `Bearer ${await site.token(role)}`;
    const { body } = await request(site.app)
      .post("/interventii")
      .set("Authorization", authorization)
      .send({ name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 })
      .expect(201);
    await request(site.app)
      .put(`/interventii/${body.id}`)
      .set("Authorization", authorization)
      .send({ crews: 2 })
      .expect(200);
    await request(site.app).delete(`/interventii/${body.id}`).set("Authorization", authorization).expect(204);
  });

  test("a viewer may read the site API and not change anything", async () => {
    const authorization = `Bearer ${await site.token("viewer")}`;
    await request(site.app).get("/site/status").set("Authorization", authorization).expect(200);
    await request(site.app)
      .post("/site/simulate")
      .set("Authorization", authorization)
      .send({ zone: "z", contact: "open" })
      .expect(403);
    await request(site.app).post("/site/sync/now").set("Authorization", authorization).expect(403);
  });
});

test("no password, hash or token is ever in the log or the event log", async () => {
  const { body } = await signIn({ email: TEST_ACCOUNTS.operator, password: PASSWORD }).expect(200);
  const WRONG = "not the pass phrase";
  await signIn({ email: "unknown@test.example", password: WRONG }).expect(401);
  await signIn({ email: [WRONG], password: WRONG }).expect(400);
  await signIn({ email: TEST_ACCOUNTS.operator, password: WRONG, more: WRONG });
  for (let attempt = 0; attempt < 12; attempt += 1)
    await signIn({ email: TEST_ACCOUNTS.viewer, password: WRONG });
  await signIn({ email: TEST_ACCOUNTS.viewer, password: WRONG }).expect(429);
  await list(`Bearer ${body.token}x`).expect(401);
  const log = site.logLines.join("");
  const events = JSON.stringify(await site.newestEvents(50));
  expect(events).toContain("sign-in-failed");
  for (const secret of [PASSWORD, WRONG, "$2b$", body.token as string]) {
    expect(log).not.toContain(secret);
    expect(events).not.toContain(secret);
  }
});

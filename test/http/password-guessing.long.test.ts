import request from "supertest";
import { beforeEach, describe, expect, test } from "vitest";
import { PASSWORD, TEST_ACCOUNTS, TestApp, testOfSite } from "../support/app.ts";

describe("password guessing", () => {
  let own: TestApp;
  beforeEach(async () => {
    own = await TestApp.forTest();
  });
  const guess = (email: string, password: string) =>
    request(own.app).post("/auth/token").send({ email, password });

  test.each([TEST_ACCOUNTS.operator, "unknown@test.example"])(
    "for %s is slowed down after five wrong attempts, never permanently",
    async (email) => {
      for (let attempt = 0; attempt < 5; attempt += 1) await guess(email, "wrong").expect(401);
      const { body, headers } = await guess(email, "wrong").expect(429);
      expect(body).toEqual({ error: "Too Many Requests", message: expect.any(String), statusCode: 429 });
      expect(headers["retry-after"]).toBe("30");
      // The right password is delayed too, or the delay would reveal it.
      await guess(email, PASSWORD).expect(429);
      own.clock.advance(30_000);
      await guess(email, "wrong").expect(401);
      expect((await guess(email, "wrong").expect(429)).headers["retry-after"]).toBe("60");
      for (let round = 0; round < 12; round += 1) {
        own.clock.advance(900_000);
        await guess(email, "wrong").expect(401);
      }
      expect((await guess(email, "wrong").expect(429)).headers["retry-after"]).toBe("900");
    },
  );

  testOfSite("is not permitted sooner by a clock that is set forward", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) await guess(TEST_ACCOUNTS.operator, "wrong").expect(401);
    await guess(TEST_ACCOUNTS.operator, PASSWORD).expect(429);
    own.clock.stepWall(86_400_000);
    await guess(TEST_ACCOUNTS.operator, PASSWORD).expect(429);
  });

  test("resets with the right password, and after an hour", async () => {
    for (let attempt = 0; attempt < 4; attempt += 1) await guess(TEST_ACCOUNTS.operator, "wrong").expect(401);
    await guess(TEST_ACCOUNTS.operator, PASSWORD).expect(200);
    for (let attempt = 0; attempt < 4; attempt += 1) await guess(TEST_ACCOUNTS.operator, "wrong").expect(401);
    own.clock.advance(3_600_000);
    for (let attempt = 0; attempt < 5; attempt += 1) await guess(TEST_ACCOUNTS.operator, "wrong").expect(401);
    await guess(TEST_ACCOUNTS.operator, PASSWORD).expect(429);
  });

  test("with forty concurrent attempts gets 429, while tokens and trips work", async () => {
    const token = await own.token();
    const answers = Promise.all(Array.from({ length: 40 }, () => guess(TEST_ACCOUNTS.operator, "wrong")));
    await request(own.app)
      .post("/interventii")
      .set("Authorization", `Bearer ${await own.tokens.deviceToken()}`)
      .send({ name: "trip", objectiveType: "obiective/cladiri", objectiveId: 1 })
      .expect(201);
    await request(own.app).get("/interventii").set("Authorization", `Bearer ${token}`).expect(200);
    const statuses = (await answers).map(({ status }) => status);
    // Five failures are free, and one more comparison may have begun before the fifth was counted.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(6);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  test("from many addresses at once locks out neither a known address nor a new one", async () => {
    await own.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, "10.0.0.7");
    const outcomes = Array.from({ length: 60 }, (_none, index) =>
      own.tokens
        .signIn(`u${index}@test.example`, "x", `10.9.0.${index % 4}`)
        .catch((error: unknown) => error),
    );
    const [known, stranger] = await Promise.all([
      own.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, "10.0.0.7"),
      own.tokens.signIn(TEST_ACCOUNTS.administrator, PASSWORD, "10.0.0.8"),
    ]);
    expect([known, stranger]).toEqual([
      expect.objectContaining({ expiresIn: 3600 }),
      expect.objectContaining({ expiresIn: 3600 }),
    ]);
    await Promise.all(outcomes);
  });

  test("does not include many concurrent right passwords", async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_none, index) =>
        guess(index % 2 === 0 ? TEST_ACCOUNTS.operator : TEST_ACCOUNTS.administrator, PASSWORD),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
  });

  test("does not include any number of concurrent right passwords of one account, before one was seen to be right", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => guess(TEST_ACCOUNTS.operator, PASSWORD)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
  });

  test("gains no attempts by signing in to another account in between", async () => {
    let passed = 0;
    for (let attempt = 0; attempt < 40; attempt += 1) {
      if (attempt % 4 === 3)
        await own.tokens.signIn(TEST_ACCOUNTS.viewer, PASSWORD, "10.0.0.1").catch(() => {});
      const outcome = await own.tokens.signIn(`u${attempt}@test.example`, "x", "10.0.0.1").catch((e) => e);
      if (outcome.code === "unauthenticated") passed += 1;
    }
    expect(passed).toBe(20);
  });

  test("cannot lock an owner out of an address where the account has signed in before", async () => {
    await own.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, "10.0.0.7");
    for (let attempt = 0; attempt < 6; attempt += 1)
      await own.tokens.signIn(TEST_ACCOUNTS.operator, "x", `10.9.0.${attempt}`).catch(() => {});
    await expect(own.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, "10.0.0.8")).rejects.toMatchObject({
      code: "too-many-requests",
    });
    await own.tokens.signIn(TEST_ACCOUNTS.operator, PASSWORD, "10.0.0.7");
  });

  test("from all addresses of one network counts as one source", async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 18 }, (_none, index) =>
        own.tokens.signIn(`u${index}@test.example`, "x", `2001:db8:1:2::${index}`),
      ),
    );
    expect(tries).toHaveLength(18);
    for (const last of ["a", "b"])
      await own.tokens.signIn(`${last}@test.example`, "x", `2001:db8:1:2:ffff::${last}`).catch(() => {});
    await expect(own.tokens.signIn("c@test.example", "x", "2001:db8:1:2::c")).rejects.toMatchObject({
      code: "too-many-requests",
    });
    await expect(own.tokens.signIn("c@test.example", "x", "2001:db8:1:3::c")).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });

  test.each([
    ["a unique local", "fd12:3456:789a:1::1", "fd12:3456:789a:1::2"],
    ["a link-local", "fe80::1%eth0", "fe80::2%eth0"],
    ["an IPv4", "::ffff:10.0.0.7", "10.0.0.8"],
  ])(
    "from %s address counts for that machine, and not for its neighbours",
    async (_what, from, neighbour) => {
      const guessFrom = (guess: number, address: string) =>
        own.tokens.signIn(`u${guess}@test.example`, "x", address).catch(({ code }) => code as string);
      for (let guess = 0; guess < 20; guess += 1)
        expect(await guessFrom(guess, from)).toBe("unauthenticated");
      expect(await guessFrom(20, from.replace("::ffff:", ""))).toBe("too-many-requests");
      expect(await guessFrom(20, neighbour)).toBe("unauthenticated");
    },
  );

  test("from two networks whose addresses are written alike counts for one of them", async () => {
    const guessFrom = (guess: number, address: string) =>
      own.tokens.signIn(`u${guess}@test.example`, "x", address).catch(({ code }) => code as string);
    for (let guess = 0; guess < 20; guess += 1) await guessFrom(guess, `2001::1:0:0:0:${guess + 1}`);
    expect(await guessFrom(20, "2001::1:a:b:c:d")).toBe("too-many-requests");
    expect(await guessFrom(20, "2001::2:a:b:c:d")).toBe("unauthenticated");
  });

  test("cannot forge another address", async () => {
    for (let attempt = 0; attempt < 20; attempt += 1)
      await guess(`a${attempt}@test.example`, "wrong")
        .set("X-Forwarded-For", `10.0.0.${attempt}`)
        .expect(401);
    await guess("b@test.example", "wrong").set("X-Forwarded-For", "10.9.9.9").expect(429);
  });
});

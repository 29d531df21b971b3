import { setTimeout as pause } from "node:timers/promises";
import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { NO_SITE, TestApp } from "../support/app.ts";

/* Repeated tests of a site with an Idempotency-Key. */

const SIMULATE = "/site/simulate";
const TRIP = { zone: "door", contact: "open" };
/** Each way to test, with a body that is valid. */
const TESTS = [
  [SIMULATE, TRIP],
  ["/site/signal-test", { zone: "door" }],
  ["/site/outputs/siren/test", {}],
] as const;

/** How often the site was asked to do something. */
let done: number;
/** What becomes of it. */
let outcome: () => Promise<void>;
let app: TestApp;
let tokens: Awaited<ReturnType<TestApp["tokenOfEach"]>>;

const VIEW = { contact: "open", changed: true, unchangedBy: null, trips: [], suppressed: null } as const;
const TEST = { state: "waiting", isOver: false, interventionId: null, upstreamId: null } as const;
const OUTPUT = {
  reason: "alarm",
  target: "line 5",
  isOn: true,
  since: null,
  fault: null,
  isInUse: false,
  until: null,
} as const;

beforeEach(async () => {
  done = 0;
  outcome = async () => {};
  /** Each answer has the number of its test in one of its texts. */
  const doing =
    <View>(view: (number: string) => View) =>
    async (): Promise<View> => {
      done += 1;
      const answer = view(`${done}`);
      await outcome();
      return answer;
    };
  const since = "2026-11-20T21:30:00.000Z";
  app = await TestApp.forTest({
    site: {
      ...NO_SITE,
      zones: { ...NO_SITE.zones, simulate: doing((zone) => ({ ...VIEW, zone })) },
      tests: {
        ...NO_SITE.tests,
        startSignal: doing((key) => ({ ...TEST, key, zone: "door", since, reason: null, journey: null })),
      },
      outputs: { ...NO_SITE.outputs, test: doing((name) => [{ ...OUTPUT, name }]) },
    },
  });
  tokens = await app.tokenOfEach();
});

function post(path: string, body: object, key?: string, token = tokens.operator): request.Test {
  const asked = request(app.app).post(path).set("Authorization", `Bearer ${token}`);
  return (key === undefined ? asked : asked.set("Idempotency-Key", key)).send(body);
}

/** Of a response: its status, the number of its test, and whether it says that it is an earlier one. */
function answerOf({ status, body, headers }: request.Response): unknown {
  const { zone, key, name } = (Array.isArray(body) ? body[0] : body) as Record<string, string>;
  return [status, name ?? (key === undefined ? zone : key), headers["idempotency-replayed"] ?? "first"];
}

test.each(TESTS)("POST %s with the same key is carried out once", async (path, body) => {
  const first = await post(path, body, '"a"');
  expect(answerOf(first)).toEqual([200, "1", "first"]);
  expect(first.headers["idempotency-key"]).toBe('"a"');
  expect(answerOf(await post(path, body, "a"))).toEqual([200, "1", "true"]);
  expect(answerOf(await post(path, body, "b"))).toEqual([200, "2", "first"]);
  expect(answerOf(await post(path, body))).toEqual([200, "3", "first"]);
});

test("a repetition waits for the first request", async () => {
  let finish = (): void => {};
  outcome = () => new Promise((resolve) => (finish = resolve));
  const answers = [post(SIMULATE, TRIP, "a"), post(SIMULATE, TRIP, "a")].map((one) => one.then(answerOf));
  await expect.poll(() => done).toBe(1);
  await pause(50);
  finish();
  expect((await Promise.all(answers)).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    [200, "1", "first"],
    [200, "1", "true"],
  ]);
});

test("a key with another body is refused as for records", async () => {
  await post(SIMULATE, TRIP, "a").expect(200);
  const { headers, body } = await post(SIMULATE, { ...TRIP, contact: "normal" }, "a").expect(422);
  expect(headers["x-error-code"]).toBe("key-reused");
  expect(body).toMatchObject({ message: "Idempotency-Key was already used with a different body" });
  expect(done).toBe(1);
  await post(SIMULATE, { contact: "open", zone: "door" }, "a").expect(200);
  expect(done).toBe(1);
});

test("a key counts for one account and one path", async () => {
  await post(SIMULATE, TRIP, "a").expect(200);
  await post(SIMULATE, TRIP, "a", tokens.administrator).expect(200);
  await post("/site/signal-test", {}, "a").expect(200);
  await post("/site/outputs/siren/test", {}, "a").expect(200);
  await post("/site/outputs/lamp/test", {}, "a").expect(200);
  expect(done).toBe(5);
});

test.each(["", '""', '"a', "a b", `"${"a".repeat(256)}"`])("the key %j is invalid", async (key) => {
  await post(SIMULATE, TRIP, key).expect(400);
  expect(done).toBe(0);
});

test.each([
  ["not-found", 404],
  ["conflict", 409],
] as const)("the refusal %s is decided once", async (code, status) => {
  outcome = () => Promise.reject(new AppError(code, "no"));
  await post(SIMULATE, TRIP, "a").expect(status);
  outcome = async () => {};
  const { body } = await post(SIMULATE, TRIP, "a").expect(status);
  expect(body).toMatchObject({ message: "no" });
  expect(done).toBe(1);
});

test.each([
  [new AppError("unavailable", "later"), 503],
  [new Error("a defect"), 500],
])("after %s a request is carried out again", async (error, status) => {
  outcome = async () => {
    throw error;
  };
  await post(SIMULATE, TRIP, "a").expect(status);
  outcome = async () => {};
  await post(SIMULATE, TRIP, "a").expect(200);
  await post(SIMULATE, TRIP, "a").expect(200);
  expect(done).toBe(2);
});

test("an invalid request uses up no key", async () => {
  await post(SIMULATE, { zone: "door" }, "a").expect(400);
  await post(SIMULATE, TRIP, "a").expect(200);
});

test("a key is free again after ten minutes", async () => {
  await post(SIMULATE, TRIP, "a").expect(200);
  app.clock.advance(599_000);
  await post(SIMULATE, TRIP, "a").expect(200);
  expect(done).toBe(1);
  app.clock.advance(1_000);
  await post(SIMULATE, TRIP, "a").expect(200);
  expect(done).toBe(2);
});

test("256 keys are kept: the oldest finished one goes first", async () => {
  let finish = (): void => {};
  outcome = () => new Promise((resolve) => (finish = resolve));
  const pending = post(SIMULATE, TRIP, "pending").then(answerOf);
  await expect.poll(() => done).toBe(1);
  outcome = async () => {};
  for (let at = 0; at < 256; at += 1) await post(SIMULATE, TRIP, `key-${at}`).expect(200);
  expect(done).toBe(257);
  await post(SIMULATE, TRIP, "key-1").expect(200);
  const repeated = post(SIMULATE, TRIP, "pending").then(answerOf);
  finish();
  await Promise.all([pending, repeated]);
  expect(done).toBe(257);
  await post(SIMULATE, TRIP, "key-0").expect(200);
  expect(done).toBe(258);
});

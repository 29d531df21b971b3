import { afterEach, beforeEach, expect, test } from "vitest";
import type { SignInAttempt } from "../../src/domain/sign-in-throttle.ts";
import { SqliteSignIns } from "../../src/service/sign-ins.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ServedApp } from "../support/served-app.ts";
import { signInFrom } from "../support/sign-in-from.ts";

/* Passwords are compared two at a time. Strangers use both places and the whole queue; then a user signs in. */

const AT_ONCE = 2;
const QUEUED = 16;
const OWNER = { email: TEST_ACCOUNTS.operator, password: PASSWORD };
const KNOWN_PLACE = "127.0.0.1";

let site: TestApp;
let served: ServedApp;
/** The attempts that have come in, and those whose turn it was, in this order. */
let arrived: string[];
let turns: string[];
let admitNext: () => void;
beforeEach(async () => {
  site = await TestApp.forTest();
  served = await new ServedApp(site).start();
  [arrived, turns] = [[], []];
  const gate = new Promise<void>((resolve) => (admitNext = resolve));
  const { throttle } = site.signIns;
  const check = throttle.assertOpen.bind(throttle);
  // It is called before the queue, and again when it is the attempt's turn.
  throttle.assertOpen = async (attempt: SignInAttempt) => {
    await check(attempt);
    if (!arrived.includes(attempt.email)) {
      arrived.push(attempt.email);
      return;
    }
    turns.push(attempt.email);
    await gate;
  };
});
afterEach(() => served.stop());

test.each([
  ["from a known place", false],
  ["with a valid token", true],
])("a user who signs in %s comes before all strangers who wait", async (_what, hasToken) => {
  // In another process, so that this one must compare the password.
  const { clock, notes: events, database } = site;
  const signIns = new SqliteSignIns({ database, clock });
  const earlier = new TokenService({ signIns, events, clock, keys: { current: site.key } });
  const { token } = await earlier.signIn(OWNER.email, OWNER.password, KNOWN_PLACE);
  const { port } = served.server.address;
  const strangers = Array.from({ length: AT_ONCE + QUEUED }, (_none, index) =>
    signInFrom(`127.0.1.${index + 1}`, port, { email: `stranger-${index}@test.example`, password: "x" }),
  );
  await eventually("the strangers", () => arrived.length === strangers.length && turns.length === AT_ONCE);
  const owner = hasToken ? signInFrom("127.0.2.1", port, OWNER, token) : signInFrom(KNOWN_PLACE, port, OWNER);
  await eventually("the user", () => arrived.includes(OWNER.email));
  admitNext();
  expect(await owner).toBe(200);
  expect(new Set(await Promise.all(strangers))).toEqual(new Set([401]));
  expect(turns).toHaveLength(AT_ONCE + QUEUED + 1);
  expect(turns[AT_ONCE]).toBe(OWNER.email);
});

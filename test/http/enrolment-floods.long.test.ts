import { Agent } from "node:http";
import request from "supertest";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { LoggedEvent } from "../../src/domain/event.ts";
import { PASSWORD, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { codeFor, SITE_PASSWORD } from "../support/enrolled-site.ts";
import { eventually } from "../support/eventually.ts";

/* Wrong one-time codes need no token, so a stranger may send any number of them, from an address that sites share. */

const HALL = ["obiective/cladiri/1"];
const HOUR_MS = 3_600_000;
const [SHARED, ELSEWHERE] = ["127.0.0.1", "127.0.0.2"];
/** As many at once as one flood has connections. */
const AT_ONCE = 100;

let centre: TestApp;
let url: string;
let agents: Agent[];
beforeEach(async () => {
  centre = await TestApp.forTest();
  url = `http://127.0.0.1:${await centre.listen()}`;
  agents = [];
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
});

/** The connections of a site with an address of its own, one for each request: the server closes one that idles during a flood. */
function at(localAddress: string): Agent {
  const agent = new Agent({ localAddress });
  agents.push(agent);
  return agent;
}

const claim = (agent: Agent, code: string, site: string, password = SITE_PASSWORD) =>
  request(url).post("/enrolments/claim").agent(agent).send({ code, site, password });
const signIn = (agent: Agent, email: string, password = SITE_PASSWORD) =>
  request(url).post("/auth/token").agent(agent).send({ email, password });

/** Wrong codes from the shared address. */
async function flood(count: number): Promise<number[]> {
  const headers = { "Content-Type": "application/json" };
  const wrong = async (guess: number): Promise<number> => {
    const body = JSON.stringify({ code: `guess-${guess}`, site: `site-${guess}`, password: SITE_PASSWORD });
    const response = await fetch(`${url}/enrolments/claim`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  };
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_none, index) => sent + index);
    statuses.push(...(await Promise.all(numbers.map(wrong))));
  }
  return statuses;
}

/** The entries of an event once there are so many, because none is waited for, and that there are no more. */
async function logged(event: LoggedEvent["event"], count: number): Promise<LoggedEvent[]> {
  let found: LoggedEvent[] = [];
  await eventually(`${count} entries of ${event}`, async () => {
    found = (await centre.newestEvents(5_000)).filter((entry) => entry.event === event);
    return found.length >= count;
  });
  expect(found).toHaveLength(count);
  return found;
}

test("2,000 wrong codes from the address of a site do not hold up its right one, and cost few rows", async () => {
  const shared = at(SHARED);
  const [first, second] = [await codeFor(centre, "hala-nord", HALL), await codeFor(centre, "hala-sud", HALL)];
  const [statuses, { status }] = await Promise.all([flood(2_000), claim(shared, first, "hala-nord")]);
  expect(status).toBe(201);
  await claim(shared, second, "hala-sud").expect(201);
  // The same request again, because its response was lost.
  await claim(shared, second, "hala-sud").expect(201);
  expect(statuses.filter((each) => each === 403)).toHaveLength(20);
  expect(statuses.filter((each) => each === 429)).toHaveLength(1_980);
  await logged("sign-in-failed", 20);
  await logged("sign-in-blocked", 1);
});

test("wrong codes sent at the same moment are counted one by one", async () => {
  const statuses = await flood(AT_ONCE);
  expect(statuses.filter((each) => each === 403)).toHaveLength(20);
});

test("a blocked address waits, and another address has attempts of its own", async () => {
  const shared = at(SHARED);
  await flood(25);
  const { headers } = await claim(shared, "guess", "hala-nord").expect(429);
  await claim(at(ELSEWHERE), "guess", "hala-nord").expect(403);
  const code = await codeFor(centre, "hala-nord", HALL);
  await claim(at(ELSEWHERE), code, "hala-nord").expect(201);
  centre.clock.advance(Number(headers["retry-after"]) * 1000);
  await claim(shared, "guess", "hala-nord").expect(403);
});

test("wrong codes block no sign-in of the same address, and wrong passwords no code", async () => {
  const shared = at(SHARED);
  await flood(50);
  await signIn(shared, TEST_ACCOUNTS.operator, PASSWORD).expect(200);
  const elsewhere = at(ELSEWHERE);
  const guessed: number[] = [];
  for (let guess = 0; guess < 21; guess += 1)
    guessed.push((await signIn(elsewhere, `unknown-${guess}@test.example`)).status);
  expect(guessed.at(-1)).toBe(429);
  await claim(elsewhere, "guess", "hala-nord").expect(403);
});

test("a used code cannot be used to guess the password of its site", async () => {
  const shared = at(SHARED);
  const code = await codeFor(centre, "hala-nord", HALL);
  await claim(shared, code, "hala-nord").expect(201);
  const guesses = await Promise.all(
    [...Array(30).keys()].map((guess) => claim(shared, code, "hala-nord", `${SITE_PASSWORD}-${guess}`)),
  );
  expect(guesses.filter(({ status }) => status === 403)).toHaveLength(5);
  expect(guesses.filter(({ status }) => status === 429)).toHaveLength(25);
  await claim(at(ELSEWHERE), code, "hala-nord").expect(201);
});

test("a flood of many hours from many addresses leaves few events, which count the others", async () => {
  const shared = at(SHARED);
  const sources = [...Array(30).keys()].map((host) => at(`127.0.1.${host + 1}`));
  const fromAll = () => Promise.all(sources.map((source) => claim(source, "guess", "hala-nord")));
  for (let round = 0; round < 4; round += 1) await fromAll();
  await logged("sign-in-failed", 60);
  centre.clock.advance(HOUR_MS);
  await claim(shared, "guess", "hala-nord").expect(403);
  expect((await logged("sign-in-failed", 61))[0]?.detail).toEqual({ enrolment: true, refusedMeanwhile: 60 });
});

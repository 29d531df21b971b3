import { afterAll, beforeAll, expect, test } from "vitest";
import { LINE_FAULTS, type LineFault } from "../support/line-faults.ts";
import { SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * A dispatch centre without Idempotency-Key creates a second record for every repeated POST. The proxy removes
 * the keys, so that ours behaves like one. The site must search before it sends again, and wait until the first
 * request can no longer arrive. For an alarm that wait is 15 seconds, so all faults run at once.
 */

const both = new SiteAndCentre({ hidesKeys: true });
beforeAll(() => both.start());
afterAll(() => both.remove());

const FAULTS: readonly LineFault[] = [
  "the connection is reset during the request",
  "the connection is reset after the request is applied, before the response",
  "the connection is reset during the response",
  "the response arrives after the time-out",
  "the request arrives after the time-out",
  "the line is half-open: it takes everything and gives nothing",
  "the response is shorter than its Content-Length",
  "a gateway responds with 502 in HTML without forwarding the request",
  "a gateway responds with 502 in HTML after the request is applied",
  "a gateway responds with 503 in HTML",
  "the dispatch centre responds with 500 after the request is applied",
  "the response is 201 with JSON without an id",
  "a gateway replaces the record of a 201 by an HTML page",
  "the response is 200 with the record",
  "the response is an empty 202",
  "the response is not HTTP, after the request is applied",
];

test("a dispatch centre without idempotency keys has every alarm once, whatever happened to its first POST", async () => {
  const left = [...FAULTS];
  const posted = new Set<string>();
  both.line.faultFor = ({ method, path, body }) => {
    if (method !== "POST" || path !== "/interventii" || posted.has(body)) return undefined;
    posted.add(body);
    const name = left.shift();
    return name && LINE_FAULTS[name];
  };
  for (const fault of FAULTS) {
    const record = await both.create({ priority: "high", description: fault });
    await both.createLookalike(record);
  }
  await both.settle(90_000);
  expect(left).toEqual([]);
  expect(await both.expectExactlyOnce()).toMatchObject({ records: FAULTS.length });
}, 120_000);

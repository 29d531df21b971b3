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
  "the connection is reset in the middle of the request",
  "the connection is reset after the centre has done it, before a byte of the answer",
  "the connection is reset in the middle of the answer",
  "the answer comes when nobody waits for it any more",
  "the request arrives when nobody waits for its answer any more",
  "the line is half-open: it takes everything and gives nothing",
  "the answer ends before its length",
  "a gateway answers 502 in HTML without passing the request on",
  "a gateway answers 502 in HTML after the centre has done it",
  "a gateway answers 503 in HTML",
  "the centre fails with 500 after it has done it",
  "the answer is 201 and JSON without an id",
  "a gateway puts a page in the place of the 201's record",
  "the answer is 200 with the record",
  "the answer is 202 and nothing",
  "the answer is no HTTP, after the centre has done it",
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

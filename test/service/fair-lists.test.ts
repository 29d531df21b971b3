import { setImmediate as settled } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { FairLists } from "../../src/service/fair-lists.ts";
import type { ListPage, ListReader } from "../../src/store/intervention-lists.ts";
import { ManualClock } from "../support/manual-clock.ts";

const QUERY = { filters: [], search: "patrol", sort: [], start: 0, end: 25 };
const PAGE: ListPage = { records: [], total: 0 };

/** A reader whose lists are ended by the test. */
class SlowLists implements ListReader {
  readonly ends: ((page: ListPage) => void)[] = [];

  read(): Promise<ListPage> {
    return new Promise((resolve) => this.ends.push(resolve));
  }
}

let clock: ManualClock;
let slow: SlowLists;
let lists: FairLists;
beforeEach(() => {
  clock = new ManualClock();
  slow = new SlowLists();
  lists = new FairLists(slow, clock);
});

const read = (account: number, signal = new AbortController().signal) =>
  lists.read({ ...QUERY, account }, signal);

test("two lists of an account are read at once, the others after them, and those of other accounts beside them", async () => {
  const own = [read(1), read(1), read(1)];
  await settled();
  expect(slow.ends).toHaveLength(2);
  const other = read(2);
  await settled();
  expect(slow.ends).toHaveLength(3);
  for (const end of slow.ends) end(PAGE);
  await Promise.all([own[0], own[1], other]);
  await settled();
  expect(slow.ends).toHaveLength(4);
  slow.ends[3]?.(PAGE);
  expect(await own[2]).toBe(PAGE);
});

test("a list that waits for others of its account for twenty seconds is refused, and its account alone", async () => {
  void read(1);
  void read(1);
  const third = expect(read(1)).rejects.toMatchObject({ code: "too-many-requests", retryAfterS: 10 });
  await settled();
  clock.advance(20_000);
  await third;
  void read(2);
  await settled();
  expect(slow.ends).toHaveLength(3);
});

test("of many lists of an account at once, each is read in its turn", async () => {
  const all = [...Array(100).keys()].map(() => read(1));
  await settled();
  expect(slow.ends).toHaveLength(2);
  for (const [number, list] of all.entries()) {
    slow.ends[number]?.(PAGE);
    expect(await list).toBe(PAGE);
    await settled();
  }
  expect(slow.ends).toHaveLength(100);
});

test("a list that is no longer needed leaves the queue", async () => {
  const first = [read(1), read(1)];
  const client = new AbortController();
  const left = expect(read(1, client.signal)).rejects.toMatchObject({ code: "unavailable" });
  const last = read(1);
  await settled();
  client.abort();
  await left;
  slow.ends[0]?.(PAGE);
  await first[0];
  await settled();
  slow.ends[2]?.(PAGE);
  expect(await last).toBe(PAGE);
});

test("lists of no account are not limited", async () => {
  for (let number = 0; number < 5; number += 1) void lists.read(QUERY, new AbortController().signal);
  await settled();
  expect(slow.ends).toHaveLength(5);
});

test("lists of many accounts wait for each other, for twenty seconds with the wait for their own account", async () => {
  lists = new FairLists(slow, clock, 3);
  const reading = [read(1), read(2), read(3)];
  const other = read(4);
  const client = new AbortController();
  const left = expect(read(5, client.signal)).rejects.toMatchObject({ code: "unavailable" });
  await settled();
  expect(slow.ends).toHaveLength(3);
  client.abort();
  await left;
  slow.ends[0]?.(PAGE);
  await reading[0];
  await settled();
  expect(slow.ends).toHaveLength(4);
  slow.ends[3]?.(PAGE);
  expect(await other).toBe(PAGE);

  void read(6);
  clock.advance(12_000);
  // Two of this account wait for the others, and the third for these.
  const own = [read(7), read(7), read(7)].map((list) =>
    expect(list).rejects.toMatchObject({ code: "too-many-requests", retryAfterS: 10 }),
  );
  await settled();
  clock.advance(20_000);
  await Promise.all(own);
});

test("the refusal of a list tells whether its account or all of them are the reason", async () => {
  lists = new FairLists(slow, clock, 2);
  void read(1);
  void read(1);
  const refusals = [read(1), read(2)].map(async (list) => list.catch((error: Error) => error.message));
  await settled();
  clock.advance(20_000);
  expect(await Promise.all(refusals)).toEqual([
    expect.stringMatching(/^this account already reads 2 slow lists/),
    expect.stringMatching(/^the dispatch centre already reads 2 slow lists/),
  ]);
});

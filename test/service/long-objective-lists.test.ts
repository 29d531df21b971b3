import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairLists } from "../../src/service/fair-lists.ts";
import { ObjectiveService } from "../../src/service/objectives.ts";
import { SqliteObjectives } from "../../src/service/sqlite-objectives.ts";
import type { ListPage } from "../../src/store/intervention-lists.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { ManualClock } from "../support/manual-clock.ts";

const QUERY = { search: "hall", filters: [], sort: [], start: 0, end: 25 };
const PAGE: ListPage = { records: [], total: 0 };

test("searches of many objectives wait for each other at one account", async () => {
  const database = openMainDatabase(":memory:");
  const buildings = Array.from({ length: 600 }, (_, index) => ({ id: index + 1, name: `Hall ${index + 1}` }));
  new ObjectiveService(database).import({ "obiective/cladiri": buildings }, "config");
  const clock = new ManualClock();
  const ends: ((page: ListPage) => void)[] = [];
  const slow = () => new Promise<ListPage>((resolve) => void ends.push(resolve));
  const turns = new FairLists({ read: slow }, clock);
  const objectives = new SqliteObjectives({
    database,
    longLists: { reader: { readObjectives: slow }, turns },
  });
  const { signal } = new AbortController();
  const search = (account: number) =>
    objectives.list({ type: "obiective/cladiri", query: QUERY, account }, signal);
  const own = [search(1), search(1), search(1)];
  const third = expect(own[2]).rejects.toMatchObject({
    code: "too-many-requests",
    retryAfterS: 10,
    hint: expect.stringContaining("Request the objectives by id") as string,
  });
  await settled();
  expect(ends).toHaveLength(2);
  const other = search(2);
  await settled();
  expect(ends).toHaveLength(3);
  clock.advance(20_000);
  await third;
  for (const end of ends) end(PAGE);
  expect(await Promise.all([own[0], own[1], other])).toEqual([PAGE, PAGE, PAGE]);
  // One that reads few waits for nothing.
  const page = await objectives.list(
    { type: "obiective/cladiri", query: { filters: [], sort: [], start: 0, end: 1 }, account: 1 },
    signal,
  );
  expect(page.total).toBe(600);
  database.close();
});

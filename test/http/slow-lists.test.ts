import request from "supertest";
import { expect, test } from "vitest";
import { FairLists } from "../../src/service/fair-lists.ts";
import type { Records } from "../../src/service/records.ts";
import type { ListPage } from "../../src/store/intervention-lists.ts";
import { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("an account that reads too many slow lists gets 429, while another account's list is read", async () => {
  const ends: ((page: ListPage) => void)[] = [];
  const slow = { read: () => new Promise<ListPage>((resolve) => ends.push(resolve)) };
  const lists = new FairLists(slow, new ManualClock());
  const records = { page: lists.read.bind(lists) } as unknown as Records;
  const centre = await TestApp.forTest({ records });
  const list = async (by: string) =>
    request(centre.app).get("/interventii?q=patrol").set("Authorization", `Bearer ${by}`);
  const [operator, administrator] = [await centre.token("operator"), await centre.token("administrator")];
  const own = [...Array(11).keys()].map(() => list(operator));
  const first = await Promise.race(own);
  expect([first.status, first.headers["retry-after"], first.headers["x-error-code"]]).toEqual([
    429,
    "10",
    "too-many-requests",
  ]);
  expect(first.body.message).toContain("this account already reads 2 slow lists");
  const other = list(administrator);
  const page: ListPage = { records: [], total: 0 };
  let isAnswered = false;
  void other.then(() => (isAnswered = true));
  await eventually("the lists are read", () => {
    for (const end of ends.splice(0)) end(page);
    return isAnswered;
  });
  expect((await other).status).toBe(200);
  const all = Promise.all(own);
  let areAnswered = false;
  void all.then(() => (areAnswered = true));
  await eventually("all are answered", () => {
    for (const end of ends.splice(0)) end(page);
    return areAnswered;
  });
  expect((await all).map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    ...Array(10).fill(200),
    429,
  ]);
});

import request from "supertest";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SiteView } from "../../src/generated/types.ts";
import { objectivesIn } from "../../src/store/accounts.ts";
import { TestApp } from "../support/app.ts";
import { REPORT } from "../support/fleet.ts";

/* A memory card damages a value of one site at a dispatch centre. */

let centre: TestApp;
let token: string;
beforeEach(async () => {
  centre = await TestApp.make();
  ({ operator: token } = await centre.tokenOfEach());
});
afterEach(() => centre.close());

const report = (ref: string) =>
  request(centre.app)
    .post("/site-reports")
    .set("Authorization", `Bearer ${token}`)
    .send({ ...REPORT, ref });
async function sites(): Promise<SiteView[]> {
  const { status, body } = await request(centre.app).get("/sites").set("Authorization", `Bearer ${token}`);
  expect([status, body]).toEqual([200, expect.any(Array)]);
  return body as SiteView[];
}

test("a site with a damaged report is listed beside the others, and its next report takes the place of it", async () => {
  for (const ref of ["north", "south"]) await report(ref).expect(204);
  centre.database.pragma("ignore_check_constraints = ON");
  centre.database.exec(
    "UPDATE sites SET report = '~' || report, since = 10000000000000000 WHERE ref = 'north'",
  );
  const [north, south] = (await sites()).toSorted((a, b) => a.report.ref.localeCompare(b.report.ref));
  expect(north).toMatchObject({ level: "well", report: { ref: "north", name: "north" } });
  expect(south?.report).toEqual({ ...REPORT, ref: "south" });
  await report("north").expect(204);
  expect((await sites()).map(({ report }) => report)).toContainEqual({ ...REPORT, ref: "north" });
});

test("an account keeps those of its objectives that can still be read, and gets no further ones", () => {
  const [first, second] = [1, 23].map((id) => ({ type: "obiective/cladiri", id }));
  expect(objectivesIn('["obiective/cladiri/1","obiective/cladiri/23"]')).toEqual([first, second]);
  expect(objectivesIn('Z"obiective/cladiri/1","obiective/cladiri/23"]')).toEqual([first, second]);
  expect(objectivesIn('["obiective/cladiri/1"l"obiective/cladirh/23"]')).toEqual([first]);
  for (const text of ["", "~", "7", "null", '{"a":1}']) expect(objectivesIn(text)).toEqual([]);
});

import { expect, test } from "vitest";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/** Rows that take more than the limit of lists of which several may be read at once. */
const ROWS = 800;
const NOTES = "x".repeat(2_000);

test("the second comparison with a large list reads it once, the first one from its start twice", async () => {
  const centre = new InMemoryCentre();
  for (let row = 0; row < ROWS; row += 1) centre.add({ name: `Call ${row}`, status: "done", notes: NOTES });
  let pages = 0;
  centre.instead = ({ path }) => {
    if (path.includes("_start=")) pages += 1;
    return undefined;
  };
  const site = await SyncingSite.at(centre);
  const compare = async (): Promise<number> => {
    pages = 0;
    site.app.clock.advance(3_600_000);
    site.push.audit.makeDue();
    await site.push.audit.runIfDue();
    return pages;
  };
  const first = await compare();
  const second = await compare();
  expect(second).toBeGreaterThanOrEqual(ROWS / 100);
  expect(first - second).toBeGreaterThan(4);
  expect(await compare()).toBe(second);
});

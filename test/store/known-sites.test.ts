import { expect, test } from "vitest";
import { REPORT } from "../support/fleet.ts";
import { KnownSitesStore } from "../../src/store/known-sites.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";

test("a site whose stored report is damaged is among those with a fault, by its reference", () => {
  const database = openMainDatabase(":memory:");
  // As on a card, where no condition of the table holds.
  database.pragma("ignore_check_constraints = ON");
  const add = database.prepare(
    `INSERT INTO sites(ref, searched, report, rank, since, reported_at, silent_since, clock_offset_ms)
     VALUES(?, '', ?, 1, 0, 0, NULL, 0)`,
  );
  add.run("hala-nord", JSON.stringify(REPORT));
  add.run("hala-sud", JSON.stringify(REPORT).replace("{", "z"));
  expect(new KnownSitesStore(database).read().faulty).toEqual({
    count: 2,
    sites: [
      { ref: "hala-nord", name: "Hala Nord" },
      { ref: "hala-sud", name: "hala-sud" },
    ],
  });
});

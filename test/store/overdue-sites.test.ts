import { afterEach, beforeEach, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { OverdueSiteStore } from "../../src/store/overdue-sites.ts";

let database: Database;
beforeEach(() => {
  database = openMainDatabase(":memory:");
});
afterEach(() => void database.close());

test("the times of thousands of sites are looked up, and not read again for each site", () => {
  const asked: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (text: string) => {
    asked.push(text);
    return prepare(text);
  };
  expect(new OverdueSiteStore(database)).toBeDefined();
  const joined = asked.filter((text) => text.includes("JOIN own"));
  expect(joined).toHaveLength(2);
  for (const text of joined) {
    const values = { own: "[]", before: 0, stopped: 0, since: 0, latest: 0, limit: 1 };
    const plan = prepare(`EXPLAIN QUERY PLAN ${text}`).all(values) as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/^SEARCH own USING AUTOMATIC/),
    );
  }
});

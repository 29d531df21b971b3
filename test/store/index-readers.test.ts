/**
 * Each index costs a page of the disk for each record, and a hundredth of its time. So an index that no statement of the
 * program reads must not exist.
 */
import { readdirSync } from "node:fs";
import type { Statement } from "better-sqlite3";
import { expect, test } from "vitest";
import { RECORD_FIELDS } from "../../src/domain/intervention.ts";
import { Store, type Database } from "../../src/store/database.ts";
import { InterventionLists } from "../../src/store/intervention-lists.ts";
import type { InterventionQuery } from "../../src/store/intervention-query.ts";
import { Journal } from "../../src/store/journal.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import {
  newestChangeMs,
  removeOldAudit,
  removeOldEvents,
  removeOldIncidents,
  removeOldRecords,
  removeOldTrips,
} from "../../src/store/retention.ts";
import { ManualClock } from "../support/manual-clock.ts";

const STORE = new URL("../../src/store/", import.meta.url);

/** The statements of every class that reads or writes this database. */
async function prepareStores(database: Database): Promise<number> {
  const stores: Store[] = [];
  for (const file of readdirSync(STORE)) {
    const module = (await import(new URL(file, STORE).href)) as Record<string, unknown>;
    for (const part of Object.values(module)) {
      if (typeof part !== "function" || !(part.prototype instanceof Store) || part === Journal) continue;
      const Made = part as unknown as new (database: Database, clock: ManualClock) => Store;
      try {
        stores.push(new Made(database, new ManualClock()));
      } catch (error) {
        // A class of the other database.
        expect(String(error)).toMatch(/no such (?:table|column)/);
      }
    }
  }
  return stores.length;
}

/** Lists by each field in both directions, alone and with a filter by each field. */
function readLists(database: Database): void {
  const lists = new InterventionLists(database);
  const filters = RECORD_FIELDS.map((field): InterventionQuery["filters"] => [
    { field, operator: "equal", values: [field === "priority" ? "high" : 1] },
  ]);
  for (const sorted of RECORD_FIELDS)
    for (const descending of [false, true])
      for (const filter of [[], ...filters])
        lists.read({ filters: filter, sort: [{ field: sorted, descending }], start: 0, end: 25 });
  // The list of a site at a centre.
  const scope = { accountId: 3, objectives: [{ type: "obiective/cladiri", id: 1 }] } as const;
  lists.read({ filters: [], scope, sort: [], start: 0, end: 1 });
}

/** The statements that `work` compiles. */
async function statementsOf(database: Database, work: () => Promise<void>): Promise<Set<string>> {
  const texts = new Set<string>();
  const prepare = database.prepare.bind(database);
  database.prepare = ((text: string) => {
    const statement = prepare(text);
    texts.add(text);
    return statement;
  }) as Database["prepare"];
  await work();
  database.prepare = prepare;
  return texts;
}

/** The indexes that SQLite uses for statements, by name; nulls stand for their parameters. */
function indexesIn(database: Database, statements: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const text of statements) {
    if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)/i.test(text)) continue;
    const names = [...text.matchAll(/[^:]:(\w+)/g)].map(([, name]) => [name, null] as const);
    const nulls = [...text.matchAll(/\?/g)].map(() => null);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`) as Statement<unknown[], { detail: string }>;
    const given = names.length > 0 ? [...nulls, Object.fromEntries(names)] : nulls;
    for (const { detail } of plan.all(...given)) {
      const [, name] = /USING (?:COVERING )?INDEX (\w+)/.exec(detail) ?? [];
      if (name !== undefined) found.add(name);
    }
  }
  return found;
}

/** The indexes of a database that no constraint needs. */
function indexesOf(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY name",
    )
    .pluck()
    .all() as string[];
}

const DAY = 86_400_000;

test("each index of santinela.db is read by a statement of the program", async () => {
  const database = openMainDatabase(":memory:");
  const statements = await statementsOf(database, async () => {
    expect(await prepareStores(database)).toBeGreaterThan(8);
    readLists(database);
    removeOldRecords(database, DAY, 0);
    removeOldEvents(database);
    removeOldAudit(database, DAY);
    newestChangeMs(database);
  });
  const read = indexesIn(database, statements);
  expect(indexesOf(database).filter((name) => !read.has(name))).toEqual([]);
  expect(indexesOf(database).length).toBeGreaterThan(15);
  database.close();
});

test("each index of journal.db is read by a statement of the program", async () => {
  const database = openJournalDatabase(":memory:");
  const statements = await statementsOf(database, async () => {
    expect(await prepareStores(database)).toBeGreaterThan(8);
    const expiry = { beforeMs: DAY, plausibleMs: 2 * DAY, bootId: "boot", beforeMonotonicMs: DAY };
    removeOldTrips(database, expiry, 0);
    removeOldIncidents(database, expiry, 0);
  });
  const read = indexesIn(database, statements);
  expect(indexesOf(database).filter((name) => !read.has(name))).toEqual([]);
  database.close();
});

test("the history of the zones reads no trips before its period", async () => {
  const database = openJournalDatabase(":memory:");
  const statements = await statementsOf(database, async () => void (await prepareStores(database)));
  const texts = [...statements].filter((text) => text.includes("FROM trips") && text.includes(":sinceMs"));
  const plans = texts.map((text) => {
    const values = { zone: "hall", first: 0, after: 0, sinceMs: 0, untilMs: 0 };
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(values) as { detail: string }[];
    return plan.map(({ detail }) => detail);
  });
  // Of all zones, and of one.
  const ofZone = ["SEARCH trips USING INDEX trips_by_zone (zone_id=? AND seq>?)"];
  const ofAll = ["SEARCH trips USING INTEGER PRIMARY KEY (rowid>?)"];
  expect(plans.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ofZone,
    ofZone,
    ofAll,
    ofAll,
  ]);
  database.close();
});

test("the trips of a record are found without reading the others", async () => {
  const database = openJournalDatabase(":memory:");
  const statements = await statementsOf(database, async () => void (await prepareStores(database)));
  const text = [...statements].find((one) => one.includes("WHERE intervention_id = ?")) ?? "";
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(1, 10) as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([
    "SEARCH trips USING INDEX trips_of_record (intervention_id=?)",
  ]);
  database.close();
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { migrate } from "../../src/postgres/migrations.ts";
import {
  MOVED_TABLES,
  REBUILT_TABLE,
  TABLES_LEFT_BEHIND,
  TABLES_OF_POSTGRES,
} from "../../src/postgres/moved-tables.ts";
import type { Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { tablesOf } from "../../src/store/tables.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A move to PostgreSQL must forget no table and no column, whichever database a later release adds it to. */

/** Columns that only one of the databases has, in tables that both have, and why. */
const COLUMNS_OF_ONE_SIDE: Readonly<Record<string, string>> = {
  "interventions.checksum": "detects a damaged file; PostgreSQL has checksums of its own",
  "accounts.checksum": "as that of interventions",
  "events.tx": "the transaction that has written the row",
  "audit.tx": "the transaction that has written the row",
  "sites.rev": "detects a report that another process has stored",
  "retention_clock.ran_at": "shared by several processes",
};

/** Columns with their types, by table. The types of SQLite are not compared. */
type Schema = ReadonlyMap<string, ReadonlyMap<string, string>>;

describeOnPostgres("the list of what moves from SQLite to PostgreSQL", (server) => {
  let connections: PostgresConnections;
  let sqlite: Database;

  beforeAll(async () => {
    const log = new JsonLog({ level: "error", clock: new ManualClock(), write: () => {} });
    connections = new PostgresConnections({ url: await server.newDatabase() }, log);
    await migrate(connections);
    sqlite = openMainDatabase(":memory:");
  });
  afterAll(async () => {
    sqlite.close();
    await connections.close();
  });

  async function schemaOfPostgres(): Promise<Schema> {
    const rows = await connections.query<{ table: string; column: string; type: string }>(
      `SELECT table_name AS "table", column_name AS "column", data_type AS "type" FROM information_schema.columns
       WHERE table_schema = 'public'`,
    );
    const tables = new Map<string, Map<string, string>>();
    for (const { table, column, type } of rows)
      tables.set(table, (tables.get(table) ?? new Map<string, string>()).set(column, type));
    return tables;
  }
  const undecided = async (): Promise<string[]> =>
    differences(schemaOfSqlite(sqlite), await schemaOfPostgres());

  test("has a decision for every table and column of both", async () => {
    expect(await undecided()).toEqual([]);
  });

  test("lacks what is added to one of them", async () => {
    sqlite.exec("CREATE TABLE shifts(id INTEGER); ALTER TABLE interventions ADD COLUMN shift INTEGER");
    await connections.query("CREATE TABLE crews(id bigint); ALTER TABLE sites ADD COLUMN shift bigint");
    expect(await undecided()).toEqual([
      "SQLite: table shifts",
      "PostgreSQL: table crews",
      "SQLite: column interventions.shift",
      "PostgreSQL: column sites.shift",
    ]);
  });
});

const JOURNAL_TABLES = [
  "trips pending_restores panel_messages panel_zones panel_reports losses openings taken_messages broker_counts active_topics",
  "zone_states gate_states faults swingers bypasses entry_delays tested_zones walk_tests incidents incident_zones",
  "alive link_samples silences retention_clock battery_levels",
].flatMap((names) => names.split(" "));

test("no table of the journal moves, because a dispatch centre has no zones", () => {
  const journal = openJournalDatabase(":memory:");
  const tables = tablesOf(journal).map(({ name }) => name);
  journal.close();
  expect(tables.toSorted()).toEqual(JOURNAL_TABLES.toSorted());
});

function schemaOfSqlite(database: Database): Schema {
  return new Map(
    tablesOf(database).map(({ name, columns }) => [name, new Map(columns.map((column) => [column, ""]))]),
  );
}

/** What the lists say too little or too much about. */
function differences(sqlite: Schema, postgres: Schema): string[] {
  const moved = MOVED_TABLES.map(({ name }) => name);
  return [
    ...compared("SQLite: table", sqlite.keys(), [
      ...moved,
      REBUILT_TABLE,
      ...Object.keys(TABLES_LEFT_BEHIND),
    ]),
    ...compared("PostgreSQL: table", postgres.keys(), [
      ...moved,
      REBUILT_TABLE,
      ...Object.keys(TABLES_OF_POSTGRES),
    ]),
    ...MOVED_TABLES.flatMap(({ name, columns }) => {
      const there = postgres.get(name) ?? new Map<string, string>();
      const both = Object.keys(columns);
      return [
        ...compared("SQLite: column", columnsOf(sqlite, name), named(name, both)),
        ...compared("PostgreSQL: column", columnsOf(postgres, name), named(name, both)),
        ...both
          .filter((column) => there.get(column) !== columns[column])
          .map((column) => `PostgreSQL: type of ${name}.${column}`),
      ];
    }),
  ];
}

function columnsOf(schema: Schema, table: string): string[] {
  const names = named(table, [...(schema.get(table)?.keys() ?? [])]);
  return names.filter((name) => !(name in COLUMNS_OF_ONE_SIDE));
}

function named(table: string, columns: readonly string[]): string[] {
  return columns.map((column) => `${table}.${column}`);
}

function compared(what: string, found: Iterable<string>, listed: readonly string[]): string[] {
  const names = new Set(found);
  const missing = [...names].filter((name) => !listed.includes(name));
  return [...missing, ...listed.filter((name) => !names.has(name))].map((name) => `${what} ${name}`);
}

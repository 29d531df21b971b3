import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config, DatabaseConfig } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { assertComplete, lockStopped } from "../ops/stopped-centre.ts";
import { storedSigningKeys } from "../ops/secrets.ts";
import { moveFromSqlite, type MoveOptions, type MoveReport } from "../postgres/sqlite-move.ts";
import { openReadOnly } from "../store/database.ts";
import { trailText } from "./audit.ts";
import { withPostgres } from "./shared-database.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** As long as a step of the schema may take: the totals of millions of records, and the flush of all of them. */
const QUERY_MS_MAX = 3_600_000;
/** Rows between two lines of progress. */
const PROGRESS_ROWS = 50_000;
const REPLACED_SHOWN_MAX = 20;

const SET_DATABASE =
  "Add the option database, with the address of PostgreSQL, to the configuration (/usr/share/doc/santinela/docs/centre.md).";

interface MigrateOptions {
  /** Data directory of a centre on SQLite. */
  readonly fromSqlite?: string;
}

/**
 * Brings the schema of a dispatch centre's database up to date, as every start of a centre does; with `fromSqlite` it also moves a
 * centre on SQLite there.
 */
export async function migrateDatabase(
  config: Config,
  terminal: Terminal,
  { fromSqlite }: MigrateOptions,
): Promise<void> {
  const { database } = config;
  if (database === null)
    throw new AppError("usage", "the configuration has no database", {
      hint: fromSqlite === undefined ? "Each start brings SQLite up to date." : SET_DATABASE,
    });
  if (fromSqlite !== undefined) return moveCentre({ ...config, database }, terminal, fromSqlite);
  const report = async (_connections: unknown, steps: number): Promise<void> =>
    void terminal.stdout.write(steps === 0 ? "the schema is up to date\n" : `added ${steps} schema steps\n`);
  await withPostgres(database, terminal, report, { isOrdered: true });
}

/**
 * Moves everything of a stopped centre on SQLite to the PostgreSQL of the configuration, and prints what was moved.
 * @param folder its data directory
 * @throws AppError as `lockStopped`, `assertComplete` and `moveFromSqlite`; nothing is moved then
 */
async function moveCentre(
  { database, site }: Config & { readonly database: DatabaseConfig },
  terminal: Terminal,
  folder: string,
): Promise<void> {
  const { stdout, stderr, cwd } = terminal;
  const dataDir = resolve(cwd, folder);
  const release = lockStopped(dataDir);
  try {
    const path = join(dataDir, "santinela.db");
    stderr.write(`checking ${path}, ${(statSync(path).size / 1_000_000).toFixed(1)} MB\n`);
    assertComplete(dataDir);
    const signingKeys = storedSigningKeys(dataDir);
    const source = openReadOnly(path);
    try {
      // All reads show one moment: commands such as user add do not need the lock.
      source.exec("BEGIN");
      const options = { source, signingKeys, onProgress: progressTo(terminal) };
      const report = await withPostgres(
        database,
        terminal,
        (connections) => moveFromSqlite(connections, options),
        { isOrdered: true, queryMs: QUERY_MS_MAX },
      );
      stdout.write(reportText(report, { dataDir, keys: signingKeys.length, timezone: site.timezone }));
    } finally {
      source.close();
    }
  } finally {
    release();
  }
}

function progressTo({ stderr }: Terminal): MoveOptions["onProgress"] {
  let shown = { table: "", rows: 0 };
  return ({ table, rows, of }) => {
    if (table !== shown.table) shown = { table, rows: 0 };
    if (rows - shown.rows < PROGRESS_ROWS) return;
    shown = { table, rows };
    stderr.write(`${table}: ${rows} of ${of}\n`);
  };
}

function reportText(
  { tables, replaced, leftBehind, trail }: MoveReport,
  { dataDir, keys, timezone }: { dataDir: string; keys: number; timezone: string },
): string {
  const rows = tables.map(({ table, before, after }) => [table, String(before), String(after)]);
  const shown = replaced.slice(0, REPLACED_SHOWN_MAX).join(", ");
  const more = replaced.length > REPLACED_SHOWN_MAX ? ", …" : "";
  return [
    tableText(["TABLE", "SQLITE", "POSTGRESQL"], rows),
    `\naudit trail: ${trailText(trail, timezone)}`,
    trail.broken === null ? "" : `broken at entry ${trail.broken.position}: ${trail.broken.why}\n`,
    keys === 0
      ? "signing keys: none; sites and users sign in again\n"
      : `signing keys: ${keys}; tokens stay valid\n`,
    ...leftBehind.map(({ table, rows: count, why }) => `not moved: ${table} ${count} (${why})\n`),
    replaced.length === 0
      ? ""
      : `rows with U+FFFD in place of U+0000, which PostgreSQL cannot store: ${replaced.length} (${shown}${more})\n`,
    `moved; the files in ${dataDir} are unchanged. From now on, start the centre only with the option database.\n`,
  ].join("");
}

import type { DatabaseConfig } from "../config/config.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { withoutPassword } from "../config/database-url.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { JsonLog } from "../ops/log.ts";
import { assertNothingLeft } from "../ops/stopped-centre.ts";
import { PostgresConnections } from "../postgres/connection.ts";
import { migrate } from "../postgres/migrations.ts";
import { PostgresMovedRows } from "../postgres/moved-rows.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Opens the database of a dispatch centre for one command, with the schema of this release, and closes it afterwards.
 * @param options isOrdered: whether the schema of an earlier release may be changed, which is not the purpose of other commands;
 *   queryMs: as that of `PostgresConnections`
 * @throws AppError `unavailable` without a primary; otherwise as `migrate`
 */
export async function withPostgres<T>(
  database: DatabaseConfig,
  { stderr }: Terminal,
  use: (connections: PostgresConnections, steps: number) => Promise<T>,
  { isOrdered = false, ...limits }: { readonly isOrdered?: boolean; readonly queryMs?: number } = {},
): Promise<T> {
  const log = new JsonLog({
    level: "error",
    clock: new SystemClock(),
    write: (line) => void stderr.write(line),
  });
  const connections = new PostgresConnections(database, log, undefined, limits);
  const { url } = database;
  stderr.write(`database: ${url === undefined ? "PostgreSQL of the environment" : withoutPassword(url)}\n`);
  try {
    return await use(connections, await migrate(connections, { isOrdered }));
  } catch (error) {
    // A person at a terminal can correct the reason; clients of the API never see it.
    if (!(error instanceof AppError) || error.code !== "unavailable" || error.cause === undefined)
      throw error;
    throw new AppError("unavailable", error.message, {
      hint: [...(error.hint === "" ? [] : [error.hint]), `PostgreSQL: ${messageOf(error.cause)}`].join("\n"),
      cause: error.cause,
    });
  } finally {
    await connections.close();
  }
}

/**
 * As `withPostgres`, for a command that writes: what it adds to an empty database would keep the centre from being moved there.
 * @throws AppError as `assertNothingLeft`
 */
export function withMovedCentre<T>(
  { database, dataDir }: { readonly database: DatabaseConfig; readonly dataDir: string },
  terminal: Terminal,
  use: (connections: PostgresConnections) => Promise<T>,
): Promise<T> {
  return withPostgres(database, terminal, async (connections) => {
    await assertNothingLeft(dataDir, new PostgresMovedRows(connections));
    return use(connections);
  });
}

import type { DatabaseConfig } from "../config/config.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { JsonLog } from "../ops/log.ts";
import { PostgresConnections } from "../postgres/connection.ts";
import { migrate } from "../postgres/migrations.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Opens the database of a dispatch centre for one command, with the schema of this release, and closes it afterwards.
 * @throws AppError `unavailable` without a primary, `storage` for the schema of a newer release
 */
export async function withPostgres(
  { url, password }: DatabaseConfig,
  { stderr }: Terminal,
  use: (connections: PostgresConnections, steps: number) => Promise<void>,
): Promise<void> {
  const log = new JsonLog({
    level: "error",
    clock: new SystemClock(),
    write: (line) => void stderr.write(line),
  });
  const connections = new PostgresConnections({ url, password }, log);
  stderr.write(`database: ${url === undefined ? "PostgreSQL of the environment" : withoutPassword(url)}\n`);
  try {
    await use(connections, await migrate(connections));
  } finally {
    await connections.close();
  }
}

/** A URL of PostgreSQL as it may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/@:]*):[^/@]*@/, "$1@");
}

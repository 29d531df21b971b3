import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { AuditRow, TrailReport } from "../store/audit-chain.ts";
import { trailRows, verifyTrail } from "../store/audit-trail.ts";
import type { Database } from "../store/database.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { localTime } from "./local-time.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Verifies the hash chain of the audit trail and prints a summary.
 * @throws AppError `conflict` at the first broken entry
 */
export async function verifyAudit(config: Config, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  const report = await reportOf(config, terminal);
  stdout.write(trailText(report, config.site.timezone));
  if (report.broken)
    throw new AppError(
      "conflict",
      `the audit trail is broken at entry ${report.broken.position}: ${report.broken.why}`,
      {
        hint: "Compare it with an earlier export (santinela events export) or backup (santinela backup).",
      },
    );
}

/** Prints each entry with its hash. */
export async function exportAudit(config: Config, terminal: Terminal): Promise<void> {
  const write = ({ at, origin, detail, ...rest }: AuditRow): void => {
    const entry = { ...rest, at: iso(at), from: origin, detail: JSON.parse(detail) as unknown };
    terminal.stdout.write(`${JSON.stringify(entry)}\n`);
  };
  if (config.database === null)
    return withDatabase(config, (database) => {
      for (const row of trailRows(database)) write(row);
    });
  const { withPostgres } = await import("./shared-database.ts");
  const { readTrail } = await import("../postgres/audit-trail.ts");
  await withPostgres(config.database, terminal, (connections) => readTrail(connections, write));
}

async function reportOf(config: Config, terminal: Terminal): Promise<TrailReport> {
  if (config.database === null) return withDatabase(config, verifyTrail);
  const { withPostgres } = await import("./shared-database.ts");
  const shared = await import("../postgres/audit-trail.ts");
  return withPostgres(config.database, terminal, (connections) => shared.verifyTrail(connections));
}

/** The result of a verification: number of entries, time span, state, what retention has removed, and the last hash. */
export function trailText(
  { entries, fromMs, toMs, removed, removedUntilMs, head, broken }: TrailReport,
  timeZone: string,
): string {
  const timeText = (ms: number) => localTime(iso(ms), timeZone);
  const span = fromMs === null || toMs === null ? "" : `, from ${timeText(fromMs)} to ${timeText(toMs)}`;
  const state = broken ? "broken" : "intact";
  const cut =
    removedUntilMs === null
      ? ""
      : `${removed} older entries were removed by retention, up to ${timeText(removedUntilMs)}\n`;
  return `${entries} entries${span}: ${state}\n${cut}last hash: ${head}\n`;
}

function withDatabase<T>({ dataDir }: Config, work: (database: Database) => T): T {
  const path = join(dataDir, "santinela.db");
  if (!existsSync(path))
    throw new AppError("no-input", `database ${path} does not exist`, {
      hint: "Start the daemon once or specify its configuration with --config.",
    });
  const database = openMainDatabase(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

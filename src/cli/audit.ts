import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import type { AuditRow } from "../store/audit-chain.ts";
import { trailRows, verifyTrail } from "../store/audit-trail.ts";
import type { Database } from "../store/database.ts";
import type { TrailReport } from "../store/trail-check.ts";
import { configOf } from "./command-group.ts";
import { withDatabase } from "./direct-database.ts";
import { exportLine, verifyExport } from "./exported-trail.ts";
import { localTime } from "./local-time.ts";
import type { Terminal } from "./terminal.ts";

interface VerifyOptions {
  /** A hash that a person has kept. */
  readonly head?: string;
  /** An export to verify instead of the database; `-` for standard input. */
  readonly file?: string;
}

/**
 * Verifies the hash chain of the audit trail, or of an export, and prints a summary. An export needs no configuration.
 * @throws AppError `conflict` at the first broken entry, or if no entry has the given hash; `usage` if it is not a hash;
 * as `verifyExport`
 */
export async function verifyAudit(
  from: LoadOptions,
  terminal: Terminal,
  options: VerifyOptions,
): Promise<void> {
  const { stdout } = terminal;
  const kept = options.head?.trim().toLowerCase();
  if (kept !== undefined && !/^[\da-f]{64}$/.test(kept))
    throw new AppError("usage", `--head takes the 64 hexadecimal digits of a hash, not ${options.head}`, {
      hint: "santinela events verify prints the last hash; events export has the hash of each entry.",
    });
  if (options.file !== undefined) return verifyExport(options.file, terminal, kept);
  const config = await configOf(from, terminal);
  const report = await reportOf(config, terminal, kept);
  stdout.write(trailText(report, config.site.timezone));
  if (report.broken)
    throw new AppError(
      "conflict",
      `the audit trail is broken at entry ${report.broken.position}: ${report.broken.why}`,
      {
        hint: "Compare it with an earlier export (santinela events export) or backup (santinela backup).",
      },
    );
  if (kept !== undefined) stdout.write(keptText(report, kept, config.site.timezone));
}

/** @throws AppError `conflict` if no entry has the hash */
function keptText(report: TrailReport, kept: string, timeZone: string): string {
  const { sought, removed, removedUntilMs, entries } = report;
  if (sought !== null) return `hash ${kept}: entry ${sought}; ${removed + entries - sought} newer entries\n`;
  const older =
    removedUntilMs === null
      ? "entries were removed from the end of the trail, or it was replaced"
      : `unless it was kept before ${localTime(removedUntilMs, timeZone)}, until when retention has removed entries, ` +
        "entries were removed from the end of the trail, or it was replaced";
  throw new AppError("conflict", `no entry has the hash ${kept}: ${older}`, {
    hint: "Compare the trail with an earlier export (santinela events export) or backup (santinela backup).",
  });
}

/** Prints each entry with its hash. */
export async function exportAudit(config: Config, terminal: Terminal): Promise<void> {
  const write = (row: AuditRow): void => void terminal.stdout.write(`${exportLine(row)}\n`);
  if (config.database === null)
    return withTrail(config, (database) => {
      for (const row of trailRows(database)) write(row);
    });
  const { withPostgres } = await import("./shared-database.ts");
  const { readTrail } = await import("../postgres/audit-trail.ts");
  await withPostgres(config.database, terminal, (connections) => readTrail(connections, write));
}

async function reportOf(
  config: Config,
  terminal: Terminal,
  soughtHash: string | undefined,
): Promise<TrailReport> {
  if (config.database === null) return withTrail(config, (database) => verifyTrail(database, soughtHash));
  const { withPostgres } = await import("./shared-database.ts");
  const shared = await import("../postgres/audit-trail.ts");
  return withPostgres(config.database, terminal, (connections) =>
    shared.verifyTrail(connections, soughtHash),
  );
}

/** The result of a verification: number of entries, time span, state, what retention has removed, and the last hash. */
export function trailText(
  { entries, fromMs, toMs, removed, removedUntilMs, head, broken }: TrailReport,
  timeZone: string,
): string {
  const timeText = (ms: number) => localTime(ms, timeZone);
  const span = fromMs === null || toMs === null ? "" : `, from ${timeText(fromMs)} to ${timeText(toMs)}`;
  const state = broken ? "broken" : "intact";
  const cut =
    removedUntilMs === null
      ? ""
      : `${removed} older entries were removed by retention, up to ${timeText(removedUntilMs)}\n`;
  return `${entries} entries${span}: ${state}\n${cut}last hash: ${head}\n`;
}

/** @throws AppError `no-input` without a database */
function withTrail<T>({ dataDir }: Config, use: (database: Database) => T): Promise<Awaited<T>> {
  const path = join(dataDir, "santinela.db");
  if (existsSync(path)) return withDatabase(dataDir, use);
  throw new AppError("no-input", `database ${path} does not exist`, {
    hint: "Start the daemon once or specify its configuration with --config.",
  });
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { trailRows, verifyTrail, type TrailReport } from "../store/audit-trail.ts";
import type { Database } from "../store/database.ts";
import { openMainDatabase } from "../store/main-database.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Verifies the hash chain of the audit trail and prints a summary.
 * @throws AppError `conflict` at the first broken entry
 */
export function verifyAudit(config: Config, { stdout }: Terminal): void {
  const report = withDatabase(config, verifyTrail);
  stdout.write(summaryText(report));
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
export function exportAudit(config: Config, { stdout }: Terminal): void {
  withDatabase(config, (database) => {
    for (const { at, origin, detail, ...rest } of trailRows(database)) {
      const entry = { ...rest, at: iso(at), from: origin, detail: JSON.parse(detail) as unknown };
      stdout.write(`${JSON.stringify(entry)}\n`);
    }
  });
}

function summaryText({ entries, fromMs, toMs, removed, removedUntilMs, head, broken }: TrailReport): string {
  const span = fromMs === null || toMs === null ? "" : `, from ${iso(fromMs)} to ${iso(toMs)}`;
  const state = broken ? "broken" : "intact";
  const cut =
    removedUntilMs === null
      ? ""
      : `${removed} older entries were removed by retention, up to ${iso(removedUntilMs)}\n`;
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

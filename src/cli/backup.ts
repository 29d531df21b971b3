import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { SITE_DEFAULTS } from "../generated/defaults.ts";
import { backUp, backUpRegularly } from "../ops/backups.ts";
import { assertOwnSite, planRestore, restore, type RestorePlan } from "../ops/restore.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { JsonOption } from "./command-group.ts";
import { documentationPage } from "./shipped-files.ts";
import { commandLineActor, jsonText, type Terminal } from "./terminal.ts";

/**
 * Creates and checks a backup, also while the daemon runs; without `out` it becomes one of the regular backups.
 * @throws AppError `usage` for a centre on PostgreSQL
 */
export async function makeBackup(
  config: Config,
  { stdout, cwd }: Terminal,
  { out, json }: JsonOption & { readonly out?: string },
): Promise<void> {
  assertOwnDatabase(config);
  const { dataDir } = config;
  const named = out === undefined ? undefined : resolve(cwd, out);
  const file = named ?? (await backUpRegularly(dataDir, new SystemClock().wallMs()));
  if (named !== undefined) await backUp(dataDir, named);
  stdout.write(json ? jsonText({ file, bytes: statSync(file).size }) : `${file}\n`);
}

/**
 * Restores a backup, or prints what that would change.
 * @throws AppError `usage` for a centre on PostgreSQL, `conflict` for the backup of another site
 */
export function restoreBackup(
  config: Config,
  { stdout, cwd }: Terminal,
  { dryRun, json, otherSite }: JsonOption & { readonly dryRun?: boolean; readonly otherSite?: boolean },
  file: string,
): void {
  assertOwnDatabase(config);
  const { dataDir, site } = config;
  const path = resolve(cwd, file);
  // The default names no site.
  const plan = planRestore(dataDir, path, site.ref === SITE_DEFAULTS.ref ? undefined : site.ref);
  if (!dryRun) assertOwnSite(plan, otherSite === true, OTHER_SITE_REMEDY);
  const done = dryRun ? null : restore(dataDir, path, new SystemClock().wallMs(), commandLineActor(), plan);
  stdout.write(json ? jsonText({ plan, done }) : `${planText(plan)}${resultText(done)}`);
}

const OTHER_SITE_REMEDY =
  "Choose a backup of this site. If this machine is to be that site from now on, restore it with --other-site, and set site.ref to that reference.";

function assertOwnDatabase({ database }: Config): void {
  if (database !== null)
    throw new AppError("usage", "the records of this centre are in PostgreSQL, not in its data directory", {
      hint: `Use the backups of PostgreSQL: pg_dump, pgBackRest, or the provider's (${documentationPage("centre.md")}).`,
    });
}

/** @param done the completed restore; null after a dry run */
function resultText(done: ReturnType<typeof restore> | null): string {
  if (!done) return "No changes made.\n";
  const kept = done.kept === null ? "" : `The previous database is kept as ${done.kept}.\n`;
  return `${kept}Restored. ${done.redelivered} trips will be dispatched again at the next start.\n`;
}

const IDS_SHOWN = 20;

function planText(plan: RestorePlan): string {
  const { recordsInBackup, onlyInCurrent, onlyInBackup, otherSite, brokenTrail } = plan;
  const list = (ids: readonly number[]): string => {
    const shown = ids.slice(0, IDS_SHOWN).join(", ");
    return ids.length === 0 ? "none" : `${ids.length} (${shown}${ids.length > IDS_SHOWN ? ", …" : ""})`;
  };
  return [
    ...(otherSite === undefined ? [] : [`The backup is of another site: ${otherSite}`]),
    `Records in the backup: ${recordsInBackup}`,
    `Records missing from the backup: ${list(onlyInCurrent)}`,
    `Records only in the backup: ${list(onlyInBackup)}`,
    ...(brokenTrail === undefined
      ? []
      : [`Entries of its audit trail that are missing or altered: ${brokenTrail}`]),
    "",
  ].join("\n");
}

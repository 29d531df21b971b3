import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { backUp, backUpRegularly } from "../ops/backups.ts";
import { planRestore, restore, type RestorePlan } from "../ops/restore.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { commandLineActor } from "./actor.ts";
import type { Terminal } from "./terminal.ts";

/** Copies the database, running or not, and checks the copy; without a file it is one of the regular copies. */
export async function makeBackup(
  { dataDir }: Config,
  { out, json }: { out: string | undefined; json: boolean },
  { stdout, cwd }: Terminal,
): Promise<void> {
  const named = out === undefined ? undefined : resolve(cwd, out);
  const file = named ?? (await backUpRegularly(dataDir, new SystemClock().wallMs()));
  if (named !== undefined) await backUp(dataDir, named);
  stdout.write(json ? `${JSON.stringify({ file, bytes: statSync(file).size }, null, 2)}\n` : `${file}\n`);
}

/** Puts a copy back, or says what that would do. */
export function restoreBackup(
  { dataDir }: Config,
  file: string,
  { dryRun, json }: { dryRun: boolean; json: boolean },
  { stdout, cwd }: Terminal,
): void {
  const path = resolve(cwd, file);
  const plan = planRestore(dataDir, path);
  const done = dryRun ? null : restore(dataDir, path, new SystemClock().wallMs(), commandLineActor());
  stdout.write(json ? `${JSON.stringify({ plan, done }, null, 2)}\n` : `${textOf(plan)}${endOf(done)}`);
}

/** @param done what a restore did; null where it was only planned */
function endOf(done: ReturnType<typeof restore> | null): string {
  if (!done) return "Nothing was changed.\n";
  const kept = done.kept === null ? "" : `The database until now is kept as ${done.kept}.\n`;
  return `${kept}Restored. ${done.redelivered} trips of the journal are posted again at the next start.\n`;
}

const IDS_SHOWN = 20;

function textOf({ recordsInBackup, onlyInCurrent, onlyInBackup }: RestorePlan): string {
  const list = (ids: readonly number[]): string => {
    const shown = ids.slice(0, IDS_SHOWN).join(", ");
    return ids.length === 0 ? "none" : `${ids.length} (${shown}${ids.length > IDS_SHOWN ? ", …" : ""})`;
  };
  return [
    `Records in the copy: ${recordsInBackup}`,
    `Records that the copy lacks: ${list(onlyInCurrent)}`,
    `Records that only the copy has: ${list(onlyInBackup)}`,
    "",
  ].join("\n");
}

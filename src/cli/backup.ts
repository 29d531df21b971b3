import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { backUp, backUpRegularly } from "../ops/backups.ts";
import { planRestore, restore, type RestorePlan } from "../ops/restore.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { commandLineActor } from "./command-line-actor.ts";
import type { Terminal } from "./terminal.ts";

/** Copies the database, running or not, and checks the copy; without a file it is one of the regular copies. */
export async function makeBackup(
  { dataDir }: Config,
  { out }: { out: string | undefined },
  { stdout, cwd }: Terminal,
): Promise<void> {
  if (out === undefined) {
    stdout.write(`${await backUpRegularly(dataDir, new SystemClock().wallMs())}\n`);
    return;
  }
  const path = resolve(cwd, out);
  await backUp(dataDir, path);
  stdout.write(`${path}\n`);
}

/** Puts a copy back, or says what that would do. */
export function restoreBackup(
  { dataDir }: Config,
  file: string,
  { dryRun }: { dryRun: boolean },
  { stdout, cwd }: Terminal,
): void {
  const path = resolve(cwd, file);
  if (dryRun) {
    stdout.write(`${textOf(planRestore(dataDir, path))}Nothing was changed.\n`);
    return;
  }
  const plan = textOf(planRestore(dataDir, path));
  const { kept, redelivered } = restore(dataDir, path, new SystemClock().wallMs(), commandLineActor().who);
  stdout.write(plan);
  if (kept !== null) stdout.write(`The database until now is kept as ${kept}.\n`);
  stdout.write(`Restored. ${redelivered} trips of the journal are posted again at the next start.\n`);
}

const IDS_SHOWN = 20;

function textOf({ recordsInCopy, onlyInPresent, onlyInCopy }: RestorePlan): string {
  const list = (ids: readonly number[]): string => {
    const shown = ids.slice(0, IDS_SHOWN).join(", ");
    return ids.length === 0 ? "none" : `${ids.length} (${shown}${ids.length > IDS_SHOWN ? ", …" : ""})`;
  };
  return [
    `Records in the copy: ${recordsInCopy}`,
    `Records that the copy lacks: ${list(onlyInPresent)}`,
    `Records that only the copy has: ${list(onlyInCopy)}`,
    "",
  ].join("\n");
}

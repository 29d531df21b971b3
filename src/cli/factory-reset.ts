import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import type { Terminal } from "./terminal.ts";

/** What the daemon makes in its data folder. Nothing else in there is touched. */
const OURS =
  /^(?:(?:santinela|journal|lock)\.db.*|control\.sock|secrets|tls|backups|quarantine|ballast|installation-id|last-good\.yaml|stopped-in-order|(?:recovery|check-failed)\.txt)$/;

/**
 * Removes all records, accounts, keys and certificates of this installation; the configuration stays.
 * @throws AppError `usage` without `yes`, `busy` while a daemon uses the folder
 */
export function factoryReset(
  { dataDir }: Config,
  { yes }: { yes: boolean },
  { stdout, stderr }: Terminal,
): void {
  const names = namesIn(dataDir);
  if (!yes)
    throw new AppError("usage", `this removes ${names.join(", ") || "nothing"} in ${dataDir}, for good`, {
      hint: "Records that the centre does not have yet are lost too (santinela sync status). Add --yes to go on.",
    });
  const release = names.length > 0 ? takeInstanceLock(join(dataDir, "lock.db")) : () => {};
  for (const name of namesIn(dataDir)) {
    rmSync(join(dataDir, name), { recursive: true, force: true });
    stderr.write(`removed ${join(dataDir, name)}\n`);
  }
  release();
  stdout.write("the next start is a first start\n");
}

function namesIn(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter((name) => OURS.test(name)) : [];
}

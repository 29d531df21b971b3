import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { confirm } from "./confirm.ts";
import type { Terminal } from "./terminal.ts";

/** Files that the daemon creates in its data directory; other files are kept. */
const DAEMON_FILES =
  /^(?:(?:santinela|journal|lock)\.db.*|control\.sock|secrets|tls|backups|quarantine|ballast|installation-id|last-good\.yaml|stopped-in-order|given-numbers\.json|losses\.json|(?:recovery|check-failed)\.txt)$/;

/**
 * Removes all records, accounts, keys and certificates of this installation; the configuration stays.
 * @throws AppError as `confirm`; `busy` while a daemon uses the directory
 */
export async function factoryReset(
  { dataDir }: Config,
  { yes }: { yes: boolean },
  terminal: Terminal,
): Promise<void> {
  const { stdout, stderr } = terminal;
  const names = namesIn(dataDir);
  await confirm(
    `This permanently removes ${names.join(", ") || "nothing"} in ${dataDir}, including records not yet sent to the dispatch centre (santinela sync status). Continue?`,
    { yes },
    terminal,
  );
  const release = names.length > 0 ? takeInstanceLock(join(dataDir, "lock.db")) : () => {};
  for (const name of namesIn(dataDir)) {
    rmSync(join(dataDir, name), { recursive: true, force: true });
    stderr.write(`removed ${join(dataDir, name)}\n`);
  }
  release();
  stdout.write("the next start is a first run\n");
}

function namesIn(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter((name) => DAEMON_FILES.test(name)) : [];
}

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { takeBackupLock } from "../ops/backups.ts";
import { endUndecidedSession } from "../ops/machine-identity.ts";
import { offDiskFile } from "../ops/off-disk-file.ts";
import { flush } from "../store/durable-files.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { confirm } from "./prompt.ts";
import type { Terminal } from "./terminal.ts";

/** Files that the daemon creates in its data directory; other files are kept, and the sessions that it has still to end. */
const DAEMON_FILES =
  /^(?:(?:santinela|journal|lock|before-upgrade)\.db.*|backup\.lock|control\.sock|secrets|tls|set-up-code(?:\.part)?|backups|quarantine|ballast|installation-id|configurations|configuration-(?:trial|origins)\.json|machine(?:-undecided)?\.json|last-good\.yaml|stopped-in-order|given-numbers\.json|(?:losses|unreported|trail-breaks)\.json|(?:recovery|check-failed)\.txt)$/; // words: allowed

/**
 * The order of the removal; each is on the disk before the next one, so that no start after a power cut takes the rest for a site:
 * it recovers a database that a known installation has lost, dispatches the trips of a journal whose records are missing again,
 * and accepts the data of a copied card if nothing says of which machine they are.
 */
const IN_ORDER: readonly RegExp[] = [
  /^/,
  /^journal\.db/,
  /^santinela\.db$/,
  /^santinela\.db./,
  /^(?:machine(?:-undecided)?\.json|lock\.db.*)$/,
];

/**
 * Removes all records, accounts, keys and certificates of this installation; the configuration stays.
 * @throws AppError as `confirm`; `busy` while a daemon uses the directory or a backup is made
 */
export async function factoryReset(
  { dataDir }: Config,
  terminal: Terminal,
  options: { readonly yes?: boolean },
): Promise<void> {
  const { stdout, stderr, env } = terminal;
  const names = daemonFiles(dataDir);
  const question = `This permanently removes ${names.join(", ") || "nothing"} in ${dataDir}, including records not yet sent to the dispatch centre (santinela sync status). Continue?`;
  await confirm(terminal, question, options);
  const release = names.length > 0 ? lockOf(dataDir) : () => {};
  // A backup that goes on would leave a copy of the records.
  const releaseBackups = names.length > 0 ? takeBackupLock(dataDir) : () => {};
  endUndecidedSession(dataDir);
  removeOffDisk(dataDir, [RUNTIME_DIRECTORY, ...(env["RUNTIME_DIRECTORY"]?.split(":") ?? [])]);
  const stageOf = (name: string): number => IN_ORDER.findLastIndex((pattern) => pattern.test(name));
  for (const stage of IN_ORDER.keys()) {
    const ofStage = daemonFiles(dataDir).filter((name) => stageOf(name) === stage);
    for (const name of ofStage) {
      rmSync(join(dataDir, name), { recursive: true, force: true });
      stderr.write(`removed ${join(dataDir, name)}\n`);
    }
    if (ofStage.length > 0) flush(dataDir);
  }
  releaseBackups();
  release();
  stdout.write("the next start is a first run\n");
}

/** @throws AppError `busy` with what to stop, while the daemon of this site runs */
function lockOf(dataDir: string): () => void {
  try {
    return takeInstanceLock(join(dataDir, "lock.db"));
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== "busy") throw cause;
    throw new AppError("busy", `the daemon of this site is running, with its data in ${dataDir}`, {
      hint: "Stop it first, for example with sudo systemctl stop santinela, and start it again after the reset.",
      cause,
    });
  }
}

/** RuntimeDirectory= of the package's service; a command is not told of it. */
const RUNTIME_DIRECTORY = "/run/santinela";

/** Removes trips that are only in memory: the next start would dispatch them. */
function removeOffDisk(dataDir: string, folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmSync(offDiskFile(folder, dataDir), { force: true });
    } catch (error) {
      // The service of another user has that directory, and none of the trips of this one.
      if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    }
  }
}

function daemonFiles(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter((name) => DAEMON_FILES.test(name)) : [];
}

import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, diskError, messageOf } from "../domain/errors.ts";
import { flush, readJson, renameDurably, writePrivate } from "../store/durable-files.ts";
import { isDiskFull } from "../store/transaction.ts";
import {
  earlierConfigurations,
  hashOfText,
  keepText,
  keptConfigurations,
  keptName,
  keptPath,
  noteKept,
  noteWritten,
  removeEarlier,
  timeInName,
} from "./earlier-configurations.ts";

const MARKER = "configuration-trial.json";

/** A change that has been written and not yet been proven. */
interface ConfigurationTrial {
  readonly file: string;
  /** Name of the earlier text in the folder of kept ones. */
  readonly kept: string;
  /** Hash of the changed text; absent in markers of earlier versions. */
  readonly written?: string;
  readonly who: string;
  readonly from: string;
  readonly diff: string;
  /** Whether the earlier text is in the file again. */
  readonly isReverted: boolean;
}

/**
 * Writes a changed configuration on trial: a process that ends before `proven` starts with the earlier text.
 * @param atMs wall clock, in the name of the kept text
 * @throws AppError `conflict` if the file cannot be written, `unavailable` if the disk is full; it is unchanged then
 */
export function writeOnTrial(
  dataDir: string,
  text: string,
  trial: Omit<ConfigurationTrial, "kept" | "written" | "isReverted">,
  atMs: number,
): void {
  const before = readFileSync(trial.file, "utf8");
  const kept = keptName(atMs);
  try {
    keepText(dataDir, kept, before, statSync(trial.file).mtimeMs);
    const marker: ConfigurationTrial = { ...trial, kept, written: hashOfText(text), isReverted: false };
    writePrivate(join(dataDir, MARKER), JSON.stringify(marker));
    replaceText(trial.file, text);
  } catch (cause) {
    if (isBack(trial.file, before)) rmSync(join(dataDir, MARKER), { force: true });
    if (isDiskFull(cause))
      throw diskError("the disk of this device is full", "Free space on it, then repeat the change.", cause);
    throw new AppError("conflict", `${trial.file} cannot be written: ${messageOf(cause)}`, {
      hint: "Let the user of the service write this file, and only this one: chgrp santinela and chmod 660.",
      cause,
    });
  }
  // Never this one: where the clock has gone back, it is not the newest by its name. Nor the text that is returned to, before it
  // is proven.
  const source = earlierConfigurations(dataDir).find((earlier) => earlier.text === text);
  removeEarlier(dataDir, source ? [kept, source.name] : [kept]);
}

/** Writes a text back after a failed write. @returns false if that failed too; the next start tries again */
function isBack(file: string, text: string): boolean {
  try {
    if (readFileSync(file, "utf8") !== text) replaceText(file, text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a change has been written and not yet been proven or undone. */
export function isOnTrial(dataDir: string): boolean {
  return existsSync(join(dataDir, MARKER)) && readTrial(dataDir)?.isReverted !== true;
}

/** The change works: it stays after a restart. */
export function proven(dataDir: string): void {
  const trial = readTrial(dataDir);
  const atMs = trial && timeInName(trial.kept);
  if (trial?.written !== undefined && atMs !== undefined) noteWritten(dataDir, trial.written, trial, atMs);
  rmSync(join(dataDir, MARKER), { force: true });
  flush(dataDir);
}

/**
 * Writes the earlier text back. What has been written into the file since the change, as with an editor, is kept beside it.
 * @throws Error if it is gone or the file cannot be written
 */
export function revert(dataDir: string): void {
  const trial = readTrial(dataDir);
  if (!trial || trial.isReverted) return;
  const before = readFileSync(keptPath(dataDir, trial.kept), "utf8");
  keepEdited(dataDir, trial, before);
  replaceText(trial.file, before);
  const marker = join(dataDir, MARKER);
  try {
    writeForSure(dataDir, marker, JSON.stringify({ ...trial, isReverted: true }), [trial.kept]);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // Left as it is, it would undo what a person writes into the file next. Only the event of the next start is lost.
    rmSync(marker, { force: true });
  }
}

function keepEdited(dataDir: string, { file, kept, written }: ConfigurationTrial, before: string): void {
  try {
    const found = readFileSync(file, "utf8");
    if (written === undefined || hashOfText(found) === written || found === before) return;
    const edited = kept.replace(/(\.yaml)?$/, "-edited.yaml");
    writeForSure(dataDir, keptPath(dataDir, edited), found, [kept]);
    removeEarlier(dataDir, [kept, edited]);
    noteKept(dataDir, edited, found, statSync(file).mtimeMs);
  } catch {
    // Restoring the earlier zones has priority, also on a disk that cannot be written.
  }
}

/** On a full disk the oldest kept texts make room: what a person has just written is nowhere else. */
function writeForSure(dataDir: string, path: string, text: string, stay: readonly string[]): void {
  for (;;)
    try {
      writePrivate(path, text);
      return;
    } catch (error) {
      const others = keptConfigurations(dataDir).length - stay.length;
      if (!isDiskFull(error) || !removeEarlier(dataDir, stay, stay.length + others - 1)) throw error;
    }
}

/**
 * Before a start: takes back a change of this file that was not proven when the process ended. A change that cannot be taken
 * back stays, because a site without a daemon would be worse; `takeUnproven` then has the reason.
 * @param folders where the data directory of the file may be
 */
export function revertUnproven(file: string, folders: readonly string[]): void {
  for (const dataDir of folders)
    try {
      if (readTrial(dataDir)?.file === file) revert(dataDir);
    } catch {
      // The marker stays: `takeUnproven` tries once more and has the reason.
    }
}

/** The change that was undone since the last call; undefined if there is none. */
export function takeReverted(dataDir: string): ConfigurationTrial | undefined {
  const trial = readTrial(dataDir);
  if (trial?.isReverted !== true) return undefined;
  rmSync(join(dataDir, MARKER), { force: true });
  return trial;
}

/** Why an earlier change of this file stays although it was not proven; undefined if there is none. It is reported once. */
export function takeUnproven(dataDir: string, file: string | null): string | undefined {
  if (!existsSync(join(dataDir, MARKER))) return undefined;
  const trial = readTrial(dataDir);
  if (trial && (trial.isReverted || trial.file !== file)) return undefined;
  let reason = `${MARKER} is damaged`;
  if (trial)
    try {
      readFileSync(keptPath(dataDir, trial.kept));
      reason = `${trial.file} cannot be written`;
    } catch (error) {
      reason = messageOf(error);
    }
  rmSync(join(dataDir, MARKER), { force: true });
  return reason;
}

/** The trial; undefined without one, or if the marker is damaged or names a text outside of the folder. */
function readTrial(dataDir: string): ConfigurationTrial | undefined {
  const value = readJson(join(dataDir, MARKER));
  if (typeof value !== "object" || value === null) return undefined;
  const trial = value as Partial<ConfigurationTrial>;
  const texts = [trial.file, trial.kept, trial.who, trial.from, trial.diff];
  if (texts.some((text) => typeof text !== "string")) return undefined;
  return basename(trial.kept ?? "") === trial.kept ? (trial as ConfigurationTrial) : undefined;
}

/**
 * Replaces a file by renaming. Where the service may write the file but not its folder, as in its sandbox, the text is
 * written into the file: the marker of the trial makes a power cut in between harmless.
 */
function replaceText(file: string, text: string): void {
  const path = realpathSync(file);
  const { mode, uid, gid } = statSync(path);
  const part = join(dirname(path), `.${hashOfText(path).slice(0, 8)}.part`);
  try {
    writeFileSync(part, text, { mode: 0o600 });
    // Not at its creation, where the umask of the service would take rights of the group from it.
    chmodSync(part, mode & 0o777);
    chownSync(part, uid, gid);
    renameDurably(part, path);
  } catch {
    rmSync(part, { force: true });
    writeFileSync(path, text);
    flush(path);
  }
}

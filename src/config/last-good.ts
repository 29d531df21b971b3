import { renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { zoneChanges, type ZoneChanges } from "../domain/zone-changes.ts";
import type { Config } from "./config.ts";
import { COPY, dataDirectories, headOf, readIfExists } from "./data-directories.ts";
import { configurationText, findFile, readConfiguration, type LoadOptions } from "./load.ts";
import { emptyConfiguration, isWithoutOptions, type ConfigurationText } from "./parsed-text.ts";

/** A valid configuration to run, with the error of its file if the last good configuration is used. */
export interface EffectiveConfiguration {
  readonly config: Config;
  readonly source: ConfigurationText;
  /** Errors of the file, one per line as `file:line:col: …`, if the last good configuration is used; otherwise null. */
  readonly fault: string | null;
}

/**
 * Returns the file's configuration, or the last good configuration if the file is invalid, unreadable or lost, or has lost all its
 * options: a typing error must not stop the monitoring at the next power cut.
 * @throws AppError as `loadConfiguration` for the file if there is no usable last good configuration
 */
export function configurationToRun(options: LoadOptions): EffectiveConfiguration {
  try {
    const source = configurationText(options);
    if (hasLostOptions(source, options)) throw emptyConfiguration(source);
    return { config: readConfiguration(source, options), source, fault: null };
  } catch (error) {
    const file = findFile(options);
    const copy = error instanceof AppError && file !== null ? usableCopy(file, options) : undefined;
    if (!(error instanceof AppError) || !copy) throw error;
    return { ...copy, fault: error.message };
  }
}

/** Whether a text has no option although the last good one of its file has some. */
export function hasLostOptions(source: ConfigurationText, options: LoadOptions): boolean {
  if (source.file === null || !isWithoutOptions(source)) return false;
  const copy = usableCopy(source.file, options);
  return copy !== undefined && !isWithoutOptions(copy.source);
}

/**
 * Saves the text as the last good configuration. Called after a daemon has started with it, which proves that it works.
 */
export function keepLastGood({ dataDir }: Config, { file, text }: ConfigurationText): void {
  if (file === null) return;
  const path = join(dataDir, COPY);
  const content = `${headOf(file)}\n${text}`;
  if (readIfExists(path) === content) return;
  writeFileSync(`${path}.part`, content, { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
}

/** The text that `keepLastGood` would replace, and since when it has been the last good one; undefined if there is none. */
export function replacedByLastGood(
  { dataDir }: Config,
  { file, text }: ConfigurationText,
): { readonly text: string; readonly sinceMs: number } | undefined {
  const content = readIfExists(join(dataDir, COPY));
  const sinceMs = lastGoodAtMs(dataDir);
  const head = file === null ? undefined : `${headOf(file)}\n`;
  if (content === undefined || sinceMs === undefined || head === undefined) return undefined;
  if (!content.startsWith(head) || content === `${head}${text}`) return undefined;
  return { text: content.slice(head.length), sinceMs };
}

/**
 * Zones of this run that differ from those of the last good configuration of the same file, before it is replaced: a file that a
 * power cut has shortened between two zones is valid, and only this shows that zones are missing.
 * @returns undefined if none differ, or there is nothing to compare with
 */
export function zonesEdited(
  { dataDir, zones }: Config,
  { file, text }: ConfigurationText,
  options: LoadOptions,
): ZoneChanges | undefined {
  if (file === null || readIfExists(join(dataDir, COPY)) === `${headOf(file)}\n${text}`) return undefined;
  const before = copyIn(dataDir, file, options);
  const changes = before && zoneChanges(before.config.zones, zones);
  return changes && Object.values(changes).some((ids) => ids.length > 0) ? changes : undefined;
}

/** Time of the last good configuration, milliseconds since 1970; undefined if there is none. */
export function lastGoodAtMs(dataDir: string): number | undefined {
  return statSync(join(dataDir, COPY), { throwIfNoEntry: false })?.mtimeMs;
}

function usableCopy(file: string, options: LoadOptions): Omit<EffectiveConfiguration, "fault"> | undefined {
  for (const folder of dataDirectories(file, options)) {
    const copy = copyIn(folder, file, options);
    if (copy) return copy;
  }
  return undefined;
}

function copyIn(
  folder: string,
  file: string,
  options: LoadOptions,
): Omit<EffectiveConfiguration, "fault"> | undefined {
  const [head, ...lines] = (readIfExists(join(folder, COPY)) ?? "").split("\n");
  if (head !== headOf(file)) return undefined;
  const source = { file, text: lines.join("\n") };
  try {
    return { source, config: readConfiguration(source, { ...options, allowMissingFiles: true }) };
  } catch (error) {
    // No longer valid with this environment or release: the errors of the file itself are reported.
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}

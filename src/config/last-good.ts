import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { AppError } from "../domain/errors.ts";
import type { Config } from "./config.ts";
import { configurationText, findFile, readConfiguration, type LoadOptions } from "./load.ts";
import type { ConfigurationText } from "./parsed-text.ts";
import { depthProblem } from "./yaml-bounds.ts";

/** A configuration that can be run, and what became of the file it should have come from. */
export interface EffectiveConfiguration {
  readonly config: Config;
  readonly source: ConfigurationText;
  /** The mistakes of the file, `file:line:col: …`, one a line, when its last good copy is used instead; else null. */
  readonly fault: string | null;
}

const COPY = "last-good.yaml";

/**
 * The configuration to run with: the file's, or its last good copy when the file has mistakes or cannot be read. A
 * mistyped line must not cost a building its alarms at the next power cut.
 * @throws AppError as `loadConfiguration`, of the file itself, when there is no copy that can be used
 */
export function configurationToRun(options: LoadOptions): EffectiveConfiguration {
  try {
    const source = configurationText(options);
    return { config: readConfiguration(source, options), source, fault: null };
  } catch (error) {
    const file = findFile(options);
    const copy = error instanceof AppError && file !== null ? usableCopy(file, options) : undefined;
    if (!(error instanceof AppError) || !copy) throw error;
    return { ...copy, fault: error.message };
  }
}

/**
 * Keeps the text as the last good copy of its file. Called when a daemon has started with it, because not before then
 * is it known to be good.
 */
export function keepLastGood({ dataDir }: Config, { file, text }: ConfigurationText): void {
  if (file === null) return;
  const path = join(dataDir, COPY);
  const content = `${headOf(file)}\n${text}`;
  if (readIfThere(path) === content) return;
  writeFileSync(`${path}.part`, content, { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
}

/** When the copy was kept, milliseconds since 1970; undefined when there is none. */
export function lastGoodAtMs(dataDir: string): number | undefined {
  return statSync(join(dataDir, COPY), { throwIfNoEntry: false })?.mtimeMs;
}

/** Tells copies of different files apart that share a data folder. */
function headOf(file: string): string {
  return `# The last good copy of ${JSON.stringify(file)}. Kept by the daemon; edit that file, not this one.`;
}

function usableCopy(file: string, options: LoadOptions): Omit<EffectiveConfiguration, "fault"> | undefined {
  for (const folder of dataFolders(file, options)) {
    const [head, ...lines] = (readIfThere(join(folder, COPY)) ?? "").split("\n");
    if (head !== headOf(file)) continue;
    const source = { file, text: lines.join("\n") };
    try {
      return { source, config: readConfiguration(source, { ...options, passwordsMayBeMissing: true }) };
    } catch (error) {
      // The environment has changed, or a newer release reads it otherwise: then the file's own mistakes are told.
      if (!(error instanceof AppError)) throw error;
    }
  }
  return undefined;
}

/** Where the data may lie, as far as a file with mistakes can tell. */
function dataFolders(file: string, { env }: LoadOptions): string[] {
  const folder = dirname(file);
  const named: unknown = parseDocument(readableText(file), { logLevel: "silent" }).get("dataDir");
  const ofVariable = env["SANTINELA_DATADIR"] ?? env["SANTINELA_DATA_DIR"];
  const state = env["STATE_DIRECTORY"]?.split(":")[0];
  return [
    ...(ofVariable === undefined ? [] : [resolve(folder, ofVariable)]),
    ...(typeof named === "string" ? [resolve(folder, named)] : []),
    ...(state === undefined ? [] : [state]),
    join(folder, "var"),
  ];
}

/** The file's text or, where it nests too deep to be parsed, the line that names the data folder. */
function readableText(file: string): string {
  const text = readIfThere(file) ?? "";
  const [line = ""] = /^dataDir:.*$/m.exec(text) ?? [];
  return [text, line].find((part) => !depthProblem(part)) ?? "";
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

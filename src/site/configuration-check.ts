import type { Config } from "../config/config.ts";
import { FILE_BYTES_MAX, readBoundedBytes } from "../config/bounded-file.ts";
import type { LoadOptions } from "../config/load.ts";
import { utf8Text } from "../config/utf8-text.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { ConfigurationErrorView } from "./configuration-view.ts";

export interface CheckParts {
  /** The configuration in force. */
  readonly config: Config;
  readonly load: LoadOptions;
}

/** What a text would do in place of the configuration file. */
export interface CheckedText {
  readonly errors: readonly ConfigurationErrorView[];
  readonly warnings: readonly string[];
  /** Options, except zones, that it changes at once. */
  readonly applied: readonly string[];
  /** Options that it changes after a restart. */
  readonly needsRestart: readonly string[];
}

/** The text of the configuration file. @throws AppError `conflict` if there is none, or it cannot be read */
export function currentText({ file }: Pick<Config, "file">): string {
  if (file === null)
    throw new AppError("conflict", "this installation has no configuration file", {
      hint: "Create one with santinela init, then restart.",
    });
  const text = utf8Text(bytesOf(file));
  if (typeof text === "string") return text;
  throw new AppError("conflict", `${file} is not UTF-8 in line ${text.line}`, {
    hint: "Save the file as UTF-8.",
  });
}

function bytesOf(file: string): Buffer {
  try {
    return readBoundedBytes(file, FILE_BYTES_MAX);
  } catch (cause) {
    throw new AppError("conflict", `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Checks a text as at a start, with the passwords that this process can read.
 * @param assertNext refuses a valid configuration
 * @throws AppError `conflict` of `assertNext`
 */
export async function checkedText(
  { config, load }: CheckParts,
  text: string,
  assertNext: (next: Config) => void,
): Promise<CheckedText> {
  // Loaded on use: the YAML library takes memory that a running daemon does not need otherwise.
  const { readConfiguration } = await import("../config/load.ts");
  const { ConfigurationError } = await import("../config/problems.ts");
  try {
    const next = readConfiguration({ file: config.file, text }, load);
    assertNext(next);
    const { changesOf } = await import("../config/reload.ts");
    const { applied, needsRestart } = changesOf(config, next);
    return { errors: [], warnings: next.warnings, applied, needsRestart };
  } catch (error) {
    if (error instanceof ConfigurationError) return refused(error.errors);
    if (!(error instanceof AppError) || error.code === "conflict") throw error;
    return refused([{ place: `${config.file}:1:1`, message: error.message }]);
  }
}

/** Of a zone that an alarm panel has created, which no file has. */
const CREATED = /^dc09-[0-9a-f]+-\d+-/;

/**
 * What was edited in the text of the file without a reload, which saving any change puts in force: options, and the ids of zones
 * as `zones: door, gate`. Empty for a text with errors.
 */
export async function unappliedIn({ config, load }: CheckParts, text: string): Promise<string[]> {
  const { readConfiguration } = await import("../config/load.ts");
  const { changesOf } = await import("../config/reload.ts");
  try {
    const { applied, zones } = changesOf(config, readConfiguration({ file: config.file, text }, load));
    const removed = zones.removed.filter((id) => !CREATED.test(id));
    const ids = [...zones.added, ...zones.changed, ...removed];
    return [...applied, ...(ids.length > 0 ? [`zones: ${ids.join(", ")}`] : [])];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [];
  }
}

function refused(errors: readonly ConfigurationErrorView[]): CheckedText {
  return { errors, warnings: [], applied: [], needsRestart: [] };
}

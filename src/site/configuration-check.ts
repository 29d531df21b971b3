import { readFileSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { LoadOptions } from "../config/load.ts";
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
  try {
    return readFileSync(file, "utf8");
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

function refused(errors: readonly ConfigurationErrorView[]): CheckedText {
  return { errors, warnings: [], applied: [], needsRestart: [] };
}

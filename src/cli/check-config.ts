import type { Config } from "../config/config.ts";
import { ConfigurationError } from "../config/problems.ts";
import { AppError } from "../domain/errors.ts";
import { linesOf, type CheckResult } from "./check-result.ts";
import type { Terminal } from "./terminal.ts";

export interface CheckConfigOptions {
  readonly json: boolean;
  /** Also signs in at the centre and tries it with test records; see `tryCentre`. */
  readonly tryCentre: boolean;
}

/**
 * Says that a configuration is fine, with what is allowed but probably not meant.
 * @param load reads it; with `json` its mistakes are printed as JSON too
 * @throws AppError what `load` throws; `conflict` (exit code 1) when the centre was tried and something must be mended,
 *   after everything has been printed
 */
export async function checkConfig(
  load: () => Promise<Config>,
  { json, tryCentre }: CheckConfigOptions,
  terminal: Terminal,
): Promise<void> {
  const print = (answer: unknown): void => void terminal.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  let config: Config;
  try {
    config = await load();
  } catch (error) {
    if (json && error instanceof ConfigurationError) print({ valid: false, mistakes: error.mistakes });
    throw error;
  }
  if (!json) tell(config, terminal);
  const found = tryCentre ? await tried(config) : undefined;
  if (json) print({ ...answerOf(config), ...(found && { centre: found }) });
  else if (found) terminal.stdout.write(linesOf(found));
  if (found?.some(({ status }) => status === "fault") === true)
    throw new AppError("conflict", "the file is valid, but the centre would not take every trip");
}

async function tried(config: Config): Promise<CheckResult[]> {
  const { triedCentre } = await import("./centre-trial-findings.ts");
  return triedCentre(config);
}

function answerOf({ file, warnings, zones, upstream, dataDir }: Config): object {
  const centre = upstream?.baseUrl ?? null;
  return { valid: true, file, mistakes: [], warnings, zones: zones.length, upstream: centre, dataDir };
}

function tell({ file, warnings, zones, upstream, dataDir }: Config, { stdout, stderr }: Terminal): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
  const centre = upstream ? `pushes to ${upstream.baseUrl}` : "stands alone";
  const name = file ?? "the embedded configuration";
  stdout.write(`${name} is valid: ${zones.length} zones, ${centre}, data in ${dataDir}\n`);
}

import type { Config } from "../config/config.ts";
import { ConfigurationError } from "../config/problems.ts";
import { AppError } from "../domain/errors.ts";
import { formatResults, type CheckResult } from "./check-result.ts";
import type { Terminal } from "./terminal.ts";

export interface CheckConfigOptions {
  readonly json: boolean;
  /** Also signs in at the dispatch centre and tests it with records that are removed again. */
  readonly tryCentre: boolean;
}

/**
 * Checks the configuration and prints its warnings.
 * @param load reads it; with `json` its errors are printed as JSON too
 * @throws AppError as `load`; `conflict` (exit code 1) if a check of the dispatch centre fails, after printing all results
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
    if (json && error instanceof ConfigurationError) print({ valid: false, errors: error.errors });
    throw error;
  }
  if (!json) printSummary(config, terminal);
  const centre = tryCentre ? await checkCentre(config) : undefined;
  if (json) print({ ...summary(config), ...(centre && { centre }) });
  else if (centre) terminal.stdout.write(formatResults(centre));
  if (centre?.some(({ status }) => status === "error") === true)
    throw new AppError("conflict", "the file is valid, but the dispatch centre would reject some trips");
}

async function checkCentre(config: Config): Promise<CheckResult[]> {
  const { centreTrialChecks } = await import("./centre-checks.ts");
  return centreTrialChecks(config);
}

function summary({ file, warnings, zones, upstream, dataDir }: Config): object {
  const centre = upstream?.baseUrl ?? null;
  return { valid: true, file, errors: [], warnings, zones: zones.length, upstream: centre, dataDir };
}

function printSummary(
  { file, warnings, zones, upstream, dataDir }: Config,
  { stdout, stderr }: Terminal,
): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
  const centre = upstream ? `pushes to ${upstream.baseUrl}` : "standalone";
  const name = file ?? "the embedded configuration";
  stdout.write(`${name} is valid: ${zones.length} zones, ${centre}, data in ${dataDir}\n`);
}

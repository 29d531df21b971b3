import type { Config } from "../config/config.ts";
import { effectiveOptions } from "../config/effective.ts";
import { configurationText, loadConfiguration, type LoadOptions } from "../config/load.ts";
import { ConfigurationError } from "../config/problems.ts";
import { AppError } from "../domain/errors.ts";
import { plainLine } from "../domain/single-line.ts";
import { formatResults, type CheckResult } from "./check-result.ts";
import type { JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";
import { counted } from "../domain/headline-text.ts";

/** Prints every option in force, with `sources` also its source. */
export function showConfig(
  from: LoadOptions,
  { stdout }: Terminal,
  { sources, json }: JsonOption & { readonly sources?: boolean },
): void {
  const options = effectiveOptions(configurationText(from), from);
  if (json) {
    stdout.write(jsonText(options));
    return;
  }
  const lines = options.map(({ option, value }) => `${option}: ${JSON.stringify(value)}`);
  const width = Math.max(...lines.map((line) => line.length));
  const withSource = (line: string, index: number): string =>
    sources ? `${line.padEnd(width)}  # ${options[index]?.source}` : line;
  stdout.write(lines.map((line, index) => `${plainLine(withSource(line, index))}\n`).join(""));
}

/**
 * Checks the configuration and prints its warnings; with `json` also its errors as JSON.
 * @param options tryCentre: also signs in at the dispatch centre and tests it with records that are removed again
 * @throws AppError as `loadConfiguration`; `conflict` (exit code 1) if a check of the dispatch centre fails, after printing
 *   all results
 */
export async function checkConfig(
  from: LoadOptions,
  terminal: Terminal,
  { json, tryCentre }: JsonOption & { readonly tryCentre?: boolean },
): Promise<void> {
  const { stdout } = terminal;
  const config = loaded(from, (error) => {
    if (json) stdout.write(jsonText({ valid: false, errors: error.errors }));
  });
  if (!json) printSummary(config, terminal);
  const centre = tryCentre ? await checkCentre(config) : undefined;
  if (json) stdout.write(jsonText({ ...summary(config), ...(centre && { centre }) }));
  else if (centre) stdout.write(formatResults(centre));
  if (centre?.some(({ status }) => status === "error") === true)
    throw new AppError("conflict", "the file is valid, but the dispatch centre would reject some trips");
}

function loaded(from: LoadOptions, onInvalid: (error: ConfigurationError) => void): Config {
  try {
    return loadConfiguration(from);
  } catch (error) {
    if (error instanceof ConfigurationError) onInvalid(error);
    throw error;
  }
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
  stdout.write(`${name} is valid: ${counted(zones.length, "zone")}, ${centre}, data in ${dataDir}\n`);
}

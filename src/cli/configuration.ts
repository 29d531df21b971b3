import type { Config } from "../config/config.ts";
import { withoutPassword } from "../config/database-url.ts";
import { effectiveOptions } from "../config/effective.ts";
import { environmentOverlay } from "../config/environment.ts";
import { configurationText, findFile, loadConfiguration, type LoadOptions } from "../config/load.ts";
import { parseText } from "../config/parsed-text.ts";
import { ConfigurationError, sourceText } from "../config/problems.ts";
import { AppError } from "../domain/errors.ts";
import { plainLine } from "../domain/single-line.ts";
import { formatResults, type CheckResult } from "./check-result.ts";
import type { JsonOption } from "./command-group.ts";
import { isDescribedIn } from "./described-objectives.ts";
import { noticeEmbedded } from "./embedded-notice.ts";
import { jsonText, type Terminal } from "./terminal.ts";
import { counted } from "../domain/headline-text.ts";

/** Prints every option in force, with `sources` also its source. */
export function showConfig(
  from: LoadOptions,
  terminal: Terminal,
  { sources, json }: JsonOption & { readonly sources?: boolean },
): void {
  const { stdout } = terminal;
  const source = configurationText(from);
  const options = effectiveOptions(source, from);
  const dataDir = String(options.find(({ option }) => option === "dataDir")?.value);
  noticeEmbedded({ file: source.file, dataDir }, terminal);
  if (json) return void stdout.write(jsonText(options));
  const lines = options.map(({ option, value }) => `${option}: ${JSON.stringify(value)}`);
  const width = Math.max(...lines.map((line) => line.length));
  const withSource = (line: string, index: number): string =>
    sources ? `${line.padEnd(width)}  # ${options[index]?.source}` : line;
  stdout.write(lines.map((line, index) => `${plainLine(withSource(line, index))}\n`).join(""));
}

interface CheckOptions extends JsonOption {
  /** Also signs in at the dispatch centre of a site, and tests it with records that are removed again. */
  readonly tryCentre?: boolean;
  /** The file is that of a dispatch centre. */
  readonly centre?: boolean;
  /** Does not connect to the database of a dispatch centre. */
  readonly offline?: boolean;
}

/**
 * Checks the configuration, as `serve` or `centre` would, and prints its warnings; with `json` also its errors as JSON.
 * @throws AppError as `loadConfiguration`; `no-input` without a file; `usage` for options that exclude each other; `conflict` (exit code 1) if a check of the
 *   dispatch centre or of its database fails, after printing all results
 */
export async function checkConfig(
  from: LoadOptions,
  terminal: Terminal,
  options: CheckOptions,
): Promise<void> {
  const { json } = options;
  const { stdout } = terminal;
  assertCombination(options);
  const load: LoadOptions = {
    ...from,
    role: options.centre ? "centre" : "site",
    knowsObjective: (objective, dataDir) => isDescribedIn(dataDir, objective),
  };
  if (findFile(load) === null)
    throw new AppError("no-input", "no configuration file found, so there is nothing to check", {
      hint: "Create one with santinela init, or specify one with --config.",
    });
  const config = loaded(load, (error) => {
    if (json) stdout.write(jsonText({ valid: false, errors: error.errors }));
  });
  if (!json) printSummary(config, terminal);
  const results = await resultsOf(config, load, options);
  if (json) stdout.write(jsonText({ ...summary(config), ...results }));
  else stdout.write(formatResults(Object.values(results).flat()));
  if (
    Object.values(results)
      .flat()
      .some(({ status }) => status === "error")
  )
    throw new AppError("conflict", `the file is valid, but ${options.centre ? NO_DATABASE : REJECTED}`);
}

const REJECTED = "the dispatch centre would reject some trips";
const NO_DATABASE = "a dispatch centre cannot start on its database now";

/** @throws AppError `usage` */
function assertCombination({ tryCentre, centre, offline }: CheckOptions): void {
  if (centre && tryCentre)
    throw new AppError("usage", "--try-centre is for a site and --centre for a dispatch centre", {
      hint: "A dispatch centre has no upstream to try.",
    });
  if (offline && !centre)
    throw new AppError("usage", "--offline needs --centre", {
      hint: "The check of a site connects to nothing without --try-centre.",
    });
}

/** What is checked besides the file, by its name in the JSON. */
async function resultsOf(
  config: Config,
  load: LoadOptions,
  { tryCentre, offline }: CheckOptions,
): Promise<Readonly<Record<string, readonly CheckResult[]>>> {
  if (tryCentre) {
    const { centreTrialChecks } = await import("./centre-checks.ts");
    return { centre: await centreTrialChecks(config) };
  }
  if (config.role !== "centre" || config.database === null || offline) return {};
  const { databaseStartChecks } = await import("./shared-database-checks.ts");
  const place = sourceText(parseText(configurationText(load), environmentOverlay(load.env)), ["database"]);
  const checks = await databaseStartChecks(config.database);
  return {
    checks: checks.map((check) =>
      check.status === "error" ? { ...check, text: `${place}: ${check.text}` } : check,
    ),
  };
}

function loaded(from: LoadOptions, onInvalid: (error: ConfigurationError) => void): Config {
  try {
    return loadConfiguration(from);
  } catch (error) {
    if (error instanceof ConfigurationError) onInvalid(error);
    throw error;
  }
}

function summary(config: Config): object {
  const { file, warnings, zones, upstream, dataDir } = config;
  const common = { valid: true, file, errors: [], warnings };
  if (config.role === "centre")
    return { ...common, objectives: objectivesOf(config), database: databaseOf(config), dataDir };
  return { ...common, zones: zones.length, upstream: upstream?.baseUrl ?? null, dataDir };
}

function printSummary(config: Config, { stdout, stderr }: Terminal): void {
  const { file, warnings, zones, upstream, dataDir } = config;
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
  const link = upstream ? `pushes to ${upstream.baseUrl}` : "standalone";
  const what =
    config.role === "centre"
      ? `dispatch centre on ${databaseOf(config)}, ${counted(objectivesOf(config), "objective")}`
      : `${counted(zones.length, "zone")}, ${link}`;
  stdout.write(`${file} is valid: ${what}, data in ${dataDir}\n`);
}

/** The number of configured objectives. */
function objectivesOf({ objectives }: Config): number {
  return Object.values(objectives).flat().length;
}

/** The database as it may be shown. */
function databaseOf({ database }: Config): string {
  if (database === null) return "SQLite";
  return database.url === undefined ? "PostgreSQL of the environment" : withoutPassword(database.url);
}

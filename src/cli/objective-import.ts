import { join, resolve } from "node:path";
import { readBounded } from "../config/bounded-file.ts";
import type { Config } from "../config/config.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import { validateObjectiveImport } from "../generated/validators.js";
import { ObjectiveService } from "../service/objectives.ts";
import { withDatabase } from "./direct-database.ts";
import type { Terminal } from "./terminal.ts";

/** Adds or replaces objectives from a file in one transaction, whether the daemon runs or not. */
export async function importObjectives(
  { database, dataDir }: Config,
  terminal: Terminal,
  _options: unknown,
  file: string,
): Promise<void> {
  const objectives = readImport(resolve(terminal.cwd, file));
  if (database !== null) {
    const { withMovedCentre } = await import("./shared-database.ts");
    const { PostgresObjectives } = await import("../postgres/postgres-objectives.ts");
    await withMovedCentre({ database, dataDir }, terminal, async (connections) =>
      writeCounts(terminal, await new PostgresObjectives(connections).import(objectives, "import")),
    );
    return;
  }
  terminal.stderr.write(`database: ${join(dataDir, "santinela.db")}\n`);
  await withDatabase(dataDir, (opened) =>
    writeCounts(terminal, new ObjectiveService(opened).import(objectives, "import")),
  );
}

function writeCounts({ stdout }: Terminal, counts: Readonly<Record<ObjectiveType, number>>): void {
  for (const type of OBJECTIVE_TYPES) stdout.write(`${type}: ${counts[type]} imported\n`);
}

/** A hundred thousand objectives. */
const IMPORT_BYTES_MAX = 64 * 1024 * 1024;

function readImport(path: string): Parameters<ObjectiveService["import"]>[0] {
  let text: string;
  try {
    text = readBounded(path, IMPORT_BYTES_MAX);
  } catch (cause) {
    throw new AppError("no-input", `cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad-data", `${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
  if (validateObjectiveImport(value)) return value;
  const [first] = validateObjectiveImport.errors ?? [];
  const what =
    first?.keyword === "additionalProperties"
      ? `${(first.params as { additionalProperty: string }).additionalProperty} is not an objective type`
      : first?.message;
  throw new AppError(
    "bad-data",
    `${path}${first?.instancePath ?? ""}: ${what ?? "is not a list of objectives"}`,
    {
      hint: 'Expected format: { "obiective/cladiri": [ { "id": 12, "name": "Hala Nord" } ] }.',
    },
  );
}

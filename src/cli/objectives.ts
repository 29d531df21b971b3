import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { validateObjectiveImport } from "../generated/validators.js";
import { prepareDataDir } from "../ops/secrets.ts";
import { ObjectiveService } from "../service/objectives.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { ControlClient } from "./control-client.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** Adds or replaces objectives from a file, all or none; works whether the daemon runs or not. */
export function objectivesImport(config: Config, file: string, terminal: Terminal): void {
  const objectives = readImport(resolve(terminal.cwd, file));
  const path = join(config.dataDir, "santinela.db");
  terminal.stderr.write(`database: ${path}\n`);
  prepareDataDir(config.dataDir);
  const database = openMainDatabase(path);
  try {
    const counts = new ObjectiveService(database).import(objectives, "import");
    for (const type of OBJECTIVE_TYPES) terminal.stdout.write(`${type}: ${counts[type]} imported\n`);
  } finally {
    database.close();
  }
}

/** Lists the objectives that the running daemon knows, of one type or of all. */
export async function objectivesList(
  { dataDir, http }: Config,
  { type, json }: { type: string | undefined; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const client = new ControlClient(dataDir);
  const lists = new Map<string, ListedObjective[]>();
  for (const known of OBJECTIVE_TYPES)
    if (type === undefined || type === known)
      lists.set(known, await client.get<ListedObjective[]>(`${http.basePath}/${known}`));
  if (lists.size === 0)
    throw new AppError("usage", `${type} is no kind of objective; use one of ${OBJECTIVE_TYPES.join(", ")}`);
  const rows = [...lists].flatMap(([kind, objectives]) =>
    objectives.map(({ id, name }) => [kind, String(id), String(name)]),
  );
  stdout.write(
    json
      ? `${JSON.stringify(Object.fromEntries(lists), null, 2)}\n`
      : tableText(["TYPE", "ID", "NAME"], rows),
  );
}

type ListedObjective = Readonly<Record<string, unknown>>;

function readImport(path: string): Parameters<ObjectiveService["import"]>[0] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
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
      ? `${(first.params as { additionalProperty: string }).additionalProperty} is no kind of objective`
      : first?.message;
  throw new AppError(
    "bad-data",
    `${path}${first?.instancePath ?? ""}: ${what ?? "is not a list of objectives"}`,
    {
      hint: 'It must look like { "obiective/cladiri": [ { "id": 12, "name": "Hala Nord" } ] }.',
    },
  );
}

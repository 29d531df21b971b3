import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { ObjectivesView } from "../site/sync-view.ts";
import { validateObjectiveImport } from "../generated/validators.js";
import { prepareDataDir } from "../ops/secrets.ts";
import { ObjectiveService } from "../service/objectives.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { ControlClient } from "./control-client.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** Adds or replaces objectives from a file in one transaction, whether the daemon runs or not. */
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

/** Lists the running daemon's objectives, of one type or all, and the age of the objective mirror. */
export async function objectivesList(
  { dataDir, http }: Config,
  { type, json }: { type: string | undefined; json: boolean },
  { stdout, stderr }: Terminal,
): Promise<void> {
  const client = new ControlClient(dataDir);
  const lists = new Map<string, ListedObjective[]>();
  for (const known of OBJECTIVE_TYPES)
    if (type === undefined || type === known)
      lists.set(known, await allOf(client, `${http.basePath}/${known}`));
  if (lists.size === 0)
    throw new AppError("usage", `${type} is not an objective type; use one of ${OBJECTIVE_TYPES.join(", ")}`);
  if (json) {
    stdout.write(`${JSON.stringify(Object.fromEntries(lists), null, 2)}\n`);
    return;
  }
  const mirror = await client.get<ObjectivesView>("/site/objectives");
  const isStandalone = mirror.centre === null;
  const rows = [...lists].flatMap(([objectiveType, objectives]) =>
    objectives.map(({ id, name }) => [
      objectiveType,
      String(id),
      String(name),
      ...(isStandalone ? [] : [mirrorText(mirror, objectiveType, Number(id))]),
    ]),
  );
  stdout.write(tableText(["TYPE", "ID", "NAME", ...(isStandalone ? [] : ["AT THE CENTRE"])], rows));
  for (const { type: objectiveType, objectives, readAt } of isStandalone ? [] : mirror.lists)
    if (lists.has(objectiveType))
      stderr.write(
        readAt === null
          ? `${objectiveType}: not pulled from the dispatch centre yet\n`
          : `${objectiveType}: ${objectives} at the dispatch centre, as of ${readAt}\n`,
      );
}

/** Reads all objectives of one type, page by page. */
async function allOf(client: ControlClient, path: string): Promise<ListedObjective[]> {
  const all: ListedObjective[] = [];
  for (;;) {
    const page = await client.get<ListedObjective[]>(
      `${path}?_start=${all.length}&_end=${all.length + PAGE_ROWS}`,
    );
    all.push(...page);
    if (page.length < PAGE_ROWS) return all;
  }
}

const PAGE_ROWS = 1000;

function mirrorText({ lists, differences }: ObjectivesView, objectiveType: string, id: number): string {
  if (lists.find(({ type }) => type === objectiveType)?.readAt === null) return "";
  const ofType = differences.filter(({ type }) => type === objectiveType);
  const difference = ofType.find((one) => one.id === id);
  // The list of differences is limited, so a full one may lack this objective.
  if (!difference) return ofType.length < DIFFERENCES_MAX ? "the same" : "";
  const { upstreamName: there, missingSince } = difference;
  if (missingSince !== null) return `not listed since ${missingSince}`;
  return there === null ? "not listed" : `named ${JSON.stringify(there)}`;
}

/** Maximum differences of one type in /site/objectives. */
const DIFFERENCES_MAX = 200;

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

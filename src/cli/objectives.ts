import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { ObjectiveListView, ObjectivesView } from "../site/sync-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { tableText } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** Interval of the progress lines. */
const PROGRESS_INTERVAL_MS = 1_000;

/** `objectives`. */
export function addObjectiveCommands(root: CommandGroup): void {
  const objectives = root.group(
    "objectives",
    "the buildings, assets and persons that interventions are tied to",
  );
  objectives
    .add("list", "list the objectives; needs a running daemon", () => listObjectives)
    .option("--type <type>", "obiective/cladiri, obiective/bunuri or obiective/persoane")
    .option("--json", "print JSON in the format of objectives import");
  objectives
    .add(
      "pull",
      "pull the objective lists of the dispatch centre now; needs a running daemon",
      () => pullObjectives,
    )
    .option("--accept-removals", "accept a list even if most of its objectives were removed")
    .option("--json", "print JSON");
  objectives
    .add(
      "import",
      "add or replace objectives from a JSON file",
      async () => (await import("./objective-import.ts")).importObjectives,
    )
    .argument(
      "<file>",
      '{ "obiective/cladiri": [ { "id": 12, "name": "Hala Nord" } ] }, with address, city, phone and description if they are known',
    );
}

/** Lists the running daemon's objectives, of one type or all, and the age of the objective mirror. */
async function listObjectives(
  { dataDir, http, site }: Config,
  { stdout, stderr }: Terminal,
  { type, json }: JsonOption & { readonly type?: string },
): Promise<void> {
  const client = new ControlClient(dataDir);
  const lists = new Map<string, ListedObjective[]>();
  for (const known of OBJECTIVE_TYPES)
    if (type === undefined || type === known) lists.set(known, await client.all(`${http.basePath}/${known}`));
  if (lists.size === 0)
    throw new AppError("usage", `${type} is not an objective type; use one of ${OBJECTIVE_TYPES.join(", ")}`);
  if (json) return void stdout.write(jsonText(Object.fromEntries(lists)));
  const mirror = await client.get<ObjectivesView>("/site/objectives");
  const isStandalone = mirror.centre === null;
  const rows = [...lists].flatMap(([objectiveType, objectives]) =>
    objectives.map(({ id, name }) => [
      objectiveType,
      String(id),
      String(name),
      ...(isStandalone ? [] : [mirrorText(mirror, objectiveType, Number(id), site.timezone)]),
    ]),
  );
  stdout.write(tableText(["TYPE", "ID", "NAME", ...(isStandalone ? [] : ["AT THE CENTRE"])], rows));
  for (const { type: objectiveType, objectives, readAt } of isStandalone ? [] : mirror.lists)
    if (lists.has(objectiveType))
      stderr.write(
        readAt === null
          ? `${objectiveType}: not pulled from the dispatch centre yet\n`
          : `${objectiveType}: ${objectives} at the dispatch centre, as of ${localTime(readAt, site.timezone)}\n`,
      );
}

function mirrorText(
  { lists, differences }: ObjectivesView,
  objectiveType: string,
  id: number,
  timeZone: string,
): string {
  if (lists.find(({ type }) => type === objectiveType)?.readAt === null) return "";
  const ofType = differences.filter(({ type }) => type === objectiveType);
  const difference = ofType.find((one) => one.id === id);
  // The list of differences is limited, so a full one may lack this objective.
  if (!difference) return ofType.length < DIFFERENCES_MAX ? "the same" : "";
  const { upstreamName: there, missingSince } = difference;
  if (missingSince !== null) return `not listed since ${localTime(missingSince, timeZone)}`;
  return there === null ? "not listed" : `named ${JSON.stringify(there)}`;
}

/** Maximum differences of one type in /site/objectives. */
const DIFFERENCES_MAX = 200;

type ListedObjective = Readonly<Record<string, unknown>>;

/**
 * Lets the running daemon pull the objective lists of the dispatch centre and prints the result of each.
 * @throws AppError `unavailable` if a list could not be read, `conflict` if one is rejected as implausible
 */
async function pullObjectives(
  { dataDir, site }: Config,
  { stdout, stderr }: Terminal,
  { acceptRemovals, json }: JsonOption & { readonly acceptRemovals?: boolean },
): Promise<void> {
  const client = new ControlClient(dataDir);
  const pulling = client.post<ObjectivesView>(`/site/objectives/${acceptRemovals ? "accept-loss" : "pull"}`);
  const endProgress = showProgress(client, stderr);
  const view = await pulling.finally(endProgress);
  stdout.write(json ? jsonText(view) : view.lists.map((list) => lineOf(list, site.timezone)).join(""));
  const failed = view.lists.find(({ lastAttempt }) => lastAttempt === "failed");
  if (failed) throw new AppError("unavailable", `${failed.type} could not be read: ${failed.reason}`);
  const rejected = view.lists.find(({ lastAttempt }) => lastAttempt === "rejected");
  if (rejected)
    throw new AppError("conflict", `${rejected.type} was rejected as implausible: ${rejected.reason}`, {
      hint: "If the dispatch centre's list is correct, repeat with --accept-removals.",
    });
}

function lineOf({ type, objectives, readAt, lastAttempt }: ObjectiveListView, timeZone: string): string {
  if (lastAttempt === "accepted") return `${type}: ${objectives} objectives\n`;
  const copy =
    readAt === null ? "no local copy" : `the local copy of ${localTime(readAt, timeZone)} stays in use`;
  return `${type}: ${lastAttempt}; ${copy}\n`;
}

/** @returns stops the progress lines */
function showProgress(client: ControlClient, stderr: Terminal["stderr"]): () => void {
  const clock = new SystemClock();
  let isOver = false;
  let cancel = (): void => {};
  const poll = async (): Promise<void> => {
    // The pull itself reports the same error.
    const view = await client.get<ObjectivesView>("/site/objectives").catch(() => undefined);
    if (isOver) return;
    if (view?.reading) stderr.write(`${view.reading.type}: ${view.reading.read} read\n`);
    cancel = clock.after(PROGRESS_INTERVAL_MS, () => void poll());
  };
  cancel = clock.after(PROGRESS_INTERVAL_MS, () => void poll());
  return () => {
    isOver = true;
    cancel();
  };
}

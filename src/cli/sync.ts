import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { OUT_OF_SCOPE } from "../domain/absence.ts";
import { AppError } from "../domain/errors.ts";
import type { ShownPhase } from "../domain/shown-phase.ts";
import { plainLine } from "../domain/single-line.ts";
import type { ComparisonView, LinkView, SyncAction, SyncRecordView, SyncView } from "../site/sync-view.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { confirm } from "./prompt.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** `sync`: state of the sync and actions on single records. */
export function addSyncCommands(root: CommandGroup): void {
  const sync = root.group("sync", "synchronisation with the dispatch centre; needs a running daemon");
  sync
    .add("status", "show queued records, how long they have waited and why", () => syncStatus)
    .option("--json", "print JSON");
  sync.add("now", "retry everything now and show what is left", () => syncNow).option("--json", "print JSON");
  sync
    .add("dead", "list records that need attention, with the reason", () => syncDead)
    .option("--json", "print JSON");
  const addRecordCommand = (action: SyncAction, argument: string, description: string): Command =>
    sync
      .add(
        action,
        description,
        () => (config: Config, terminal: Terminal, options: RecordOptions, ids: readonly string[]) =>
          syncRecords(config, terminal, action, options, ids),
      )
      .argument(argument, "intervention ids as in sync status")
      .option("--json", "print JSON with what is still to be sent for each record");
  addRecordCommand(
    "retry",
    "[intervention...]",
    "retry records now; by default all records of `sync dead` that are not out-of-scope",
  );
  addRecordCommand(
    "drop",
    "<intervention...>",
    "stop sending records to the dispatch centre; they stay local",
  ).option("--yes", "do not ask for confirmation");
  addRecordCommand(
    "reassert",
    "<intervention...>",
    "overwrite records at the dispatch centre with the local values, after it was restored from a backup",
  );
}

interface RecordOptions extends JsonOption {
  readonly yes?: boolean;
}

async function syncStatus(
  { dataDir, site }: Config,
  { stdout }: Terminal,
  { json }: JsonOption,
): Promise<void> {
  const view = await new ControlClient(dataDir).get<SyncView>("/site/sync");
  stdout.write(json ? jsonText(view) : syncText(view, site.timezone));
}

async function syncNow({ dataDir, site }: Config, { stdout }: Terminal, { json }: JsonOption): Promise<void> {
  const view = await new ControlClient(dataDir).post<SyncView>("/site/sync/now");
  stdout.write(json ? jsonText(view) : syncText(view, site.timezone));
}

/** Shows the records that are not sent without a user's action. */
async function syncDead(
  { dataDir, site }: Config,
  { stdout }: Terminal,
  { json }: JsonOption,
): Promise<void> {
  const dead = await deadRecords(new ControlClient(dataDir));
  const lines = dead.length === 0 ? ["none"] : dead.map((record) => recordText(record, site.timezone));
  stdout.write(json ? jsonText(dead) : `${lines.join("\n")}\n`);
}

/** Phases of records that are not sent without a user's action. */
const DEAD_PHASES: ReadonlySet<ShownPhase> = new Set(["rejected", "gone", "blocked", OUT_OF_SCOPE]);

async function deadRecords(client: ControlClient): Promise<SyncRecordView[]> {
  const { records } = await client.get<SyncView>("/site/sync?records=attention");
  return records.filter(({ phase }) => DEAD_PHASES.has(phase));
}

/**
 * Runs an action on the given records, or on all dead ones.
 * @throws AppError `usage` for an invalid id; nothing is done then
 */
async function syncRecords(
  { dataDir, site }: Config,
  terminal: Terminal,
  action: SyncAction,
  { json, ...confirmed }: RecordOptions,
  ids: readonly string[],
): Promise<void> {
  if (action === "drop") {
    const question = `Never send to the dispatch centre: ${ids.join(", ")}. Continue?`;
    await confirm(terminal, question, confirmed);
  }
  const { stdout } = terminal;
  const named = ids.map(numberOf);
  const client = new ControlClient(dataDir);
  const wanted = ids.length > 0 ? named : await retriedByDefault(client);
  const left: SyncRecordView[] = [];
  for (const id of wanted) {
    const { records } = await client.post<SyncView>(`/site/sync/${id}/${action}`);
    const found = records.find(({ interventionId }) => interventionId === id);
    if (found) left.push(found);
    if (!json) stdout.write(found ? `${recordText(found, site.timezone)}\n` : `  #${id} ${DONE[action]}\n`);
  }
  if (json) stdout.write(jsonText(left));
  else if (wanted.length === 0) stdout.write("none\n");
}

/** Without those that the centre still has, which would get a second record there. */
async function retriedByDefault(client: ControlClient): Promise<number[]> {
  const records = (await deadRecords(client)).filter(({ phase }) => phase !== OUT_OF_SCOPE);
  return records.map(({ interventionId }) => interventionId);
}

function numberOf(text: string): number {
  const id = text.replace(/^#/, "");
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw new AppError("usage", `${JSON.stringify(text)} is not an intervention id`, {
      hint: "Run santinela sync status to see the ids.",
    });
  return Number(id);
}

const DONE: Readonly<Record<SyncAction, string>> = {
  retry: "is synced",
  drop: "will not be sent; it stays local",
  reassert: "has the local values at the dispatch centre",
};

function syncText({ link, summary, comparison, records, isComplete }: SyncView, timeZone: string): string {
  const { waiting, blocked, rejected, gone, doubtful, oldestWaitingMs } = summary;
  const oldest = oldestWaitingMs === null ? "" : `, the oldest since ${localTime(oldestWaitingMs, timeZone)}`;
  return [
    `link: ${linkText(link, timeZone)}`,
    `queued: ${waiting}${oldest}`,
    `blocked: ${blocked}  rejected: ${rejected}  deleted at the centre or not accessible: ${gone}  unconfirmed: ${doubtful}`,
    ...(link.state === "none" ? [] : comparisonText(comparison, timeZone)),
    ...records.map((record) => recordText(record, timeZone)),
    ...(isComplete
      ? []
      : [`  and more: only the first are listed; \`santinela sync dead\` lists all that need attention`]),
    "",
  ].join("\n");
}

/** Formats the comparison: counts, then one line per difference. */
function comparisonText(comparison: ComparisonView | null, timeZone: string): string[] {
  if (comparison === null) return ["compared: not yet"];
  const { at, here, there, differing, differences } = comparison;
  const counts =
    differing === 0
      ? `${here} = ${there}`
      : `${here} local, ${there} at the dispatch centre, ${differing} differ`;
  const named = differences.map(({ interventionId, upstreamIds, name, text }) => {
    const id = interventionId === null ? "" : `#${interventionId} `;
    const ids = upstreamIds.length === 0 ? "" : ` (dispatch centre #${upstreamIds.join(", #")})`;
    return plainLine(`  ${id}${JSON.stringify(name)}${ids} ${text}`);
  });
  return [`compared ${localTime(at, timeZone)}: ${counts}`, ...named];
}

function linkText({ state, reason, nextAttemptAt, answeredAt }: LinkView, timeZone: string): string {
  if (state === "none") return "none (standalone)";
  if (state === "unknown") return "not used since the start";
  if (state === "up") return `up, last response ${localTime(answeredAt, timeZone)}`;
  // Without a time it is due or under way.
  const next = nextAttemptAt === null ? "now" : localTime(nextAttemptAt, timeZone);
  return plainLine(`down, the dispatch centre ${reason}; next attempt ${next}`);
}

function recordText(record: SyncRecordView, timeZone: string): string {
  const { interventionId, name, phase, text, upstreamId, attempts, nextAttemptAt, lastResponse } = record;
  const there = upstreamId === null ? "" : ` (dispatch centre #${upstreamId})`;
  const failed = attempts === 0 ? "" : `, ${attempts} failed ${attempts === 1 ? "attempt" : "attempts"}`;
  const next = nextAttemptAt ? `, next ${localTime(nextAttemptAt, timeZone)}` : "";
  const last = lastResponse ? `; last: ${lastResponse}` : "";
  return plainLine(
    `  #${interventionId}${there} ${JSON.stringify(name)} ${phase}: ${text}${failed}${next}${last}`,
  );
}

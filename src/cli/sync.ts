import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { plainLine } from "../domain/single-line.ts";
import type { ComparisonView, LinkView, SyncAction, SyncRecordView, SyncView } from "../site/sync-view.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Shows the state of the sync; with `now` after a new attempt. */
export async function syncStatus(
  config: Config,
  { now, json }: { now: boolean; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const client = new ControlClient(config.dataDir);
  const view = now ? await client.post<SyncView>("/site/sync/now") : await client.get<SyncView>("/site/sync");
  stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : syncText(view));
}

/** Shows the records that are not sent without a user's action. */
export async function syncDead(
  config: Config,
  { json }: { json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const dead = await deadRecords(new ControlClient(config.dataDir));
  const lines = dead.length === 0 ? ["none"] : dead.map(recordText);
  stdout.write(json ? `${JSON.stringify(dead, null, 2)}\n` : `${lines.join("\n")}\n`);
}

async function deadRecords(client: ControlClient): Promise<SyncRecordView[]> {
  const { records } = await client.get<SyncView>("/site/sync");
  return records.filter(({ phase }) => phase === "rejected" || phase === "gone" || phase === "blocked");
}

/**
 * Runs an action on the given records, or on all dead ones.
 * @throws AppError `usage` for an invalid id; nothing is done then
 */
export async function syncRecords(
  config: Config,
  { action, ids, json }: { action: SyncAction; ids: readonly string[]; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const named = ids.map(numberOf);
  const client = new ControlClient(config.dataDir);
  const wanted = ids.length > 0 ? named : (await deadRecords(client)).map((record) => record.interventionId);
  const left: SyncRecordView[] = [];
  for (const id of wanted) {
    const { records } = await client.post<SyncView>(`/site/sync/${id}/${action}`);
    const found = records.find(({ interventionId }) => interventionId === id);
    if (found) left.push(found);
    if (!json) stdout.write(found ? `${recordText(found)}\n` : `  #${id} ${DONE[action]}\n`);
  }
  if (json) stdout.write(`${JSON.stringify(left, null, 2)}\n`);
  else if (wanted.length === 0) stdout.write("none\n");
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

function syncText({ link, summary, comparison, records }: SyncView): string {
  const { waiting, blocked, rejected, gone, doubtful, oldestWaitingMs } = summary;
  const oldest =
    oldestWaitingMs === null ? "" : `, the oldest since ${new Date(oldestWaitingMs).toISOString()}`;
  return [
    `link: ${linkText(link)}`,
    `queued: ${waiting}${oldest}`,
    `blocked: ${blocked}  rejected: ${rejected}  deleted at the centre: ${gone}  unconfirmed: ${doubtful}`,
    ...(link.state === "none" ? [] : comparisonText(comparison)),
    ...records.map(recordText),
    "",
  ].join("\n");
}

/** Formats the comparison: counts, then one line per difference. */
function comparisonText(comparison: ComparisonView | null): string[] {
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
  return [`compared ${at}: ${counts}`, ...named];
}

function linkText({ state, reason, nextAttemptAt, answeredAt }: LinkView): string {
  if (state === "none") return "none (standalone)";
  if (state === "unknown") return "not used since the start";
  return state === "up"
    ? `up, last response ${answeredAt}`
    : plainLine(`down, the dispatch centre ${reason}; next attempt ${nextAttemptAt}`);
}

function recordText(record: SyncRecordView): string {
  const { interventionId, name, phase, text, upstreamId, attempts, nextAttemptAt, lastResponse } = record;
  const there = upstreamId === null ? "" : ` (dispatch centre #${upstreamId})`;
  const failed = attempts === 0 ? "" : `, ${attempts} failed ${attempts === 1 ? "attempt" : "attempts"}`;
  const next = nextAttemptAt ? `, next ${nextAttemptAt}` : "";
  const last = lastResponse ? `; last: ${lastResponse}` : "";
  return plainLine(
    `  #${interventionId}${there} ${JSON.stringify(name)} ${phase}: ${text}${failed}${next}${last}`,
  );
}

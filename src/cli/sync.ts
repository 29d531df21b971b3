import type { Config } from "../config/config.ts";
import type { LinkView, SyncRecordView, SyncView } from "../http/site/site-ports.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Shows where the records are on their way to the centre, after a try if one is asked for. */
export async function syncStatus(
  config: Config,
  { now, json }: { now: boolean; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const client = new ControlClient(config.dataDir);
  const view = now ? await client.post<SyncView>("/site/sync/now") : await client.get<SyncView>("/site/sync");
  stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : textOf(view));
}

function textOf({ link, summary, records }: SyncView): string {
  const { waiting, blocked, rejected, gone, oldestWaitingMs } = summary;
  const oldest =
    oldestWaitingMs === null ? "" : `, the oldest since ${new Date(oldestWaitingMs).toISOString()}`;
  return [
    `link: ${linkText(link)}`,
    `waiting: ${waiting}${oldest}`,
    `blocked: ${blocked}  rejected: ${rejected}  gone: ${gone}`,
    ...records.map(recordText),
    "",
  ].join("\n");
}

function linkText({ state, reason, nextTryAt }: LinkView): string {
  if (state === "none") return "none, this daemon stands alone";
  if (state === "unknown") return "nothing sent since the start";
  return state === "up" ? "up" : `down, the centre ${reason}; next try ${nextTryAt}`;
}

function recordText({
  interventionId,
  phase,
  upstreamId,
  attempts,
  nextTryAt,
  lastAnswer,
}: SyncRecordView): string {
  const there = upstreamId === null ? "" : ` (there #${upstreamId})`;
  const tries = attempts === 0 ? "" : `, ${attempts} failed ${attempts === 1 ? "try" : "tries"}`;
  return `  #${interventionId}${there} ${phase}${tries}${nextTryAt ? `, next ${nextTryAt}` : ""}${lastAnswer ? `: ${lastAnswer}` : ""}`;
}

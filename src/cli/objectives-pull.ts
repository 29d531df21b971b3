import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { ObjectiveListView, ObjectivesView } from "../site/sync-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Interval of the progress lines. */
const PROGRESS_INTERVAL_MS = 1_000;

/**
 * Lets the running daemon pull the objective lists of the dispatch centre and prints the result of each.
 * @throws AppError `unavailable` if a list could not be read, `conflict` if one is rejected as implausible
 */
export async function objectivesPull(
  config: Config,
  { acceptRemovals, json }: { acceptRemovals: boolean; json: boolean },
  { stdout, stderr }: Terminal,
  clock: Clock = new SystemClock(),
): Promise<void> {
  const client = new ControlClient(config.dataDir);
  const pulling = client.post<ObjectivesView>(`/site/objectives/${acceptRemovals ? "accept-loss" : "pull"}`);
  const endProgress = showProgress(client, (line) => stderr.write(line), clock);
  const view = await pulling.finally(endProgress);
  stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : view.lists.map(lineOf).join(""));
  const failed = view.lists.find(({ lastAttempt }) => lastAttempt === "failed");
  if (failed) throw new AppError("unavailable", `${failed.type} could not be read: ${failed.reason}`);
  const rejected = view.lists.find(({ lastAttempt }) => lastAttempt === "rejected");
  if (rejected)
    throw new AppError("conflict", `${rejected.type} was rejected as implausible: ${rejected.reason}`, {
      hint: "If the dispatch centre's list is correct, repeat with --accept-removals.",
    });
}

function lineOf({ type, objectives, readAt, lastAttempt }: ObjectiveListView): string {
  if (lastAttempt === "accepted") return `${type}: ${objectives} objectives\n`;
  const copy = readAt === null ? "no local copy" : `the local copy of ${readAt} stays in use`;
  return `${type}: ${lastAttempt}; ${copy}\n`;
}

/** @returns stops the progress lines */
function showProgress(client: ControlClient, write: (line: string) => void, clock: Clock): () => void {
  let isOver = false;
  let cancel = (): void => {};
  const poll = async (): Promise<void> => {
    // The pull itself reports the same error.
    const view = await client.get<ObjectivesView>("/site/objectives").catch(() => undefined);
    if (isOver) return;
    if (view?.reading) write(`${view.reading.type}: ${view.reading.read} read\n`);
    cancel = clock.after(PROGRESS_INTERVAL_MS, () => void poll());
  };
  cancel = clock.after(PROGRESS_INTERVAL_MS, () => void poll());
  return () => {
    isOver = true;
    cancel();
  };
}

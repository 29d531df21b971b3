import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { ObjectiveListView, ObjectivesView } from "../http/site/objective-port.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** So often a person is told how far it is. */
const PROGRESS_EVERY_MS = 1_000;

/**
 * Has the running daemon read the centre's lists of objectives, and tells what became of each.
 * @throws AppError `unavailable` when a list could not be read, `conflict` when one is not believed
 */
export async function objectivesPull(
  config: Config,
  { acceptLoss, json }: { acceptLoss: boolean; json: boolean },
  { stdout, stderr }: Terminal,
  clock: Clock = new SystemClock(),
): Promise<void> {
  const client = new ControlClient(config.dataDir);
  const pulling = client.post<ObjectivesView>(`/site/objectives/${acceptLoss ? "accept-loss" : "pull"}`);
  const endProgress = tellProgress(client, (line) => stderr.write(line), clock);
  const view = await pulling.finally(endProgress);
  stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : view.lists.map(lineOf).join(""));
  const failed = view.lists.find(({ lastAttempt }) => lastAttempt === "failed");
  if (failed) throw new AppError("unavailable", `${failed.type} could not be read: ${failed.reason}`);
  const refused = view.lists.find(({ lastAttempt }) => lastAttempt === "refused");
  if (refused)
    throw new AppError("conflict", `${refused.type} is not believed: ${refused.reason}`, {
      hint: "If the centre's list is right, repeat with --accept-loss.",
    });
}

function lineOf({ type, objectives, readAt, lastAttempt }: ObjectiveListView): string {
  if (lastAttempt === "taken") return `${type}: ${objectives} objectives\n`;
  const copy = readAt === null ? "there is no copy of it" : `the copy of ${readAt} stays in use`;
  return `${type}: ${lastAttempt}; ${copy}\n`;
}

/** @returns what ends it */
function tellProgress(client: ControlClient, write: (line: string) => void, clock: Clock): () => void {
  let isOver = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    // What goes wrong here goes wrong for the pull too, which says so.
    const view = await client.get<ObjectivesView>("/site/objectives").catch(() => undefined);
    if (isOver) return;
    if (view?.reading) write(`${view.reading.type}: ${view.reading.read} read\n`);
    cancel = clock.after(PROGRESS_EVERY_MS, () => void look());
  };
  cancel = clock.after(PROGRESS_EVERY_MS, () => void look());
  return () => {
    isOver = true;
    cancel();
  };
}

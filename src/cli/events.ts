import type { Config } from "../config/config.ts";
import type { JournalEntry } from "../http/site/site-ports.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the newest entries of the event log and the newest trips, the newest last as in any log. */
export async function showEvents(
  config: Config,
  { limit, json }: { limit: number; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const client = new ControlClient(config.dataDir);
  const entries = await client.get<JournalEntry[]>(`/site/journal?limit=${limit}`);
  const oldestFirst = entries.toReversed();
  stdout.write(json ? `${JSON.stringify(oldestFirst, null, 2)}\n` : oldestFirst.map(lineOf).join(""));
}

/** One line, read in one direction, whatever somebody wrote into a name: what would break or turn it is lost here. */
function lineOf({ at, event, who, from, subject, detail }: JournalEntry): string {
  const words = [at, event, who, `(${from})`, subject, JSON.stringify(detail)];
  return `${words
    .filter((word) => word !== "" && word !== "{}")
    .join("  ")
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, "�")}\n`;
}

import type { LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import type { ReloadView } from "../site/administration-view.ts";
import type { JsonOption } from "./command-group.ts";
import { askRunningDaemon, possibleDaemons } from "./running-daemon.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/**
 * Reloads the configuration of the running daemon and prints the changes.
 * @throws AppError `configuration` with the errors, nothing changes then; `usage` for a centre on PostgreSQL; as `askRunningDaemon`
 */
export async function reload(from: LoadOptions, terminal: Terminal, { json }: JsonOption): Promise<void> {
  const { stdout, stderr } = terminal;
  const possible = possibleDaemons(from, terminal);
  if (possible.config && possible.config.database !== null)
    throw new AppError(
      "usage",
      "a centre on PostgreSQL applies a changed configuration only after a restart",
      {
        hint: "Run santinela check-config --centre, then systemctl restart santinela-centre.",
      },
    );
  // The daemon reads the file itself, and its response has the errors.
  const { answer: view } = await askRunningDaemon(possible, (client) =>
    client.post<ReloadView>("/site/reload"),
  );
  if (json) return void stdout.write(jsonText(view));
  for (const warning of view.warnings) stderr.write(`warning: ${warning}\n`);
  const { added, removed, changed } = view.zones;
  const lines = [
    ["zones added", added],
    ["zones removed", removed],
    ["zones changed", changed],
    ["options applied", view.applied],
    ["options that need a restart", view.needsRestart],
  ] as const;
  const changes = lines.filter(([, names]) => names.length > 0);
  if (changes.length === 0) stdout.write("the configuration is unchanged\n");
  for (const [label, names] of changes) stdout.write(`${label}: ${names.join(", ")}\n`);
}

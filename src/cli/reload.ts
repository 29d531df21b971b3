import type { Config } from "../config/config.ts";
import type { ReloadView } from "../site/administration-view.ts";
import { ControlClient } from "./control-client.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Reloads the configuration of the running daemon and prints the changes.
 * @throws AppError `configuration` with the errors, nothing changes then; as `ControlClient`
 */
export async function reload(
  { dataDir }: Pick<Config, "dataDir">,
  { json }: { readonly json: boolean },
  { stdout, stderr }: Terminal,
): Promise<void> {
  const view = await new ControlClient(dataDir).post<ReloadView>("/site/reload");
  if (json) {
    stdout.write(`${JSON.stringify(view, null, 2)}\n`);
    return;
  }
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

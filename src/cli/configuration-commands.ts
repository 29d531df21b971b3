import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { ReloadView } from "../site/administration-view.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** `init`, `serve`, `centre`, `reload`, `check-config`, `safe-mode`, `config show` and `support-bundle`. */
export function addConfigurationCommands(root: CommandGroup): void {
  root
    .addUnloaded("serve", "run the daemon in the foreground", async () => (await import("./serve.ts")).serve)
    .option("--json", "write the log as JSON even to a terminal (a pipe or journald always gets JSON)");
  root.addUnloaded(
    "centre",
    "run a dispatch centre in the foreground, on SQLite or PostgreSQL",
    async () => (await import("./centre.ts")).centre,
  );
  root
    .add(
      "migrate",
      "bring the schema of a dispatch centre's PostgreSQL up to date, as each start does",
      async () => (await import("./migrate.ts")).migrateDatabase,
    )
    .option(
      "--from-sqlite <directory>",
      "also move a stopped dispatch centre from SQLite, given its data directory; the database must be empty",
    );
  root
    .add(
      "reload",
      "apply the changed configuration file in the running daemon, without a restart",
      () => reload,
    )
    .option("--json", "print JSON");
  root
    .addUnloaded(
      "check-config",
      "check the configuration and explain each error",
      async () => (await import("./configuration.ts")).checkConfig,
    )
    .option(
      "--try-centre",
      "also sign in at the dispatch centre, look up the zones' objectives, and test it with records that are removed again",
    )
    .option(
      "--centre",
      "check the configuration of a dispatch centre, and whether it can start on its PostgreSQL",
    )
    .option("--offline", "with --centre: do not connect to PostgreSQL")
    .option("--json", "print JSON, including the errors");
  root.addUnloaded(
    "safe-mode",
    "serve a page with the configuration errors when the daemon cannot start",
    async () => (await import("./safe-mode.ts")).safeMode,
  );
  root
    .group("config", "the configuration in force")
    .addUnloaded(
      "show",
      "print every option in force, defaults included",
      async () => (await import("./configuration.ts")).showConfig,
    )
    .option("--sources", "print the source of each option: file:line:col, environment or default")
    .option("--json", "print JSON, always with sources");
  root
    .addUnloaded(
      "support-bundle",
      "create a support bundle without secrets",
      async () => (await import("./support-bundle.ts")).supportBundle,
    )
    .option(
      "--out <file>",
      "the archive (default: santinela-support-<site>-<time>.tar.gz in the current directory)",
    );
}

/** `init`, which creates the configuration. */
export function addInitCommand(root: Command, terminal: Terminal): void {
  root
    .command("init")
    .description("create a configuration interactively and test the first zone")
    .option("--config <file>", "the file to create (default: where the daemon looks for it)")
    .option("--from <file>", "read the answers from a file instead of prompting")
    .option("--template", "print a template for --from")
    .option("--dry-run", "print the configuration and write nothing")
    .option("--force", "overwrite existing files")
    .action(async (options: object) => (await import("./init/init.ts")).init(terminal, options));
}

/**
 * Reloads the configuration of the running daemon and prints the changes.
 * @throws AppError `configuration` with the errors, nothing changes then; `usage` for a centre on PostgreSQL; as `ControlClient`
 */
async function reload(
  { dataDir, database }: Config,
  { stdout, stderr }: Terminal,
  { json }: JsonOption,
): Promise<void> {
  if (database !== null)
    throw new AppError(
      "usage",
      "a centre on PostgreSQL applies a changed configuration only after a restart",
      {
        hint: "Run santinela check-config --centre, then systemctl restart santinela-centre.",
      },
    );
  const view = await new ControlClient(dataDir).post<ReloadView>("/site/reload");
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

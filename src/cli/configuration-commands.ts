import type { Command } from "commander";
import type { CommandGroup } from "./command-group.ts";
import type { Terminal } from "./terminal.ts";

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
    .addUnloaded(
      "reload",
      "apply the changed configuration file without a restart; needs a running daemon",
      async () => (await import("./reload.ts")).reload,
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
      "the archive (default: santinela-support-<site>-<time>.tar.gz in the current directory, or in dataDir if that cannot be written)",
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

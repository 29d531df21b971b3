import type { Command } from "commander";
import { load, loadStrictly, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `init`, `serve`, `reload`, `check-config`, `safe-mode`, `config show` and `support-bundle`. */
export function addConfigurationCommands(root: Command, terminal: Terminal): void {
  addInitCommand(root, terminal);
  withConfig(root.command("serve").description("run the daemon in the foreground")).action(
    async ({ config }: ConfigOption) => {
      const { serve } = await import("./serve.ts");
      await serve(config, terminal);
    },
  );
  withConfig(
    root
      .command("reload")
      .description("apply the changed configuration file in the running daemon, without a restart"),
  )
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { reload } = await import("./reload.ts");
      await reload(await load(terminal, config), { json: json === true }, terminal);
    });
  withConfig(root.command("check-config").description("check the configuration and explain each error"))
    .option(
      "--try-centre",
      "also sign in at the dispatch centre, look up the zones' objectives, and test it with records that are removed again",
    )
    .option("--json", "print JSON, including the errors")
    .action(async ({ config, tryCentre, json }: ConfigOption & { tryCentre?: boolean; json?: boolean }) => {
      const { checkConfig } = await import("./check-config.ts");
      const options = { json: json === true, tryCentre: tryCentre === true };
      await checkConfig(() => loadStrictly(terminal, config), options, terminal);
    });
  withConfig(
    root
      .command("safe-mode")
      .description("serve a page with the configuration errors when the daemon cannot start"),
  ).action(async ({ config: file }: ConfigOption) => {
    const { safeMode } = await import("./safe-mode.ts");
    await safeMode(file, terminal);
  });
  const config = root.command("config").description("the configuration in force");
  withConfig(config.command("show").description("print every option in force, defaults included"))
    .option("--sources", "print the source of each option: file:line:col, environment or default")
    .option("--json", "print JSON, always with sources")
    .action(async ({ config: file, sources, json }: ConfigOption & { sources?: boolean; json?: boolean }) => {
      const { showConfig } = await import("./config-show.ts");
      const { env, cwd } = terminal;
      showConfig({ file, env, cwd }, { sources: sources === true, json: json === true }, terminal);
    });
  withConfig(root.command("support-bundle").description("create a support bundle without secrets"))
    .option(
      "--out <file>",
      "the archive (default: santinela-support-<site>-<time>.tar.gz in the current directory)",
    )
    .action(async ({ config: file, out }: ConfigOption & { out?: string }) => {
      const { supportBundle } = await import("./support-bundle.ts");
      await supportBundle({ file, env: terminal.env, cwd: terminal.cwd }, { out }, terminal);
    });
}

function addInitCommand(root: Command, terminal: Terminal): void {
  root
    .command("init")
    .description("create a configuration interactively and test the first zone")
    .option("--config <file>", "the file to create (default: where the daemon looks for it)")
    .option("--from <file>", "read the answers from a file instead of prompting")
    .option("--template", "print a template for --from")
    .option("--dry-run", "print the configuration and write nothing")
    .option("--force", "overwrite existing files")
    .action(async (flags: InitFlags) => {
      const { init, answersTemplate } = await import("./init/init.ts");
      if (flags.template === true) {
        terminal.stdout.write(answersTemplate());
        return;
      }
      const { config, from, dryRun, force } = flags;
      await init({ config, from, dryRun: dryRun === true, force: force === true }, terminal);
    });
}

interface InitFlags extends ConfigOption {
  readonly from?: string;
  readonly template?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

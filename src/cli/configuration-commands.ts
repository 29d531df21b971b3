import type { Command } from "commander";
import { load, loadStrictly, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** Running with a configuration, looking at it, and gathering what helps when something is wrong. */
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
      .description("have the running daemon take its configuration file as it is now, without a restart"),
  )
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { reload } = await import("./reload.ts");
      await reload(await load(terminal, config), { json: json === true }, terminal);
    });
  withConfig(root.command("check-config").description("check the configuration and explain every mistake"))
    .option(
      "--try-centre",
      "also sign in at the centre, look for the zones' objectives, and try it with test records, which are removed",
    )
    .option("--json", "print JSON, the mistakes too")
    .action(async ({ config, tryCentre, json }: ConfigOption & { tryCentre?: boolean; json?: boolean }) => {
      const { checkConfig } = await import("./check-config.ts");
      const options = { json: json === true, tryCentre: tryCentre === true };
      await checkConfig(() => loadStrictly(terminal, config), options, terminal);
    });
  withConfig(
    root
      .command("safe-mode")
      .description("serve a page that names the configuration's mistakes, where the daemon cannot start"),
  ).action(async ({ config: file }: ConfigOption) => {
    const { safeMode } = await import("./safe-mode.ts");
    await safeMode(file, terminal);
  });
  const config = root.command("config").description("the configuration in force");
  withConfig(config.command("show").description("print every option in force, defaults included"))
    .option("--sources", "say where each one comes from: file:line:col, environment or default")
    .option("--json", "print JSON, always with the sources")
    .action(async ({ config: file, sources, json }: ConfigOption & { sources?: boolean; json?: boolean }) => {
      const { showConfig } = await import("./config-show.ts");
      const { env, cwd } = terminal;
      showConfig({ file, env, cwd }, { sources: sources === true, json: json === true }, terminal);
    });
  withConfig(
    root
      .command("support-bundle")
      .description("gather what somebody who helps asks for, without secrets, in one file"),
  )
    .option("--out <file>", "the archive; else santinela-support-<site>-<time>.tar.gz in this folder")
    .action(async ({ config: file, out }: ConfigOption & { out?: string }) => {
      const { supportBundle } = await import("./support-bundle.ts");
      await supportBundle({ file, env: terminal.env, cwd: terminal.cwd }, { out }, terminal);
    });
}

function addInitCommand(root: Command, terminal: Terminal): void {
  root
    .command("init")
    .description("make a first configuration out of a few answers, and test its first zone")
    .option("--config <file>", "the file to make (else where the daemon looks for it)")
    .option("--from <file>", "take the answers from a file instead of asking")
    .option("--questions", "print what is asked, as a file of answers to be filled in")
    .option("--dry-run", "print the configuration and write nothing")
    .option("--force", "replace what is there")
    .action(async (flags: InitFlags) => {
      const { init, questionList } = await import("./init/init.ts");
      if (flags.questions === true) {
        terminal.stdout.write(questionList());
        return;
      }
      const { config, from, dryRun, force } = flags;
      await init({ config, from, dryRun: dryRun === true, force: force === true }, terminal);
    });
}

interface InitFlags extends ConfigOption {
  readonly from?: string;
  readonly questions?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

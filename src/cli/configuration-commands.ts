import type { Command } from "commander";
import { loadStrictly, loadToRun, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `serve` and `check-config`: running with a configuration, and looking at it. */
export function addConfigurationCommands(root: Command, terminal: Terminal): void {
  withConfig(root.command("serve").description("run the daemon in the foreground")).action(
    async ({ config }: ConfigOption) => {
      const { serve } = await import("./serve.ts");
      await serve(await loadToRun(terminal, config), terminal);
    },
  );
  withConfig(
    root.command("check-config").description("check the configuration and explain every mistake"),
  ).action(async ({ config }: ConfigOption) => {
    const { checkConfig } = await import("./check-config.ts");
    checkConfig(await loadStrictly(terminal, config), terminal);
  });
}

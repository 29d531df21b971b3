import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import type { EffectiveConfiguration } from "../config/last-good.ts";
import type { Terminal } from "./terminal.ts";

/** The option of nearly every command. */
export interface ConfigOption {
  readonly config?: string;
}

export function withConfig(command: Command): Command {
  return command.option(
    "--config <file>",
    "configuration file (default: $SANTINELA_CONFIG, /etc/santinela/santinela.yaml, the user's configuration)",
  );
}

/**
 * Loads the configuration. If it is invalid, uses the last good configuration, as the running daemon does.
 * @throws AppError as `configurationToRun`
 */
export async function load(terminal: Terminal, file: string | undefined): Promise<Config> {
  const { config, fault } = await loadToRun(terminal, file);
  if (fault !== null) terminal.stderr.write(`${fault}\nUsing the last good configuration.\n`);
  return config;
}

/** As `load`, with the error of the file. */
async function loadToRun(terminal: Terminal, file: string | undefined): Promise<EffectiveConfiguration> {
  const { configurationToRun } = await import("../config/last-good.ts");
  return configurationToRun({ file, env: terminal.env, cwd: terminal.cwd });
}

/** Loads the configuration from the file only. @throws AppError as `loadConfiguration` */
export async function loadStrictly(terminal: Terminal, file: string | undefined): Promise<Config> {
  const { loadConfiguration } = await import("../config/load.ts");
  return loadConfiguration({ file, env: terminal.env, cwd: terminal.cwd });
}

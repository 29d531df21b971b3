import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import type { EffectiveConfiguration } from "../config/last-good.ts";
import type { Terminal } from "./terminal.ts";

/** The option that nearly every command has. */
export interface ConfigOption {
  readonly config?: string;
}

export function withConfig(command: Command): Command {
  return command.option(
    "--config <file>",
    "configuration file (else $SANTINELA_CONFIG, /etc/santinela/santinela.yaml, the user's own)",
  );
}

/**
 * The configuration that the option names; with mistakes in it, its last good copy, because that is what the daemon
 * runs with and what a command must find it by.
 * @throws AppError as `configurationToRun`
 */
export async function load(terminal: Terminal, file: string | undefined): Promise<Config> {
  const { config, fault } = await loadToRun(terminal, file);
  if (fault !== null) terminal.stderr.write(`${fault}\nUsing the last good copy of the configuration.\n`);
  return config;
}

/** As `load`, with what the daemon itself needs to know of the file. */
async function loadToRun(terminal: Terminal, file: string | undefined): Promise<EffectiveConfiguration> {
  const { configurationToRun } = await import("../config/last-good.ts");
  return configurationToRun({ file, env: terminal.env, cwd: terminal.cwd });
}

/** The configuration as it stands in the file. @throws AppError as `loadConfiguration` */
export async function loadStrictly(terminal: Terminal, file: string | undefined): Promise<Config> {
  const { loadConfiguration } = await import("../config/load.ts");
  return loadConfiguration({ file, env: terminal.env, cwd: terminal.cwd });
}

import type { Command } from "commander";
import type { Config } from "../config/config.ts";
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

/** Reads the configuration that the option names. @throws AppError as `loadConfiguration` */
export async function load(terminal: Terminal, file: string | undefined): Promise<Config> {
  const { loadConfiguration } = await import("../config/load.ts");
  return loadConfiguration({ file, env: terminal.env, cwd: terminal.cwd });
}

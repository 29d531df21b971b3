import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { SYSTEM_FILE, SYSTEM_FILE_OF_CENTRE } from "../config/data-directories.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import { noticeEmbedded } from "./embedded-notice.ts";
import type { Terminal } from "./terminal.ts";

/** The option of every command that reads. */
export interface JsonOption {
  readonly json?: boolean;
}

/** @throws AppError `usage` if the text is not a number of seconds */
export function secondsOption(option: string, text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new AppError("usage", `${option} takes seconds, 0 to 999, not ${text}`);
  return Number(text);
}

/**
 * The code of a command.
 * @param options as declared on the command
 * @param values its arguments, in the order of their declaration
 */
type Action<Input, Options, Values extends readonly unknown[]> = (
  input: Input,
  terminal: Terminal,
  options: Options,
  ...values: Values
) => void | Promise<void>;

/** Returns the code of a command when it runs, so that `version` does not load Express. */
type Load<Code> = () => Code | Promise<Code>;

/** Loads the configuration; if it is invalid, the last good one, as the running daemon does. */
export async function configOf(from: LoadOptions, terminal: Terminal): Promise<Config> {
  const { stderr } = terminal;
  const { configurationToRun } = await import("../config/last-good.ts");
  const { config, fault } = configurationToRun(from);
  noticeEmbedded(config, terminal);
  if (fault !== null) stderr.write(`${fault}\nUsing the last good configuration.\n`);
  return config;
}

/** Adds subcommands to a command. */
export class CommandGroup {
  readonly #parent: Command;
  readonly #terminal: Terminal;

  constructor(parent: Command, terminal: Terminal) {
    this.#parent = parent;
    this.#terminal = terminal;
  }

  /** Adds a command that only has subcommands. */
  group(name: string, description: string): CommandGroup {
    return new CommandGroup(this.#parent.command(name).description(description), this.#terminal);
  }

  /** The subcommands of a command that also runs by itself. */
  below(command: Command): CommandGroup {
    return new CommandGroup(command, this.#terminal);
  }

  /**
   * Adds a command that needs the configuration. If that is invalid, it uses the last good configuration, as the running
   * daemon does.
   */
  add<Options, Values extends readonly unknown[]>(
    name: string,
    description: string,
    load: Load<Action<Config, Options, Values>>,
  ): Command {
    return this.#addLoaded(name, description, load, async () => ({}));
  }

  /** Adds a command that needs the configuration without its passwords: those that only the service has are not missing. */
  addWithoutPasswords<Options, Values extends readonly unknown[]>(
    name: string,
    description: string,
    load: Load<Action<Config, Options, Values>>,
  ): Command {
    return this.#addLoaded(name, description, load, async () => {
      const { isCredentialOfService } = await import("../config/service-credentials.ts");
      return { isElsewhere: isCredentialOfService };
    });
  }

  #addLoaded<Options, Values extends readonly unknown[]>(
    name: string,
    description: string,
    load: Load<Action<Config, Options, Values>>,
    more: () => Promise<Pick<LoadOptions, "isElsewhere">>,
  ): Command {
    return this.addUnloaded<Options, Values>(name, description, () => {
      return async (found, terminal, options, ...values) => {
        const from = { ...found, ...(await more()) };
        const config = await configOf(from, terminal);
        const run = await load();
        try {
          await run(config, terminal, options, ...values);
        } catch (error) {
          const { explained } = await import("./running-daemon.ts");
          throw await explained(error, from, config);
        }
      };
    });
  }

  /** Adds a command that loads the configuration itself. */
  addUnloaded<Options, Values extends readonly unknown[]>(
    name: string,
    description: string,
    load: Load<Action<LoadOptions, Options, Values>>,
  ): Command {
    const { env, cwd } = this.#terminal;
    const file = name === "centre" ? SYSTEM_FILE_OF_CENTRE : SYSTEM_FILE;
    const command = this.#parent
      .command(name)
      .description(description)
      .option(
        "--config <file>",
        `configuration file (default: $SANTINELA_CONFIG, ${file}, the user's configuration)`,
      );
    return command.action(async () => {
      const options = command.optsWithGlobals<Options & { readonly config?: string }>();
      const run = await load();
      // The parser fills in the arguments that the command declares.
      const values = command.processedArgs as unknown as Values;
      await run({ file: options.config, env, cwd }, this.#terminal, options, ...values);
    });
  }
}

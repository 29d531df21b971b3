import type { Command } from "commander";

/** A command as plain data, for completion and the reference page. */
export interface CommandNode {
  /** Command words after the program's name; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** For example `[options] <file>`. */
  readonly usage: string;
  readonly options: readonly OptionNode[];
  readonly arguments: readonly ArgumentNode[];
  readonly commands: readonly CommandNode[];
  /** Help text below the options, such as an example. */
  readonly after: string;
}

interface OptionNode {
  /** As in the help, for example `--config <file>`. */
  readonly flags: string;
  /** The long name, for example `--config`. */
  readonly name: string;
  readonly description: string;
  /** Name of its value; null for a flag. */
  readonly value: string | null;
  readonly isRequired: boolean;
  readonly fallback: string | null;
}

interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  /** Allowed values; empty for any. */
  readonly choices: readonly string[];
}

/**
 * Reads a command and its subcommands.
 * @param path its command words
 * @param textAfter gives the text at the end of a command's help
 */
export function commandTree(
  command: Command,
  textAfter: (path: string) => string,
  path: readonly string[] = [],
): CommandNode {
  return {
    path,
    description: command.description(),
    usage: command.usage(),
    options: command.options.map(({ flags, long, description, required, mandatory, defaultValue }) => ({
      flags,
      name: long ?? flags,
      description,
      value: required ? (/<(.+)>/.exec(flags)?.[1] ?? "value") : null,
      isRequired: mandatory,
      fallback: typeof defaultValue === "string" ? defaultValue : null,
    })),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      choices: argument.argChoices ?? [],
    })),
    commands: command.commands.map((inner) => commandTree(inner, textAfter, [...path, inner.name()])),
    after: textAfter(path.join(" ")),
  };
}

/** A command and all its subcommands, parents first. */
export function allCommands(command: CommandNode): CommandNode[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

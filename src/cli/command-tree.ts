import type { Command } from "commander";

/** A command as completion and the reference page see it: plain data, read from the program's own tree. */
export interface CommandShape {
  /** The words behind the program's name; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** Such as `[options] <file>`. */
  readonly usage: string;
  readonly options: readonly OptionShape[];
  readonly arguments: readonly ArgumentShape[];
  readonly commands: readonly CommandShape[];
  /** What its help adds below the options, such as an example. */
  readonly after: string;
}

export interface OptionShape {
  /** As written in the help, such as `--config <file>`. */
  readonly flags: string;
  /** The long name, such as `--config`. */
  readonly name: string;
  readonly description: string;
  /** Name of the value it takes; null for a switch. */
  readonly value: string | null;
  readonly isRequired: boolean;
  readonly fallback: string | null;
}

export interface ArgumentShape {
  readonly name: string;
  readonly description: string;
  /** The words it may be; empty when it may be any. */
  readonly choices: readonly string[];
}

/**
 * Reads a command and everything below it.
 * @param path the words that lead to it
 * @param textAfter what the help of a command adds at its end
 */
export function shapeOf(
  command: Command,
  textAfter: (path: string) => string,
  path: readonly string[] = [],
): CommandShape {
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
    commands: command.commands.map((inner) => shapeOf(inner, textAfter, [...path, inner.name()])),
    after: textAfter(path.join(" ")),
  };
}

/** A command and all below it, the outer ones first. */
export function everyCommand(shape: CommandShape): CommandShape[] {
  return [shape, ...shape.commands.flatMap(everyCommand)];
}

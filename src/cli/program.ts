import { Argument, Command, CommanderError } from "commander";
import { AppError } from "../domain/errors.ts";
import { VERSION } from "../generated/version.ts";
import { addAccessCommands } from "./access-commands.ts";
import { completionScript, SHELLS, type Shell } from "./completion.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import { withCurrentNames } from "./deprecated-names.ts";
import { commandTree, type CommandNode } from "./command-tree.ts";
import { addConfigurationCommands } from "./configuration-commands.ts";
import { EXIT_USAGE, exitCodeOf, EXIT_OK } from "./exit-codes.ts";
import { addGpioCommands } from "./gpio-commands.ts";
import { addSyncCommands } from "./sync-commands.ts";
import { addStorageCommands } from "./storage-commands.ts";
import { addMqttCommands } from "./mqtt-commands.ts";
import { addHelp, textAfter } from "./help.ts";
import { addSiteCommands } from "./site-commands.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs one command line.
 * @param argv the arguments after the program's name
 * @returns the exit code
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Read before the tree is built, so that it applies to every command.
    const noInput = argv.includes("--no-input");
    const current = withCurrentNames(argv, (line) => void terminal.stderr.write(`${line}\n`));
    await program({ ...terminal, noInput }).parseAsync(current, { from: "user" });
    return EXIT_OK;
  } catch (error) {
    // commander has already written its message or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    terminal.stderr.write(`${errorText(error)}\n`);
    return exitCodeOf(error);
  }
}

/** Message and hint of an error; internal errors include their stack. */
function errorText(error: unknown): string {
  if (error instanceof AppError) return error.hint ? `${error.message}\n${error.hint}` : error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The whole command tree as plain data. */
export function programTree(terminal: Terminal): CommandNode {
  return commandTree(program(terminal), textAfter);
}

/** Builds the command tree. Each command imports its code when it runs, so that `version` does not load Express. */
function program(terminal: Terminal): Command {
  const { stdout } = terminal;
  const root = new Command("santinela").description(
    "Edge daemon for alarm panels: every trip becomes exactly one intervention at the dispatch centre.",
  );
  root
    .version(VERSION, "--version", "print the version")
    .option("--no-input", "never prompt; fail if input is needed")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });

  addConfigurationCommands(root, terminal);
  addAccessCommands(root, terminal);
  addObjectiveCommands(root, terminal);
  addSiteCommands(root, terminal);
  addSyncCommands(root, terminal);
  addMqttCommands(root, terminal);
  addStorageCommands(root, terminal);
  addGpioCommands(root, terminal);
  withConfig(root.command("openapi").description("print the OpenAPI document of the API")).action(
    async ({ config }: ConfigOption) => {
      const { openApi } = await import("./openapi.ts");
      openApi(await load(terminal, config), terminal);
    },
  );
  root
    .command("demo")
    .description("run a demo: site and dispatch centre, trips, a link outage and recovery")
    .action(async () => {
      const { demo } = await import("./demo.ts");
      await demo(terminal);
    });
  addCompletionCommand(root, terminal);
  root
    .command("version")
    .description("print the version")
    .action(() => void stdout.write(`${VERSION}\n`));
  addHelp(root);
  return root;
}

function addObjectiveCommands(root: Command, terminal: Terminal): void {
  const objectives = root
    .command("objectives")
    .description("the buildings, assets and people that interventions are tied to");
  withConfig(objectives.command("list").description("list the objectives; needs a running daemon"))
    .option("--type <type>", "obiective/cladiri, obiective/bunuri or obiective/persoane")
    .option("--json", "print JSON in the format of objectives import")
    .action(async ({ config, type, json }: ConfigOption & { type?: string; json?: boolean }) => {
      const { objectivesList } = await import("./objectives.ts");
      await objectivesList(await load(terminal, config), { type, json: json === true }, terminal);
    });
  withConfig(
    objectives
      .command("pull")
      .description("pull the objective lists of the dispatch centre now; needs a running daemon"),
  )
    .option("--accept-removals", "accept a list even if most of its objectives were removed")
    .option("--json", "print JSON")
    .action(async (options: ConfigOption & { acceptRemovals?: boolean; json?: boolean }) => {
      const { objectivesPull } = await import("./objectives-pull.ts");
      const { acceptRemovals = false, json = false } = options;
      await objectivesPull(await load(terminal, options.config), { acceptRemovals, json }, terminal);
    });
  withConfig(objectives.command("import").description("add or replace objectives from a JSON file"))
    .argument("<file>", '{ "obiective/cladiri": [ { "id": 12, "name": "Hala Nord" } ] }')
    .action(async (file: string, { config }: ConfigOption) => {
      const { objectivesImport } = await import("./objectives.ts");
      objectivesImport(await load(terminal, config), file, terminal);
    });
}

function addCompletionCommand(root: Command, { stdout }: Terminal): void {
  root
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action((shell: Shell) => void stdout.write(completionScript(shell, commandTree(root, textAfter))));
}

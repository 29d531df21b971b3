import { Argument, Command, CommanderError } from "commander";
import { AppError } from "../domain/errors.ts";
import { VERSION } from "../generated/version.ts";
import { addAccessCommands } from "./access-commands.ts";
import { completionScript, SHELLS, type Shell } from "./completion.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import { shapeOf, type CommandShape } from "./command-tree.ts";
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
 * @param argv the words behind the program's name
 * @returns the exit code
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    // Known before the tree is built, so that no command can forget to look at it.
    const noInput = argv.includes("--no-input");
    await program({ ...terminal, noInput }).parseAsync(argv, { from: "user" });
    return EXIT_OK;
  } catch (error) {
    // commander has already written its message or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    terminal.stderr.write(`${textOf(error)}\n`);
    return exitCodeOf(error);
  }
}

/** What a person is told; our own defects come with their stack. */
function textOf(error: unknown): string {
  if (error instanceof AppError) return error.hint ? `${error.message}\n${error.hint}` : error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The program's whole tree as plain data. */
export function programShape(terminal: Terminal): CommandShape {
  return shapeOf(program(terminal), textAfter);
}

/** Each command imports what it needs when it runs: `version` loads neither Express nor SQLite. */
function program(terminal: Terminal): Command {
  const { stdout } = terminal;
  const root = new Command("santinela").description(
    "Edge daemon for alarm panels: every trip becomes exactly one intervention at the dispatch centre.",
  );
  root
    .version(VERSION, "--version", "print the version")
    .option("--no-input", "never ask anything; fail where an answer would be needed")
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
  withConfig(root.command("openapi").description("print the OpenAPI document of the interface")).action(
    async ({ config }: ConfigOption) => {
      const { openApi } = await import("./openapi.ts");
      openApi(await load(terminal, config), terminal);
    },
  );
  root
    .command("demo")
    .description("tell the whole story: site and centre, trips, the link cut and mended")
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
  const objectives = root.command("objectives").description("what interventions attach to");
  withConfig(objectives.command("list").description("list the objectives; needs the running daemon"))
    .option("--type <type>", "obiective/cladiri, obiective/bunuri or obiective/persoane")
    .option("--json", "print JSON, in the shape that import takes")
    .action(async ({ config, type, json }: ConfigOption & { type?: string; json?: boolean }) => {
      const { objectivesList } = await import("./objectives.ts");
      await objectivesList(await load(terminal, config), { type, json: json === true }, terminal);
    });
  withConfig(
    objectives.command("pull").description("read the centre's objectives now; needs the running daemon"),
  )
    .option("--accept-loss", "take a list also when most of what it had is missing")
    .option("--json", "print JSON")
    .action(async (options: ConfigOption & { acceptLoss?: boolean; json?: boolean }) => {
      const { objectivesPull } = await import("./objectives-pull.ts");
      const { acceptLoss = false, json = false } = options;
      await objectivesPull(await load(terminal, options.config), { acceptLoss, json }, terminal);
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
    .action((shell: Shell) => void stdout.write(completionScript(shell, shapeOf(root, textAfter))));
}

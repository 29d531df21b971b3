import { Argument, Command, CommanderError } from "commander";
import { AppError } from "../domain/errors.ts";
import { plainLines } from "../domain/single-line.ts";
import { VERSION } from "../generated/version.ts";
import type { Config } from "../config/config.ts";
import { addAccessCommands } from "./access-commands.ts";
import { CommandGroup } from "./command-group.ts";
import { commandTree, type CommandNode } from "./command-tree.ts";
import { completionScript } from "./completion.ts";
import { addConfigurationCommands, addInitCommand } from "./configuration-commands.ts";
import type { DemoOptions } from "./demo/demo.ts";
import { withCurrentNames } from "./deprecated-names.ts";
import { addDc09Commands } from "./dc09.ts";
import { addEventCommands } from "./events.ts";
import { EXIT_USAGE, exitCodeOf, EXIT_OK } from "./exit-codes.ts";
import { addFieldTestCommands } from "./field-tests.ts";
import { addOutputCommands } from "./outputs.ts";
import { addHelp, textAfter } from "./help.ts";
import { addInterventionCommands } from "./interventions.ts";
import { addMaintenanceCommands } from "./maintenance-commands.ts";
import { addObjectiveCommands } from "./objectives.ts";
import { addEnrolCommand, addSitesCommand } from "./sites.ts";
import { addMetricsCommand, addStatusCommand } from "./status.ts";
import { addSyncCommands } from "./sync.ts";
import { jsonText, type Terminal } from "./terminal.ts";
import { addonError } from "../store/addon.ts";
import { addTripCommand, addZoneCommands } from "./zone-commands.ts";

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
  } catch (thrown) {
    // commander has already written its message or the requested help.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    const error = addonError(thrown) ?? thrown;
    terminal.stderr.write(`${plainLines(errorText(error))}\n`);
    return exitCodeOf(error);
  }
}

/** Message and hint of an error; internal errors include their stack. */
function errorText(error: unknown): string {
  if (error instanceof AppError) return error.text;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The whole command tree as plain data. */
export function programTree(terminal: Terminal): CommandNode {
  return commandTree(program(terminal), textAfter);
}

/** Builds the command tree. */
function program(terminal: Terminal): Command {
  const { stdout } = terminal;
  const root = new Command("santinela").description(
    "Edge daemon for alarm panels: every trip ends in exactly one intervention at the dispatch centre.",
  );
  root
    .version(VERSION, "--version", "print the version")
    .option("--no-input", "never prompt; fail if input is needed")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });

  // In the order of the help and of docs/cli.md.
  const commands = new CommandGroup(root, terminal);
  addInitCommand(root, terminal);
  addConfigurationCommands(commands);
  addAccessCommands(commands);
  addObjectiveCommands(commands);
  addStatusCommand(commands);
  addZoneCommands(
    commands.group("zones", "the zones and their contacts; needs a running daemon, except for replay"),
  );
  addFieldTestCommands(commands);
  addOutputCommands(commands);
  addTripCommand(commands);
  addDc09Commands(commands);
  addInterventionCommands(commands);
  addEventCommands(commands);
  addMetricsCommand(commands);
  addSitesCommand(commands);
  addEnrolCommand(commands);
  addSyncCommands(commands);
  addMaintenanceCommands(commands);
  commands.add("openapi", "print the OpenAPI document of the API", async () => {
    const { openApiDocument } = await import("../http/openapi.ts");
    return ({ http }: Config) => void stdout.write(jsonText(openApiDocument(http.basePath)));
  });
  root
    .command("demo")
    .description(
      "run a demo: site and dispatch centre, trips, a link outage and recovery; then a centre on PostgreSQL",
    )
    .option("--postgres <directory>", "directory with initdb and postgres of PostgreSQL (default: Debian's)")
    .action(async (options: DemoOptions) => (await import("./demo/demo.ts")).demo(terminal, options));
  root
    .command("completion")
    .description("print the completion script for a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash"]))
    .action(() => void stdout.write(completionScript(commandTree(root, textAfter))));
  root
    .command("version")
    .description("print the version")
    .action(() => void stdout.write(`${VERSION}\n`));
  addHelp(root);
  return root;
}

// Writes the generated part of docs/cli.md from the command tree of the built program. Run by `npm run build`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const NEEDS_DAEMON = "needs a running daemon";

const PAGE = new URL("../docs/cli.md", import.meta.url);
const BEGIN = "<!-- commands: begin (made by scripts/generate-cli-reference.mjs) -->";
const END = "<!-- commands: end -->";

if (process.argv[1] === new URL(import.meta.url).pathname && existsSync(PAGE)) {
  const { programTree } = await import("../build/cli/program.js");
  const { stdin, stdout, stderr } = process;
  const shape = programTree({ stdin, stdout, stderr, env: {}, cwd: "/", main: "" });
  const text = readFileSync(PAGE, "utf8");
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < 0) throw new Error("docs/cli.md: the markers of the commands are missing");
  const next = `${text.slice(0, from + BEGIN.length)}\n\n${commandPage(shape)}\n${text.slice(to)}`;
  if (next !== text) writeFileSync(PAGE, next);
}

/**
 * The reference of all commands that do something.
 * @param root the command tree of the program, see src/cli/command-tree.ts
 * @returns Markdown
 */
export function commandPage(root) {
  const general = `### santinela\n\n${optionList(root)}\n`;
  return [general, ...commandsOf(root, "").map(section)].join("\n");
}

/**
 * `events` does something and has subcommands too; a group that only has subcommands has no example. What a group says of the
 * daemon is true of its commands, which the page lists without the group.
 * @param mark the description of the group if it needs the daemon, or nothing
 */
function commandsOf(command, mark) {
  return command.commands.flatMap((inner) => {
    const { description, path } = inner;
    const isMarked = mark !== "" && !mark.endsWith(`except for ${path.at(-1)}`);
    const entry = isMarked ? { ...inner, description: `${description}; ${NEEDS_DAEMON}` } : inner;
    const isGroup = inner.after === "";
    const ofGroup = isGroup && description.includes(NEEDS_DAEMON) ? description : "";
    return [...(isGroup ? [] : [entry]), ...commandsOf(inner, ofGroup)];
  });
}

function section(command) {
  const name = ["santinela", ...command.path].join(" ");
  const examples = command.after
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .map((line) => line.trim());
  return [
    `### ${name}\n`,
    `${sentence(command.description)}\n`,
    `\`${name} ${command.usage}\`\n`,
    ...command.arguments.map(
      ({ name: argument, description, choices }) =>
        `- \`<${argument}>\`: ${[description, choices.join(", ")].filter(Boolean).join("; ")}`,
    ),
    optionList(command),
    "",
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n`,
  ].join("\n");
}

function optionList({ options }) {
  return options
    .filter(({ name }) => name !== "--config") // Described once, at the top of the page.
    .map(({ flags, description, isRequired, fallback }) => {
      const notes = [isRequired ? "required" : "", fallback === null ? "" : `default ${fallback}`].filter(
        Boolean,
      );
      return `- \`${flags}\`: ${description}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
    })
    .join("\n");
}

function sentence(text) {
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`;
}

// manual.mjs FOLDER: writes the manual page (share/man/man1/santinela.1.gz) and the completion for bash
// (share/bash-completion/completions/santinela) of the built program into FOLDER, both made from its command tree.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/**
 * The manual page in the format of man(7).
 * @param root the command tree of the program, see src/cli/command-tree.ts
 * @param about version, and the date of the page as YYYY-MM-DD
 */
export function manualPage(root, { version, date }) {
  return [
    `.TH SANTINELA 1 ${date} "santinela ${version}"`,
    ".SH NAME",
    `santinela \\- ${escaped("edge daemon for alarm panels")}`,
    ".SH SYNOPSIS",
    ".B santinela",
    escaped(root.usage),
    ".SH DESCRIPTION",
    escaped(root.description),
    ".PP",
    escaped("Everything else is in /usr/share/doc/santinela/docs."),
    ".SH OPTIONS",
    ...root.options.flatMap(option),
    ".SH COMMANDS",
    ...commandsOf(root).flatMap(command),
    "",
  ].join("\n");
}

/** The commands that do something; `events` does, and has subcommands too. Only these have an example. */
function commandsOf(node) {
  return node.commands.flatMap((inner) => [...(inner.after === "" ? [] : [inner]), ...commandsOf(inner)]);
}

function command({ path, usage, description, options, arguments: parameters, after }) {
  const examples = after.split("\n").filter((line) => line.startsWith("  "));
  return [
    `.SS santinela ${escaped(path.join(" "))} ${escaped(usage)}`,
    escaped(`${description[0]?.toUpperCase() ?? ""}${description.slice(1)}.`),
    ...parameters.flatMap(({ name, description: text, choices }) => [
      ".TP",
      `.I ${escaped(name)}`,
      escaped([text, choices.join(", ")].filter(Boolean).join("; ")) || "\\&",
    ]),
    ...options.filter(({ name }) => name !== "--config").flatMap(option),
    ...(examples.length > 0 ? [".PP", "Examples:", ".nf", ...examples.map(escaped), ".fi"] : []),
  ];
}

function option({ flags, description, isRequired, fallback }) {
  const notes = [isRequired ? "required" : "", fallback === null ? "" : `default ${fallback}`].filter(
    Boolean,
  );
  const text = notes.length > 0 ? `${description} (${notes.join(", ")})` : description;
  return [".TP", `.B ${escaped(flags)}`, escaped(text) || "\\&"];
}

/** Text of the page: a hyphen of an option must not become a typographic one, and a line not a request. */
function escaped(text) {
  const plain = text.trim().replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return plain.replaceAll(/\s*\n\s*/g, "\n.br\n").replaceAll(/^(?=['.](?!br$))/gm, "\\&");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) {
    process.stderr.write("usage: manual.mjs FOLDER\n");
    process.exit(64);
  }
  const { programTree } = await import("../../build/cli/program.js");
  const { completionScript } = await import("../../build/cli/completion.js");
  const { stdin, stdout, stderr, env } = process;
  const tree = programTree({ stdin, stdout, stderr, env: {}, cwd: "/", main: "" });
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const date = new Date(Number(env["SOURCE_DATE_EPOCH"] ?? 0) * 1000).toISOString().slice(0, 10);
  const put = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put("share/man/man1/santinela.1.gz", gzipSync(manualPage(tree, { version, date }), { level: 9 }));
  put("share/bash-completion/completions/santinela", completionScript(tree));
}

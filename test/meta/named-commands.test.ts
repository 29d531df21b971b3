import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CommandNode } from "../../src/cli/command-tree.ts";
import { programTree } from "../../src/cli/program.ts";
import { PAGES, ROOT } from "../support/pages.ts";

const program = programTree({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  cwd: "/",
  main: "",
  untilSignal: () => Promise.resolve(),
  kill: () => {},
});
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

test.each(PAGES)("every command in %s exists, with its options", (page) => {
  expect(wrongCommands(readFileSync(join(ROOT, page), "utf8"))).toEqual([]);
});

test.each([
  ["`santinela sync again`", "santinela sync again: no such command"],
  ["```sh\nsudo santinela user add --name x  # adds\n```", "santinela user add: no option --name"],
  ["```sh\nnode dist/main.js zones list --verbose\n```", "santinela zones list: no option --verbose"],
  ["`npm run nothing`", "npm run nothing: no such script"],
  ["`santinela user add|remove`", "santinela user remove: no such command"],
])("in %j the error is detected", (text, mistake) => {
  expect(wrongCommands(text)).toEqual([mistake]);
});

/** Errors in the commands of a page, in code spans and code blocks. */
function wrongCommands(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n([^]*?)^```/gm)].flatMap((match) =>
    (match[1] ?? "").split("\n"),
  );
  const spans = [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/`([^`]+)`/g)].map(
    (match) => match[1] ?? "",
  );
  return [...blocks, ...spans].flatMap((code) => {
    const line = code.replace(/\s#.*$/, "").replaceAll(/\s+/g, " ");
    const script = /\bnpm run (?:--silent )?([\w:-]+)/.exec(line)?.[1];
    if (script !== undefined && !(script in scripts)) return [`npm run ${script}: no such script`];
    const words = /^(?:\$ )?(?:sudo )?(?:santinela|node dist\/main\.js) ([a-z][^&><]*)/.exec(line)?.[1];
    return words === undefined ? [] : alternatives(words.trim().split(" ")).flatMap(mistakesIn);
  });
}

/** `user add|list` is `user add` and `user list`. */
function alternatives(words: readonly string[]): readonly string[][] {
  return words.reduce<readonly string[][]>(
    (lines, word) => lines.flatMap((line) => word.split("|").map((choice) => [...line, choice])),
    [[]],
  );
}

function mistakesIn(words: readonly string[]): string[] {
  let command: CommandNode = program;
  for (const word of words) {
    const below = command.commands.find(({ path }) => path.at(-1) === word);
    if (below) command = below;
    else if (command.commands.length > 0 && /^[a-z]/.test(word))
      return [`santinela ${[...command.path, word].join(" ")}: no such command`];
    else break;
  }
  const known = [...command.options, ...program.options].map(({ name }) => name);
  return words
    .filter((word) => word.startsWith("--") && !known.includes(word) && word !== "--help")
    .map((word) => `santinela ${command.path.join(" ")}: no option ${word}`);
}

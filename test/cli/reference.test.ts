import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allCommands, type CommandNode } from "../../src/cli/command-tree.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { programTree } from "../../src/cli/program.ts";
import { MAIN } from "../support/installation.ts";
import { santinela as run } from "../support/command-line.ts";

const santinela = (words: readonly string[]) => run(words, { cwd: tmpdir() });
const shape = programTree({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  cwd: "/",
  main: MAIN,
  untilSignal: () => Promise.resolve(),
  kill: () => {},
});
const leaves = allCommands(shape).filter(({ commands }) => commands.length === 0);
const page = readFileSync(fileURLToPath(new URL("../../docs/cli.md", import.meta.url)), "utf8");

describe("the help", () => {
  test("of every command ends with an example of it", async () => {
    for (const { path } of leaves) {
      const { code, stdout } = await santinela([...path, "--help"]);
      expect(code, path.join(" ")).toBe(0);
      expect(stdout.split("Example:\n")[1] ?? "", path.join(" ")).toContain(`santinela ${path.join(" ")}`);
    }
  });

  test("of the program lists every exit code with its meaning", async () => {
    const { stdout } = await santinela(["--help"]);
    for (const [code, meaning] of EXIT_CODES) expect(stdout).toContain(`  ${code}  ${meaning}`);
  });

  test.each([
    [["sytnc"], /Did you mean sync\?/],
    [["sync", "stauts"], /Did you mean status\?/],
    [["sync", "status", "--jsn"], /Did you mean --json\?/],
  ])("suggests the word that %s was probably meant to be", async (words, hint) => {
    const { code, stdout, stderr } = await santinela(words);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toMatch(hint);
  });

  test("every command that reads has --json", () => {
    const reading = leaves.filter(({ path }) => /^(list|status|show|events|watch)$/.test(path.at(-1) ?? ""));
    expect(reading.length).toBeGreaterThan(2);
    for (const { path, options } of reading)
      expect(
        options.map(({ name }) => name),
        path.join(" "),
      ).toContain("--json");
  });
});

describe("the reference page", () => {
  test("matches the command tree of the program", async () => {
    const { commandPage } = (await import(
      new URL("../../scripts/generate-cli-reference.mjs", import.meta.url).href
    )) as { commandPage: (root: CommandNode) => string };
    expect(page).toContain(commandPage(shape));
  });

  test("has the commands that have subcommands too", () => {
    expect(page).toMatch(/^### santinela events$[^#]*`--follow`/m);
    expect(page).toMatch(/^### santinela sites$[^#]*`--search <text>`/m);
  });

  test("lists every exit code with its meaning", () => {
    const rows = [...page.matchAll(/^\| +(\d+) \| (.*?) +\|$/gm)].map(([, code, meaning]) => [
      Number(code),
      meaning,
    ]);
    expect(rows).toEqual(EXIT_CODES);
  });
});

/** Runs the completion of bash for these words; the last one is incomplete. */
function completions(script: string, words: readonly string[]): string[] {
  const code = `${script}\nCOMP_WORDS=(santinela "$@"); COMP_CWORD=$#; _santinela; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const offered = execFileSync("bash", ["--norc", "-c", code, "bash", ...words]).toString();
  return offered.split("\n").filter((line) => line !== "");
}

test("completion offers what may follow, also after the values of options", async () => {
  const { stdout: script } = await santinela(["completion", "bash"]);
  const offers = (...words: string[]): string[] => completions(script, words);
  const top = offers("");
  for (const { path } of shape.commands) expect(top).toContain(path[0]);
  expect(offers("user", "")).toEqual(expect.arrayContaining(["add", "list", "passwd"]));
  expect(offers("user", "")).not.toContain("serve");
  expect(offers("user", "add", "--")).toEqual(
    expect.arrayContaining(["--email", "--password-stdin", "--no-input"]),
  );
  expect(offers("sync", "--config", "user", "")).toEqual(expect.arrayContaining(["status", "now"]));
  expect(offers("completion", "")).toEqual(expect.arrayContaining(["bash"]));
  expect(offers("trip", "--zone", "")).toEqual([]);
  expect(offers("serve", "--config", "package.js")).toEqual(expect.arrayContaining(["package.json"]));
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allCommands, type CommandNode } from "../../src/cli/command-tree.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { programTree } from "../../src/cli/program.ts";
import { describeUnless, findProgram } from "../support/installed.ts";
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

  test("lists every exit code with its meaning", () => {
    const rows = [...page.matchAll(/^\| +(\d+) \| (.*?) +\|$/gm)].map(([, code, meaning]) => [
      Number(code),
      meaning,
    ]);
    expect(rows).toEqual(EXIT_CODES);
  });
});

/** Runs the completion of a real shell for these words; the last one is incomplete. */
const OFFERS: Readonly<Record<string, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) =>
    execFileSync("bash", [
      "--norc",
      "-c",
      `${script}\nCOMP_WORDS=(santinela "$@"); COMP_CWORD=$#; _santinela; printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      ...words,
    ]).toString(),
  zsh: (script, words) =>
    execFileSync("zsh", [
      "-fc",
      `compdef() { :; }; _describe() { print -l -- "\${(@P)2}"; }; _files() { print -l -- *(N); }
${script}\nwords=(santinela "$@"); CURRENT=$#words; cd ${JSON.stringify(fileURLToPath(new URL("../..", import.meta.url)))}; _santinela`,
      "zsh",
      ...words,
    ])
      .toString()
      .replaceAll(/(?<!\\):.*$/gm, ""),
  fish: (script, words) =>
    execFileSync("fish", ["--no-config", "-c", `${script}\ncomplete -C "santinela ${words.join(" ")}"`], {
      env: { ...process.env, HOME: tmpdir(), XDG_CONFIG_HOME: join(tmpdir(), "none") },
    })
      .toString()
      .replaceAll(/\t.*$/gm, ""),
};

for (const shell of Object.keys(OFFERS)) {
  const exists = findProgram(shell) !== undefined;
  const missing = exists ? undefined : `${shell} is not installed; on Debian: sudo apt-get install ${shell}`;
  describeUnless(missing, `completion for ${shell}`, () => {
    test("completion offers what may follow, also after the values of options", async () => {
      const { stdout: script } = await santinela(["completion", shell]);
      const offers = (...words: string[]): string[] =>
        (OFFERS[shell]?.(script, words) ?? "").split("\n").filter((line) => line !== "");
      const top = offers("");
      for (const { path } of shape.commands) expect(top).toContain(path[0]);
      expect(offers("user", "")).toEqual(expect.arrayContaining(["add", "list", "passwd"]));
      expect(offers("user", "")).not.toContain("serve");
      expect(offers("user", "add", "--")).toEqual(
        expect.arrayContaining(["--email", "--password-stdin", "--no-input"]),
      );
      expect(offers("sync", "--config", "user", "")).toEqual(expect.arrayContaining(["status", "now"]));
      expect(offers("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
      expect(offers("trip", "--zone", "")).toEqual([]);
      expect(offers("serve", "--config", "package.js")).toEqual(expect.arrayContaining(["package.json"]));
    });
  });
}

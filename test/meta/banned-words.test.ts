import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const LIST = "test/meta/banned-words.txt";
/** A folder may fall this far below its allowance before the allowance has to be lowered. */
const SLACK = 10;

/**
 * Hits allowed today, by folder (two levels of src and test). The numbers only fall, down to a table without rows: a
 * folder that is not in it has to be free of banned words.
 */
const ALLOWED: Readonly<Record<string, number>> = {
  docs: 9,
  schemas: 0,
  src: 8,
  "src/cli": 1,
  "src/client": 0,
  "src/config": 1,
  "src/domain": 0,
  "src/http": 0,
  "src/inputs": 0,
  "src/ops": 0,
  "src/panel": 0,
  "src/service": 0,
  "src/site": 0,
  "src/store": 0,
  "src/sync": 0,
  systemd: 3,
  "test/bench": 3,
  "test/cli": 8,
  "test/config": 0,
  "test/domain": 0,
  "test/e2e": 1,
  "test/faults": 1,
  "test/http": 8,
  "test/inputs": 0,
  "test/meta": 6,
  "test/ops": 0,
  "test/panel": 0,
  "test/promise": 0,
  "test/simulation": 0,
  "test/site": 0,
  "test/store": 0,
  "test/support": 0,
  "test/sync": 0,
  "test/systemd": 9,
  "test/upgrade": 1,
  "test/vm": 8,
};

interface Rule {
  readonly scope: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly words: string;
  readonly instead: string;
}

const rules = readRules(readFileSync(join(root, LIST), "utf8"));

test("no folder has more banned words than the table allows, and the table is up to date", () => {
  const byFolder = new Map<string, Hit[]>();
  for (const hit of filesInScope().flatMap(hitsIn)) {
    const folder = folderOf(hit.file);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), hit]);
  }
  const folders = new Set([...byFolder.keys(), ...Object.keys(ALLOWED)]);
  const problems = [...folders].toSorted().flatMap((folder) => {
    const hits = byFolder.get(folder) ?? [];
    const allowed = ALLOWED[folder] ?? 0;
    if (hits.length > allowed)
      return [`${folder}: ${hits.length} banned words, ${allowed} allowed`, ...hits.map(describeHit)];
    return hits.length < allowed - SLACK ? [`${folder}: lower the allowance to ${hits.length}`] : [];
  });
  expect(problems.join("\n")).toBe("");
});

test.each([
  ["src/x.ts", "// Called when nobody is signed in.", "no user"],
  ["src/x.ts", "// Nobody is signed in. words: allowed", undefined],
  ["docs/x.md", "The link is retried by the scheduler.", undefined],
  ["README.ro.md", "Senzorul nu se mai aude.", "comunică"],
  ["README.ro.md", "nobody", undefined],
])("in %s, %j is judged by the rules of its language", (file, text, instead) => {
  const hits = hitsInText(file, text);
  expect(hits.map((hit) => hit.instead).join(" ")).toContain(instead ?? "");
  expect(hits).toHaveLength(instead === undefined ? 0 : 1);
});

test("a hit is described by file, line, words and replacement", () => {
  expect(hitsInText("docs/x.md", "fine\nthis is mended").map(describeHit)).toEqual([
    '  docs/x.md:2: "mended"; write: fix, correct, repair',
  ]);
});

function readRules(text: string): readonly Rule[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [scope = "", flags = "", expression = "", instead = ""] = line.split("\t");
      return { scope, pattern: new RegExp(expression, `${flags}g`), instead };
    });
}

function filesInScope(): readonly string[] {
  const top = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const below = ["src", "test", "docs", "scripts", "schemas", "systemd"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  return [...top, ...below].filter(
    (file) =>
      /\.(tsx?|md|mjs|sh|json|ya?ml|html|pl|service|conf)$/.test(file) &&
      !/^src\/generated\/|node_modules\/|package-lock\.json$|^docs\/(glossary|prose)\.md$|^test\/upgrade\/[0-9]|banned-words/.test(
        file,
      ),
  );
}

/** The first two levels of src and test, the first level elsewhere. */
function folderOf(file: string): string {
  const folders = file.split("/").slice(0, -1);
  const depth = folders[0] === "src" || folders[0] === "test" ? 2 : 1;
  return folders.slice(0, depth).join("/") || ".";
}

function hitsIn(file: string): Hit[] {
  return hitsInText(file, readFileSync(join(root, file), "utf8"));
}

function hitsInText(file: string, text: string): Hit[] {
  const romanian =
    /^README\.ro\.md$|^src\/panel\/messages\/ro|^src\/domain\/trip-text\.ts$|^src\/http\/safe-mode\.ts$/;
  const scope = romanian.test(file) ? "ro" : "en";
  // Most files have no hit: search the whole text before its lines.
  const applicable = rules.filter((rule) => rule.scope === scope && text.search(rule.pattern) >= 0);
  if (applicable.length === 0) return [];
  return text
    .split("\n")
    .flatMap((line, index) =>
      line.includes("words: allowed")
        ? []
        : applicable.flatMap(({ pattern, instead }) =>
            [...line.matchAll(pattern)].map(([words]) => ({ file, line: index + 1, words, instead })),
          ),
    );
}

function describeHit({ file, line, words, instead }: Hit): string {
  return `  ${file}:${line}: "${words}"; write: ${instead}`;
}

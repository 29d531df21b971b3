import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const LIST = "test/meta/banned-words.txt";
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

test("names and sentences have no banned words", () => {
  expect(filesInScope().flatMap(hitsIn).map(describeHit).join("\n")).toBe("");
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

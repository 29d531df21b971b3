import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
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
  ["src/panel/messages/ro-x.ts", "// Shown when nobody is signed in.", "no user"],
  ["src/panel/public/offline.html", "<p>Nu se mai aude nimic.</p>", "comunică"],
  ["src/x.ts", "const isTold = await putBackup();", "receives"],
  ["src/x.ts", "await putBack();", "restore"],
  ["src/x.ts", "const LOOK_AFTER_MS = 1;", "manages"],
  [".ci/run", "# whoever starts it", "users"],
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
  const below = [".ci", "src", "test", "docs", "scripts", "schemas", "systemd"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name))),
  );
  return [...top, ...below].filter(
    (file) =>
      // Scripts, units and what the package installs have other endings, or none.
      /\.(tsx?|md|[cm]js|sh|json|ya?ml|html|css|c|pl|service|socket|timer|rules|conf|8)$|(^|\/)[^./]+$/.test(
        file,
      ) &&
      !/^src\/generated\/|node_modules\/|package-lock\.json$|^docs\/(glossary|prose)\.md$|^test\/upgrade\/[0-9]|banned-words/.test(
        file,
      ),
  );
}

function hitsIn(file: string): Hit[] {
  return hitsInText(file, readFileSync(join(root, file), "utf8"));
}

/** Files with texts in Romanian; their comments, and the texts of two languages in one file, are English. */
const ROMANIAN =
  /^README\.ro\.md$|^src\/panel\/messages\/ro|^src\/domain\/(trip|silence)-text\.ts$|^src\/http\/safe-mode\.ts$|^src\/panel\/public\/offline\.html$/;

function scopesOf(file: string): readonly string[] {
  if (file === "README.ro.md") return ["ro"];
  return ROMANIAN.test(file) ? ["ro", "en"] : ["en"];
}

function hitsInText(file: string, text: string): Hit[] {
  const scopes = scopesOf(file);
  // Most files have no hit: search the whole text before its lines.
  const words = wordsOf(text);
  const applicable = rules.filter(
    ({ scope, pattern }) =>
      scopes.includes(scope) && (text.search(pattern) >= 0 || words.search(pattern) >= 0),
  );
  if (applicable.length === 0) return [];
  return text
    .split("\n")
    .flatMap((line, index) =>
      line.includes("words: allowed")
        ? []
        : applicable.flatMap(({ pattern, instead }) =>
            matches(line, pattern).map((hit) => ({ file, line: index + 1, words: hit, instead })),
          ),
    );
}

/** The matches in a line as it is; otherwise in the words of its identifiers. */
function matches(line: string, pattern: RegExp): string[] {
  const found = [...line.matchAll(pattern)].map(([words]) => words);
  return found.length > 0 ? found : [...wordsOf(line).matchAll(pattern)].map(([words]) => words);
}

/**
 * The text with its identifiers as words: `putBack` as "put Back", `LOOK_AFTER_MS` as "LOOK AFTER MS". Names in lower case
 * with underscores are columns, which keep their names.
 */
function wordsOf(text: string): string {
  return text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z0-9])_(?=[A-Z0-9])/g, " ");
}

function describeHit({ file, line, words, instead }: Hit): string {
  return `  ${file}:${line}: "${words}"; write: ${instead}`;
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
test.each([
  ["docs/contract-coverage.md", 35],
  ["docs/security.md", 50],
  ["docs/architecture.md", 12],
])("every test named in a table of %s exists", (page, countMin) => {
  const table = readFileSync(join(root, page), "utf8");
  expect(namedTests(table).length).toBeGreaterThan(countMin);
  expect(missingTests(table)).toEqual([]);
});

test("a missing test is detected", () => {
  expect(missingTests("| x | `test/http/interface.test.ts`: does not exist |")).toEqual([
    "test/http/interface.test.ts: does not exist",
  ]);
  expect(missingTests("| x | `test/http/nowhere.test.ts`: anything |")).toEqual([
    "test/http/nowhere.test.ts: anything",
  ]);
});

function namedTests(text: string): { file: string; name: string }[] {
  return [...text.matchAll(/`(test\/[^`]+\.test\.ts)`: (.*?) +\|/g)].map(([, file = "", name = ""]) => ({
    file,
    name,
  }));
}

function missingTests(text: string): string[] {
  return namedTests(text)
    .filter(
      ({ file, name }) =>
        !existsSync(join(root, file)) || !hasTest(readFileSync(join(root, file), "utf8"), name),
    )
    .map(({ file, name }) => `${file}: ${name}`);
}

/** Whether the file has a test of this name, or a table whose title matches it with the values of a row. */
function hasTest(source: string, name: string): boolean {
  const titles = [
    ...source.matchAll(/\btest(?:OfSite)?(?:\.each\([^]*?\))?\(\s*"((?:[^"\\]|\\.)*)"/g),
    ...source.matchAll(/\)\(\s*"((?:[^"\\]|\\.)*)",\s*async/g),
    ...source.matchAll(/\btest\(\s*`((?:[^`\\]|\\.)*)`/g),
  ].map((match) => match[1] ?? "");
  return titles.some((title) => {
    const pattern = title
      .split(/%[sj]|\$\{\w+\}/)
      .map(escaped)
      .join("(.+)");
    const match = new RegExp(`^${pattern}$`).exec(name);
    return match !== null && match.slice(1).every((word) => source.includes(word.replaceAll(/^"|"$/g, "")));
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

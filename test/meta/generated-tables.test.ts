import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/* The tables that the build writes from the program: a change of the program without them is detected before its build. */

const PAGES = [
  ["docs/architecture.md", "architecture-tables.mjs", "| 401, also after a new sign-in", "| not-applied"],
  ["docs/sensors.md", "profile-table.mjs", "| `fire`", "| high"],
] as const;

const read = (page: string): string => readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");

async function generator(name: string): Promise<(text: string) => string> {
  const { withCurrentTables } = (await import(new URL(`../../scripts/${name}`, import.meta.url).href)) as {
    withCurrentTables: (text: string) => string;
  };
  return withCurrentTables;
}

test.each(PAGES)("%s has the tables of the program", async (page, script) => {
  const text = read(page);
  expect((await generator(script))(text)).toBe(text);
});

test.each(PAGES)("a row of %s that the program contradicts is detected", async (page, script, row, cell) => {
  const text = read(page);
  const at = text.indexOf(cell, text.indexOf(row));
  expect(at).toBeGreaterThan(0);
  const edited = `${text.slice(0, at)}| otherwise${text.slice(at + cell.length)}`;
  expect((await generator(script))(edited)).not.toBe(edited);
});

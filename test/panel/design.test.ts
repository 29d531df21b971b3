import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ICONS } from "../../src/panel/icons.ts";
import { MORE_ICONS } from "../../src/panel/more-icons.ts";
import { BUILT_PANEL } from "../support/built-program.ts";

const PANEL = new URL("../../src/panel/", import.meta.url).pathname;

test("colours come from the tokens alone", () => {
  const styles = sourceFiles()
    .filter((name) => name.endsWith(".css") && name !== "tokens.css")
    .map((name) => readFileSync(join(PANEL, name), "utf8"))
    .join("\n");
  expect(styles.match(/#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(/gi) ?? []).toEqual([]);
  const sources = sourceFiles().filter((name) => name.endsWith(".tsx"));
  expect(sources.length).toBeGreaterThan(20);
  const coloured = sources.filter((name) =>
    /"#[0-9a-f]{6}"|style=/.test(readFileSync(join(PANEL, name), "utf8")),
  );
  expect(coloured).toEqual([]);
});

test("both themes have the same tokens", () => {
  const tokens = readFileSync(join(PANEL, "tokens.css"), "utf8");
  const namesOf = (theme: string): string[] => {
    const [, block = ""] = new RegExp(`\\[data-theme="${theme}"\\] \\{([^}]*)\\}`).exec(tokens) ?? [];
    return [...block.matchAll(/--[\w-]+(?=:)/g)].map(([name]) => name);
  };
  expect(namesOf("light").length).toBeGreaterThan(30);
  expect(namesOf("dark")).toEqual(namesOf("light"));
});

test("every icon is used", () => {
  const text = sourceFiles()
    .filter((name) => !/^(more-)?icons\.ts$/.test(name) && /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(PANEL, name), "utf8"))
    .join("");
  // The same word elsewhere draws nothing: of a type, compared, or as the attribute of a field.
  const isDrawn = (name: string): boolean =>
    new RegExp(`(?<!\\| |type=|[=!]== |(?<!Icon )name=)"${name}"`).test(text);
  expect(Object.keys({ ...ICONS, ...MORE_ICONS }).filter((name) => !isDrawn(name))).toEqual([]);
});

test("a screen loads less than 25 kB of its own", () => {
  const folder = join(BUILT_PANEL, "assets");
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(8);
  const size = (name: string): number => statSync(join(folder, name)).size;
  // What the first page loads, and the further texts of a language.
  const isAtStart = (name: string): boolean => /^(index|start|ro|en)-(?!texts)/.test(name);
  const texts = scripts.filter((name) => /^(ro|en)-texts\b/.test(name));
  const screens = scripts.filter((name) => !isAtStart(name) && !texts.includes(name));
  expect(screens.filter((name) => size(name) > 25_000)).toEqual([]);
  expect(texts).toHaveLength(2);
  expect(texts.filter((name) => size(name) > 195_000)).toEqual([]);
});

function sourceFiles(): string[] {
  return readdirSync(PANEL, { recursive: true, encoding: "utf8" });
}

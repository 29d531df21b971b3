import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

const { licencesOf, problemWith } = (await import(
  new URL("../../scripts/licences.mjs", import.meta.url).href
)) as { licencesOf: (folder: string) => Licence[]; problemWith: (licence: Licence) => string };

test("everything that an installation carries may be handed on, and its notice goes with it", () => {
  const found = licencesOf(fileURLToPath(new URL("../..", import.meta.url)));
  expect(found.map(problemWith).filter((problem) => problem !== "")).toEqual([]);
  const names = found.map(({ name }) => name);
  for (const name of ["express", "better-sqlite3", "mqtt", "preact"]) expect(names).toContain(name);
  expect(names).not.toContain("vitest");
});

test.each([
  ["GPL-3.0", "text", /GPL-3\.0 is not among/],
  ["", "text", /no licence/],
  ["MIT", "", /no text/],
])("a package under %j with the notice %j is found", (licence, text, problem) => {
  expect(problemWith({ name: "x", version: "1.0.0", licence, text })).toMatch(problem);
});

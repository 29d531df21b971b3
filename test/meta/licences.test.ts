import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

interface Part {
  readonly name: string;
  readonly version: string;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const { licencesOf, problemWith } = (await script("licences.mjs")) as {
  licencesOf: (folder: string) => Licence[];
  problemWith: (licence: Licence) => string;
};
const { partsOf } = (await script("packaging/parts.mjs")) as {
  partsOf: (folder: string, nodeVersion?: string) => { readonly components: readonly Part[] };
};

test("everything that an installation carries may be handed on, and its notice goes with it", () => {
  const found = licencesOf(root);
  expect(found.map(problemWith).filter((problem) => problem !== "")).toEqual([]);
  const names = found.map(({ name }) => name);
  for (const name of ["express", "better-sqlite3", "mqtt", "preact"]) expect(names).toContain(name);
  expect(names).not.toContain("vitest");
});

test("the list of parts that goes with a package names each one whose licence goes with it, and no other", () => {
  const named = (parts: readonly Part[]): string[] =>
    [...new Set(parts.map(({ name, version }) => `${name} ${version}`))].toSorted();
  expect(named(partsOf(root).components)).toEqual(named(licencesOf(root)));
});

test("the list of parts names the Node.js that a package brings, and says nothing of when and where it was made", () => {
  const parts = partsOf(root, "24.0.1");
  expect(parts.components.at(-1)).toMatchObject({ name: "node", version: "24.0.1" });
  expect(JSON.stringify(parts)).not.toMatch(/serialNumber|timestamp|"tools"/);
});

test.each([
  ["GPL-3.0", "text", /GPL-3\.0 is not among/],
  ["", "text", /no licence/],
  ["MIT", "", /no text/],
])("a package under %j with the notice %j is found", (licence, text, problem) => {
  expect(problemWith({ name: "x", version: "1.0.0", licence, text })).toMatch(problem);
});

function script(name: string): Promise<unknown> {
  return import(new URL(`../../scripts/${name}`, import.meta.url).href);
}

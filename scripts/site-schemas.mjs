// Creates src/generated/site-schemas.ts: JSON Schemas of the response bodies of /site from their TypeScript types, for the
// OpenAPI document. The result is kept in .cache, because reading the types takes seconds.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const textsIn = (folder, isWanted) =>
  readdirSync(new URL(folder, root), { recursive: true })
    .filter((name) => /\.(ts|json)$/.test(name) && isWanted(name))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => readFileSync(new URL(`${folder}/${name}`, root), "utf8"));
const operations = textsIn("src/http", (name) => name.startsWith("openapi-site"));
const sources = ["src/site", "src/domain", "schemas"].flatMap((folder) => textsIn(folder, () => true));
const hash = createHash("sha256");
for (const text of [readFileSync(new URL(import.meta.url), "utf8"), ...operations, ...sources])
  hash.update(text).update("\0");
const output = new URL("src/generated/site-schemas.ts", root);
const kept = new URL(`.cache/site-schemas-${hash.digest("hex").slice(0, 16)}.ts`, root);
if (existsSync(kept)) {
  writeFileSync(output, readFileSync(kept));
  process.exit(0);
}

const { createGenerator } = await import("ts-json-schema-generator");
const named = operations
  .flatMap((text) => [...text.matchAll(/\b(?:schema|listOf|orNull)\("(\w+)"\)/g)])
  .map((match) => match[1]);
// These have schemas of their own in schemas/.
const known = new Set(
  readdirSync(new URL("schemas/", root)).flatMap((name) =>
    Object.keys(JSON.parse(readFileSync(new URL(`schemas/${name}`, root), "utf8")).definitions),
  ),
);
const generator = createGenerator({
  path: fileURLToPath(new URL("src/{site,domain}/**/*.ts", root)),
  tsconfig: fileURLToPath(new URL("tsconfig.json", root)),
  skipTypeCheck: true,
  additionalProperties: true,
});
const definitions = {};
for (const name of new Set(named))
  if (!known.has(name)) Object.assign(definitions, generator.createSchema(name).definitions);

// A component's name may have letters and digits; the generator writes type arguments into it.
const plain = (name) => decodeURIComponent(name).replaceAll(/\W+/g, "_").replaceAll(/^_|_$/g, "");
const text = JSON.stringify(
  Object.fromEntries(
    Object.entries(definitions)
      .map(([name, definition]) => [plain(name), definition])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ),
  (key, value) =>
    key === "$ref" ? `#/components/schemas/${plain(value.replace("#/definitions/", ""))}` : value,
  2,
);
const code = `// Made by scripts/site-schemas.mjs from the types of src/site. Do not edit.\nexport const SITE_SCHEMAS = ${text} as const;\n`;
writeFileSync(output, code);
mkdirSync(new URL(".cache/", root), { recursive: true });
writeFileSync(kept, code);

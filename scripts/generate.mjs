// Creates src/generated/ from schemas/: types, precompiled validators and defaults, and the option tables of
// docs/configuration.md. Only these tables are committed; a test compares them with the schema.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { compile } from "json-schema-to-typescript";
import { optionTables } from "./option-tables.mjs";

const schemaDir = new URL("../schemas/", import.meta.url);
const outDir = new URL("../src/generated/", import.meta.url);
const docsFile = new URL("../docs/configuration.md", import.meta.url);
const note = "// Made by scripts/generate.mjs from schemas/. Do not edit.\n";

/** Definitions with their own validator: export name -> reference. */
const VALIDATORS = {
  validateInterventionCreate: "intervention.json#/definitions/InterventionCreate",
  validateInterventionUpdate: "intervention.json#/definitions/InterventionUpdate",
  validateUpstreamIntervention: "intervention.json#/definitions/UpstreamIntervention",
  validateCredentials: "access.json#/definitions/Credentials",
  validatePasswordChange: "access.json#/definitions/PasswordChange",
  validateSetUp: "access.json#/definitions/SetUp",
  validateAccessToken: "access.json#/definitions/AccessToken",
  validateObjectiveImport: "objective.json#/definitions/ObjectiveImport",
  validateSiteReport: "fleet.json#/definitions/SiteReport",
  validateSiteInvitation: "fleet.json#/definitions/SiteInvitation",
  validateEnrolmentClaim: "fleet.json#/definitions/EnrolmentClaim",
  validateEnrolledSite: "fleet.json#/definitions/EnrolledSite",
};

/** In a file of its own: it is as large as all others together, and only one of the threads needs it. */
const CONFIGURATION_VALIDATOR = {
  validateConfiguration: "configuration.json#/definitions/Configuration",
};

/** What a sensor that is tried out before it is a zone may be. */
const INPUT_VALIDATORS = {
  validateMqttInput: "configuration.json#/definitions/MqttInput",
  validateGpioInput: "configuration.json#/definitions/GpioInput",
  validateAdcInput: "configuration.json#/definitions/AdcInput",
};

/** The errors of a validator are a list of their own, so that it may be added to. */
const WITH_ADDED = `function withAdded(errors, others) {
  for (const error of others) errors.push(error);
  return errors;
}
`;

const schemas = readdirSync(schemaDir)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, schemaDir), "utf8")));

rmSync(outDir, { recursive: true, force: true });
mkdirSync(outDir, { recursive: true });
writeFileSync(new URL("types.ts", outDir), note + (await types()));
writeFileSync(new URL("defaults.ts", outDir), note + defaults());
for (const [name, references] of Object.entries({
  validators: VALIDATORS,
  "configuration-validator": CONFIGURATION_VALIDATOR,
  "input-validators": INPUT_VALIDATORS,
})) {
  writeFileSync(new URL(`${name}.js`, outDir), note + validators(references));
  writeFileSync(new URL(`${name}.d.ts`, outDir), note + validatorTypes(references));
}
writeFileSync(
  new URL("schemas.ts", outDir),
  `${note}export const SCHEMAS = ${JSON.stringify(schemas, null, 2)} as const;\n`,
);
writeFileSync(new URL("zone-help.ts", outDir), note + zoneHelp());
embed(
  "first-run.ts",
  "The configuration of a first run without a file.",
  "FIRST_RUN_YAML",
  "config/first-run.yaml",
);
embed(
  "first-centre.ts",
  "The configuration of a dispatch centre without a file.",
  "FIRST_CENTRE_YAML",
  "config/first-centre.yaml",
);
embed(
  "character-device.ts",
  "The program that speaks to the GPIO character device.",
  "CHARACTER_DEVICE_PERL",
  "inputs/gpio/character-device.pl",
);
const version = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
writeFileSync(new URL("version.ts", outDir), `${note}export const VERSION = ${JSON.stringify(version)};\n`);
writeOptionTables();

/** The descriptions and limits of the options of a zone, for the form of the web panel. */
function zoneHelp() {
  const { definitions } = schemas.find(({ title }) => title === "Configuration") ?? {};
  const options = [
    ...Object.entries(definitions.Zone.properties),
    ...["GpioInput", "MqttInput"].flatMap((name) =>
      Object.entries(definitions[name].properties).map(([key, option]) => [`input.${key}`, option]),
    ),
  ].filter(([, { description }]) => description !== undefined);
  const help = options.map(([key, { description }]) => [key, description]);
  const limits = options
    .filter(([, { minimum }]) => minimum !== undefined)
    .map(([key, { minimum, maximum }]) => [key, [minimum, maximum]]);
  const constant = (name, entries) =>
    `export const ${name} = ${JSON.stringify(Object.fromEntries(entries), null, 2)} as const;\n`;
  return constant("ZONE_HELP", help) + constant("ZONE_LIMITS", limits);
}

/** A text of src/ as a constant, so that the program needs no further file. */
function embed(file, what, name, source) {
  const text = readFileSync(new URL(`../src/${source}`, import.meta.url), "utf8");
  const code = `/** ${what} */\nexport const ${name} = ${JSON.stringify(text)};\n`;
  writeFileSync(new URL(file, outDir), note + code);
}

async function types() {
  // One document with all definitions, so that each type is generated once and references stay references.
  const definitions = Object.assign({}, ...schemas.map((schema) => schema.definitions));
  const document = rewriteReferences({
    title: "AllSchemas",
    type: "object",
    additionalProperties: false,
    definitions,
  });
  const text = await compile(document, "AllSchemas", {
    bannerComment: "",
    unreachableDefinitions: true,
    additionalProperties: false,
    format: false,
  });
  return text.replaceAll(/\/\*\*\n \* This interface was referenced by[\s\S]*?\*\/\n/g, "");
}

function rewriteReferences(value) {
  if (Array.isArray(value)) return value.map(rewriteReferences);
  if (value === null || typeof value !== "object") return value;
  // "allOf: [one reference]" only carries a description or default beside the reference; the type is the reference.
  if (
    value.allOf?.length === 1 &&
    Object.keys(value).every((key) => ["allOf", "description", "default"].includes(key))
  )
    return rewriteReferences(value.allOf[0]);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !["maxItems", "minItems"].includes(key))
      .map(([key, inner]) =>
        key === "$ref" ? [key, inner.replace(/^[a-z]+\.json#/, "#")] : [key, rewriteReferences(inner)],
      ),
  );
}

function defaults() {
  const lines = [];
  for (const schema of schemas) {
    for (const [name, definition] of Object.entries(schema.definitions)) {
      const own = Object.entries(definition.properties ?? {})
        .filter(([, property]) => "default" in property)
        .map(([key, property]) => [key, property.default]);
      if (own.length === 0) continue;
      const constant = `${name.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()}_DEFAULTS`;
      lines.push(`/** Defaults of ${name}. */`);
      lines.push(
        `export const ${constant} = ${JSON.stringify(Object.fromEntries(own), null, 2)} as const;`,
        "",
      );
    }
  }
  return lines.join("\n");
}

function validators(references) {
  const ajv = new Ajv({
    schemas,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    // Calendar dates need the site's time zone, so the domain checks them; here the format only documents.
    formats: { "interface-date-time": true },
    code: { source: true, esm: true, lines: true },
  });
  // `concat` copies all errors so far for each further entry of a list: a minute for a file of the largest size.
  const code = standaloneCode(ajv, references).replaceAll("vErrors.concat(", "withAdded(vErrors, ");
  // Standalone ESM output still calls require() for ajv's own small runtime functions.
  return `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n${WITH_ADDED}${code}`;
}

function validatorTypes(references) {
  const names = Object.values(references).map(typeOf);
  const lines = [
    'import type { ErrorObject } from "ajv";',
    `import type { ${names.join(", ")} } from "./types.ts";`,
    "interface Validator<T> { (value: unknown): value is T; errors?: ErrorObject[] | null; }",
    ...Object.entries(references).map(
      ([name, reference]) => `export declare const ${name}: Validator<${typeOf(reference)}>;`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function typeOf(reference) {
  return reference.split("/").at(-1);
}

function writeOptionTables() {
  const begin = "<!-- options: begin (made by scripts/generate.mjs) -->";
  const end = "<!-- options: end -->";
  let text;
  try {
    text = readFileSync(docsFile, "utf8");
  } catch {
    return; // Without the page there is no table to update.
  }
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < 0)
    throw new Error("docs/configuration.md: the markers of the option tables are missing");
  const configuration = schemas.find((schema) => schema.$id === "configuration.json");
  const next = `${text.slice(0, from + begin.length)}\n\n${optionTables(configuration, schemas)}\n${text.slice(to)}`;
  if (next !== text) writeFileSync(docsFile, next);
}

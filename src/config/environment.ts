import { parse } from "yaml";
import { SCHEMAS } from "../generated/schemas.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { FILE_BYTES_MAX, readBounded } from "./bounded-file.ts";

const PREFIX = "SANTINELA_";
/** Variables that are not options. */
const RESERVED: ReadonlySet<string> = new Set(["SANTINELA_CONFIG", "SANTINELA_FAILPOINT"]);

export interface Overlay {
  /** Options to set over the file. */
  readonly settings: readonly {
    readonly path: readonly string[];
    readonly value: unknown;
    readonly variable: string;
  }[];
  readonly warnings: readonly string[];
}

/**
 * Reads options from the environment: SANTINELA_HTTP__PORT sets http.port; `<NAME>_FILE` reads the value from a file.
 * @throws AppError `configuration` for a file that cannot be read
 */
export function environmentOverlay(env: Readonly<Record<string, string | undefined>>): Overlay {
  const settings: { path: string[]; value: unknown; variable: string }[] = [];
  const warnings: string[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || RESERVED.has(variable) || text === undefined) continue;
    const name = variable.slice(PREFIX.length);
    const option = optionOf(name);
    const fromFile =
      option === undefined && name.endsWith("_FILE") ? optionOf(name.slice(0, -"_FILE".length)) : undefined;
    if (option) settings.push({ path: option.path, value: valueOf(option, text), variable });
    else if (fromFile)
      settings.push({ path: fromFile.path, value: valueOf(fromFile, contentOf(text, variable)), variable });
    else warnings.push(`environment variable ${variable} does not match an option and is ignored`);
  }
  return { settings, warnings };
}

/** The text itself for a text option, so that a site may be called 12; otherwise its YAML value. */
function valueOf({ isText }: Option, text: string): unknown {
  if (isText) return text;
  try {
    return parse(text) as unknown;
  } catch {
    return text;
  }
}

function contentOf(path: string, variable: string): string {
  try {
    return readBounded(path, FILE_BYTES_MAX).trim();
  } catch (cause) {
    throw new AppError("configuration", `${variable}: cannot read ${path}: ${messageOf(cause)}`, { cause });
  }
}

interface Option {
  readonly path: string[];
  readonly isText: boolean;
}

interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly allOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** The option of a variable; names compare without case and underscores, so BASE_URL and BASEURL are baseUrl. */
function optionOf(name: string): Option | undefined {
  const path: string[] = [];
  let nodes: readonly SchemaNode[] = [definition("Configuration")];
  for (const part of name.split("__")) {
    const wanted = part.replaceAll("_", "").toLowerCase();
    const found = nodes
      .flatMap((node) => Object.entries(node.properties ?? {}))
      .find(([key]) => key.toLowerCase() === wanted);
    if (!found) return undefined;
    path.push(found[0]);
    nodes = resolved(found[1]);
  }
  return { path, isText: nodes.every(({ type }) => type === "string") };
}

function resolved(node: SchemaNode): readonly SchemaNode[] {
  const reference = node.$ref ?? node.allOf?.[0]?.$ref;
  if (reference !== undefined)
    return reference.startsWith("#/definitions/")
      ? resolved(definition(reference.slice("#/definitions/".length)))
      : [];
  return node.oneOf ? node.oneOf.flatMap(resolved) : [node];
}

function definition(name: string): SchemaNode {
  const schema = SCHEMAS.find(({ $id }) => $id === "configuration.json");
  return (schema?.definitions as unknown as Record<string, SchemaNode> | undefined)?.[name] ?? {};
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vite";

/** A text of an error or a condition, as it is in the source: `{}` stands for each value that it is filled with. */
export interface DaemonLiteral {
  readonly text: string;
  /** The file that makes it. */
  readonly file: string;
  /** The code of the error or condition; empty if the source computes it. */
  readonly code: string;
}

/** The parts of a syntax tree that matter here (ESTree). */
interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const SOURCE = new URL("../../src/", import.meta.url).pathname;

/** What makes entries of the event log with a reason for users. */
const REASONED: ReadonlySet<string> = new Set(["recordConflict"]);

/** What makes errors and conditions, with the places of the texts among the arguments. */
const MAKERS: Readonly<Record<string, readonly number[]>> = {
  AppError: [1],
  ConfigurationError: [0],
  diskError: [0, 1],
  raise: [1],
  reached: [2],
  unavailable: [0],
};

/** All texts of errors and conditions in the source, except in these folders. */
export function daemonLiterals(without: readonly string[]): DaemonLiteral[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !without.some((folder) => name.startsWith(`${folder}/`)))
    .flatMap((file) => literalsOf(file, readFileSync(join(SOURCE, file), "utf8")));
}

function literalsOf(file: string, text: string): DaemonLiteral[] {
  const nodes = nodesIn(parseAst(text, { lang: "ts" }));
  const source: Source = { definitions: definitionsIn(nodes) };
  return nodes.flatMap((node) => {
    if (node.type !== "NewExpression" && node.type !== "CallExpression") return [];
    const name = nameOf(node["callee"] as Node);
    const places = MAKERS[name] ?? [];
    const given = node["arguments"] as readonly Node[];
    if (REASONED.has(name))
      return given
        .flatMap((one) => propertyOf(one, "reason"))
        .flatMap((one) => textsOf(one, source))
        .map((found) => ({ text: found, file, code: "" }));
    if (places.length === 0) return [];
    const [code = ""] = given[0] ? textsOf(given[0], source) : [];
    const hints = given.flatMap((one) => propertyOf(one, "hint"));
    const values = name === "raise" && given[1] ? valuesOf(given[1]) : [];
    return (
      [...places.flatMap((place) => given[place] ?? []), ...hints, ...values]
        .flatMap((one) => textsOf(one, source))
        // Values alone are texts of their own.
        .filter((found) => /\w/.test(found.replaceAll("{}", "")))
        .map((found) => ({ text: found, file, code: places.includes(0) ? "" : code }))
    );
  });
}

/** Where a text may come from besides the place where it is used: constants, functions and methods of the file, by name. */
interface Source {
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
}

function definitionsIn(nodes: readonly Node[]): ReadonlyMap<string, readonly Node[]> {
  const found = new Map<string, Node[]>();
  const add = (named: unknown, ...made: readonly Node[]): void => {
    const { name } = named as { name?: string };
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), ...made]);
  };
  for (const node of nodes) {
    if (node.type === "VariableDeclarator" && node["init"]) add(node["id"], node["init"] as Node);
    if (node.type === "FunctionDeclaration") add(node["id"], ...returnedBy(node));
    if (node.type === "MethodDefinition") add(node["key"], ...returnedBy(node["value"] as Node));
  }
  return found;
}

function returnedBy(made: Node): Node[] {
  return nodesIn(made["body"])
    .filter(({ type, argument }) => type === "ReturnStatement" && argument)
    .map(({ argument }) => argument as Node);
}

/** The values of a message's placeholders. */
function valuesOf(node: Node): Node[] {
  const properties = node.type === "ObjectExpression" ? (node["properties"] as readonly Node[]) : [];
  return properties.filter(({ type }) => type === "Property").map(({ value }) => value as Node);
}

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (value === null || typeof value !== "object") return [];
  const below = Object.values(value).flatMap(nodesIn);
  return "type" in value ? [value as Node, ...below] : below;
}

function nameOf(callee: Node): string {
  const named = (callee.type === "MemberExpression" ? callee["property"] : callee) as { name?: string };
  return named.name ?? "";
}

function propertyOf(node: Node, name: string): Node[] {
  const properties = node.type === "ObjectExpression" ? (node["properties"] as readonly Node[]) : [];
  return properties
    .filter(({ type, key }) => type === "Property" && (key as { name?: string }).name === name)
    .map(({ value }) => value as Node);
}

/** Definitions that are followed from one text. */
const DEPTH_MAX = 4;

/** The texts that an expression can have; none without a literal part, such as the message of another error. */
function textsOf(node: Node, source: Source, depth = 0): string[] {
  const of = (field: string): string[] => textsOf(node[field] as Node, source, depth);
  const defined = (name: string): string[] =>
    depth >= DEPTH_MAX
      ? []
      : (source.definitions.get(name) ?? [])
          .flatMap((made) => textsOf(made, source, depth + 1))
          .filter(isSentence);
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" && node["value"] !== "" ? [node["value"]] : [];
    case "TemplateLiteral":
      return [
        (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}"),
        // A text within the text is translated by itself.
        ...(node["expressions"] as readonly Node[]).flatMap((part) =>
          textsOf(part, source, depth).filter(isSentence),
        ),
      ];
    case "ParenthesizedExpression":
    case "TSAsExpression":
      return of("expression");
    case "ConditionalExpression":
      return [...of("consequent"), ...of("alternate")];
    case "LogicalExpression":
      return [...of("left"), ...of("right")];
    case "ObjectExpression":
      // A table of texts, of which the code takes one.
      return depth === 0 ? [] : valuesOf(node).flatMap((value) => textsOf(value, source, depth));
    case "Identifier":
      return defined(String(node["name"]));
    case "CallExpression": {
      const callee = node["callee"] as Node;
      const isOwn =
        callee.type === "Identifier" || (callee["object"] as Node | undefined)?.type === "ThisExpression";
      return isOwn ? defined(nameOf(callee)) : [];
    }
    case "MemberExpression":
      return node["computed"] === true ? of("object") : [];
    case "BinaryExpression": {
      const [left, right] = [of("left"), of("right")];
      if (left.length + right.length === 0) return [];
      const orValue = (texts: string[]): string[] => (texts.length > 0 ? texts : ["{}"]);
      return orValue(left).flatMap((before) => orValue(right).map((after) => before + after));
    }
    default:
      return [];
  }
}

/** A part of a text counts if a person would miss its translation: not the name of a topic, a file or an option. */
function isSentence(text: string): boolean {
  return (text.match(/\b[a-z]{2,}\b/gi) ?? []).length >= 3;
}

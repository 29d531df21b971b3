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
};

/** All texts of errors and conditions in the source, except in these folders. */
export function daemonLiterals(without: readonly string[]): DaemonLiteral[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !without.some((folder) => name.startsWith(`${folder}/`)))
    .flatMap((file) => literalsOf(file, readFileSync(join(SOURCE, file), "utf8")));
}

function literalsOf(file: string, text: string): DaemonLiteral[] {
  return nodesIn(parseAst(text, { lang: "ts" }) as unknown as Node).flatMap((node) => {
    if (node.type !== "NewExpression" && node.type !== "CallExpression") return [];
    const name = nameOf(node["callee"] as Node);
    const places = MAKERS[name] ?? [];
    const given = node["arguments"] as readonly Node[];
    if (REASONED.has(name))
      return given
        .flatMap((one) => propertyOf(one, "reason"))
        .flatMap(textsOf)
        .map((text) => ({ text, file, code: "" }));
    if (places.length === 0) return [];
    const [code = ""] = given[0] ? textsOf(given[0]) : [];
    const hints = given.flatMap((one) => propertyOf(one, "hint"));
    return (
      [...places.flatMap((place) => given[place] ?? []), ...hints]
        .flatMap(textsOf)
        // Values alone are texts of their own.
        .filter((found) => /\w/.test(found.replaceAll("{}", "")))
        .map((found) => ({ text: found, file, code: places.includes(0) ? "" : code }))
    );
  });
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

/** The texts that an expression can have; none without a literal part, such as the message of another error. */
function textsOf(node: Node): string[] {
  const of = (field: string): string[] => textsOf(node[field] as Node);
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" && node["value"] !== "" ? [node["value"]] : [];
    case "TemplateLiteral":
      return [
        (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}"),
      ];
    case "ParenthesizedExpression":
      return of("expression");
    case "ConditionalExpression":
      return [...of("consequent"), ...of("alternate")];
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

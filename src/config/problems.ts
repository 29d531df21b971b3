import { isNode, isPair, type Document, type LineCounter } from "yaml";
import { AppError } from "../domain/errors.ts";

/** One mistake: where it stands, what it is, and how to mend it. */
export interface ConfigProblem {
  /** Path of keys and indices to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The parsed file, with what is needed to find a value's line again. */
export interface ParsedFile {
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
  /** Options that came from the environment: joined path -> name of the variable. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
  /** Former option names in the file, each with `file:line:col` and the remedy. */
  readonly warnings: readonly string[];
}

/** A mistake as a program wants it. */
export interface ConfigError {
  /** `file:line:col`, or the environment variable that it came from. */
  readonly place: string;
  /** What is wrong and how to mend it, with the option's name before it where one is meant. */
  readonly message: string;
}

/** All mistakes of a configuration as one error, a line each: `file:line:col: path: what is wrong`. */
export class ConfigurationError extends AppError {
  readonly mistakes: readonly ConfigError[];

  /** @param mistakes in the order in which they are told; one that is there twice is told once */
  constructor(mistakes: readonly ConfigError[]) {
    const byLine = new Map(mistakes.map((mistake) => [`${mistake.place}: ${mistake.message}`, mistake]));
    super("configuration", [...byLine.keys()].join("\n"));
    this.mistakes = [...byLine.values()];
  }
}

/** The mistakes of a file as an error, in the file's order. */
export function configurationError(file: ParsedFile, problems: readonly ConfigProblem[]): ConfigurationError {
  const sorted = problems
    .map((problem) => ({ message: described(problem), place: placeOf(file, problem.path) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.col - b.place.col);
  return new ConfigurationError(sorted.map(({ message, place }) => ({ message, place: place.text })));
}

interface SourceLocation {
  readonly line: number;
  readonly col: number;
  readonly text: string;
}

function described({ path, message }: ConfigProblem): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`;
}

/** A path as people write it: `zones[0].input.gpio`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

/** Where a value was said: `file:line:col`, or the environment variable that it or what it lies in came from. */
export function sourceText(file: ParsedFile, path: readonly (string | number)[]): string {
  const variables = path.map((_part, index) => file.fromEnvironment.get(path.slice(0, index + 1).join(".")));
  return variables.find((variable) => variable !== undefined) ?? placeOf(file, path).text;
}

/** Where a value stands. A value that is missing is placed where its nearest parent begins. */
function placeOf(
  { name, document, lines, fromEnvironment }: ParsedFile,
  path: readonly (string | number)[],
): SourceLocation {
  const variable = fromEnvironment.get(path.join("."));
  if (variable !== undefined) return { line: 0, col: 0, text: variable };
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = offsetAt(document, path.slice(0, length));
    if (offset === undefined) continue;
    const { line, col } = lines.linePos(offset);
    return { line, col, text: `${name}:${line}:${col}` };
  }
  return { line: 1, col: 1, text: `${name}:1:1` };
}

/** The key's position where the value has one, because that is what the reader looks for. */
function offsetAt(document: Document, path: readonly (string | number)[]): number | undefined {
  const last = path.at(-1);
  if (typeof last === "string") {
    const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    const pairs = (parent as { items?: unknown[] } | undefined)?.items ?? [];
    const pair = pairs.find((item) => isPair(item) && String(item.key) === last);
    if (isPair(pair) && isNode(pair.key)) return pair.key.range?.[0];
    return undefined;
  }
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

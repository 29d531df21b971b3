import { isCollection, isNode, isPair, isScalar, type Document, type LineCounter } from "yaml";
import { AppError } from "../domain/errors.ts";

/** One error with its path; the message includes the remedy. */
export interface ConfigProblem {
  /** Path of keys and indices to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Called for each error: its path, and what is wrong with the remedy. */
export type Report = (path: ConfigProblem["path"], message: string) => void;

/** A parsed file with the data to locate its values. */
export interface ParsedFile {
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
  /** Options from the environment: joined path -> name of the variable. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
  /** Former option names and foreign tags in the file, each with `file:line:col` and the remedy. */
  readonly warnings: readonly string[];
}

/** One error with its location. */
export interface ConfigError {
  /** `file:line:col` or the environment variable. */
  readonly place: string;
  /** The option, the problem and the remedy. */
  readonly message: string;
}

/** All errors of a configuration; the message has one line each: `file:line:col: path: problem`. */
export class ConfigurationError extends AppError {
  readonly errors: readonly ConfigError[];

  /** @param errors in the order of the message; duplicates are removed */
  constructor(errors: readonly ConfigError[]) {
    const byLine = new Map(errors.map((error) => [`${error.place}: ${error.message}`, error]));
    super("configuration", [...byLine.keys()].join("\n"));
    this.errors = [...byLine.values()];
  }
}

/** Each is searched for in the whole file; a person corrects the first ones and checks again. */
const PROBLEMS_MAX = 200;

/** Creates one error from the problems of a file, in the file's order. */
export function configurationError(file: ParsedFile, problems: readonly ConfigProblem[]): ConfigurationError {
  const sorted = problems
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => ({
      message: path.length === 0 ? message : `${pathText(path)}: ${message}`,
      place: locationOf(file, path),
    }))
    .sort((a, b) => a.place.line - b.place.line || a.place.col - b.place.col);
  return new ConfigurationError(sorted.map(({ message, place }) => ({ message, place: place.text })));
}

/** How a value is written in the file. */
export interface Written {
  /** The text of a number or word without quotes; undefined if it is not in the file, such as an option of the environment. */
  readonly source?: string | undefined;
  /** Whether it stands in a list or section in brackets, where an entry cannot have a line of its own. */
  readonly isInBrackets: boolean;
}

/** How the value at a path is written. */
export function writtenAt({ document }: ParsedFile, path: ConfigProblem["path"]): Written {
  const node: unknown = document.getIn(path, true);
  const isInBrackets = path.some((_part, index) => {
    const parent: unknown = document.getIn(path.slice(0, index), true);
    return isCollection(parent) && parent.flow === true;
  });
  return { source: isScalar(node) ? node.source : undefined, isInBrackets };
}

interface SourceLocation {
  readonly line: number;
  readonly col: number;
  readonly text: string;
}

/** Formats a path as `zones[0].input.gpio`. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

/** Source of a value: `file:line:col`, or the environment variable that set it or its parent. */
export function sourceText(file: ParsedFile, path: readonly (string | number)[]): string {
  return locationOf(file, path).text;
}

/** The environment variable that set a value, its parent, or the first option of a section that is not in the file. */
function variableOf(
  { fromEnvironment, document }: ParsedFile,
  path: readonly (string | number)[],
): string | undefined {
  const variables = path.map((_part, index) => fromEnvironment.get(path.slice(0, index + 1).join(".")));
  const own = variables.find((variable) => variable !== undefined);
  if (own !== undefined || path.length === 0 || offsetAt(document, path) !== undefined) return own;
  return [...fromEnvironment].find(([option]) => option.startsWith(`${path.join(".")}.`))?.[1];
}

/** Location of a value; a missing value has the location of its nearest parent. */
function locationOf(file: ParsedFile, path: readonly (string | number)[]): SourceLocation {
  const { name, document, lines } = file;
  const variable = variableOf(file, path);
  if (variable !== undefined) return { line: 0, col: 0, text: variable };
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = offsetAt(document, path.slice(0, length));
    if (offset === undefined) continue;
    const { line, col } = lines.linePos(offset);
    return { line, col, text: `${name}:${line}:${col}` };
  }
  return { line: 1, col: 1, text: `${name}:1:1` };
}

/** Offset of the value's key if it has one, otherwise of the value. */
function offsetAt(document: Document, path: readonly (string | number)[]): number | undefined {
  const last = path.at(-1);
  if (typeof last === "string") {
    const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    const pairs = (parent as { items?: unknown[] } | undefined)?.items ?? [];
    const pair = pairs.find(
      (item) => isPair(item) && String(isScalar(item.key) ? item.key.value : item.key) === last,
    );
    if (isPair(pair) && isNode(pair.key)) return pair.key.range?.[0];
    return undefined;
  }
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

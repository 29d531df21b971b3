import {
  Lexer,
  LineCounter,
  Parser,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  type Alias,
  type Document,
} from "yaml";

/** A configuration nests about eight levels; the YAML library recurses for each level. */
const DEPTH_MAX = 64;
/** Maximum values added by aliases: ten times a site with 256 zones and all options. */
const VALUES_MAX = 100_000;

/** Location of too deep nesting; line and column count from 1. */
export interface DepthProblem {
  readonly line: number;
  readonly col: number;
  readonly message: string;
}

/** A rejected alias: its offset in the text and the reason. */
export interface AliasProblem {
  readonly offset: number;
  readonly message: string;
}

/**
 * Finds too deep nesting; undefined if there is none. Called before the text is parsed: the library's parser recurses for
 * each level, and a stack overflow inside a regular expression ends the process.
 */
export function depthProblem(text: string): DepthProblem | undefined {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    // Consume the tokens: afterwards the parser's stack shows the depth.
    [...parser.next(lexeme)].length = 0;
    // The document itself is the bottom of the stack.
    if (parser.stack.length > DEPTH_MAX + 1)
      return {
        ...lines.linePos(parser.offset),
        message: `nested deeper than ${DEPTH_MAX} levels; no option needs that`,
      };
  }
  return undefined;
}

/**
 * Finds the first alias that cannot be resolved: without an anchor before it, inside its own anchor, or beyond the limit
 * of added values. Undefined if all can be resolved.
 */
export function aliasProblem(document: Document): AliasProblem | undefined {
  return new AliasWalk(document).problem();
}

class AliasWalk {
  readonly #document: Document;
  /** Current node of each anchor: the last definition so far (YAML 1.2.2, 7.1). */
  readonly #anchored = new Map<string, unknown>();
  /** Number of values of a node; not set while it is being counted. */
  readonly #values = new Map<unknown, number>();
  /** Values added by all aliases so far. */
  #repeated = 0;
  #problem: AliasProblem | undefined;

  constructor(document: Document) {
    this.#document = document;
  }

  problem(): AliasProblem | undefined {
    this.#count(this.#document.contents);
    return this.#problem;
  }

  /** Counts in the file's order, so that an anchor is counted before its aliases. */
  #count(node: unknown): number {
    if (this.#problem) return 0;
    if (isAlias(node)) return this.#countAlias(node);
    if (isPair(node)) return this.#count(node.key) + this.#count(node.value);
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined)
      this.#anchored.set(node.anchor, node);
    let values = 1;
    if (isCollection(node)) for (const item of node.items) values += this.#count(item);
    this.#values.set(node, values);
    return values;
  }

  #countAlias(alias: Alias): number {
    const { source } = alias;
    if (!this.#anchored.has(source))
      return this.#found(alias, `alias *${source} has no anchor &${source} before it; write the value out`);
    const values = this.#values.get(this.#anchored.get(source));
    if (values === undefined)
      return this.#found(alias, `alias *${source} is inside its own anchor; write the value out`);
    this.#repeated += values;
    if (this.#repeated > VALUES_MAX)
      return this.#found(
        alias,
        `with alias *${source} the aliases add more than ${VALUES_MAX} values; write the values out`,
      );
    return values;
  }

  #found({ range }: Alias, message: string): number {
    this.#problem ??= { offset: range?.[0] ?? 0, message };
    return 0;
  }
}

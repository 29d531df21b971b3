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

/** A configuration nests about eight levels; more than this is a mistake, and the YAML library recurses over it. */
const DEPTH_MAX = 64;
/** Values that aliases may add: a site with 256 zones that say everything has less than a tenth. */
const VALUES_MAX = 100_000;

/** Where a text nests too deep; line and column count from 1. */
export interface DepthProblem {
  readonly line: number;
  readonly col: number;
  readonly message: string;
}

/** Which alias is refused, by its offset in the text, and why. */
export interface AliasProblem {
  readonly offset: number;
  readonly message: string;
}

/**
 * Where a text nests deeper than any configuration; undefined when nowhere. Asked before the text is parsed: the
 * library's parser recurses for each level, and a stack that is full inside a regular expression ends the process.
 */
export function depthProblem(text: string): DepthProblem | undefined {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    // Run to its end for what it leaves in the stack: how deep the text is at this point.
    [...parser.next(lexeme)].length = 0;
    // At the bottom of the stack is the document itself.
    if (parser.stack.length > DEPTH_MAX + 1)
      return {
        ...lines.linePos(parser.offset),
        message: `this is nested deeper than ${DEPTH_MAX} levels; no option needs that`,
      };
  }
  return undefined;
}

/**
 * The first alias that cannot be replaced by what it repeats: one without an anchor before it, one within its own anchor,
 * one of several that together make the configuration explode. Undefined when all can be.
 */
export function aliasProblem(document: Document): AliasProblem | undefined {
  return new AliasWalk(document).problem();
}

class AliasWalk {
  readonly #document: Document;
  /** The node that an anchor names at this point of the file: the last one so far (YAML 1.2.2, 7.1). */
  readonly #anchored = new Map<string, unknown>();
  /** How many values a node makes; none while it is being counted. */
  readonly #values = new Map<unknown, number>();
  /** What all aliases so far add. */
  #repeated = 0;
  #problem: AliasProblem | undefined;

  constructor(document: Document) {
    this.#document = document;
  }

  problem(): AliasProblem | undefined {
    this.#count(this.#document.contents);
    return this.#problem;
  }

  /** In the file's order, so that what an alias repeats has been counted before it. */
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
      return this.#found(
        alias,
        `there is no anchor &${source} before the alias *${source}; write the value out`,
      );
    const values = this.#values.get(this.#anchored.get(source));
    if (values === undefined)
      return this.#found(alias, `the alias *${source} is part of what it repeats; write the value out`);
    this.#repeated += values;
    if (this.#repeated > VALUES_MAX)
      return this.#found(
        alias,
        `with the alias *${source} the aliases add more than ${VALUES_MAX} values; write out what is meant`,
      );
    return values;
  }

  #found({ range }: Alias, message: string): number {
    this.#problem ??= { offset: range?.[0] ?? 0, message };
    return 0;
  }
}

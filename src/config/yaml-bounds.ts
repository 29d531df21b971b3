import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  YAMLParseError,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  visit,
  type CST,
  type Document,
} from "yaml";

/** A configuration nests about eight levels; the YAML library recurses for each level. */
const DEPTH_MAX = 64;
/** Maximum values added by aliases: ten times a site with 256 zones and all options. */
const VALUES_MAX = 100_000;

/** Keys set twice that are reported; a person corrects the first ones and checks again. */
const DUPLICATES_MAX = 50;

/** Location of too deep nesting; line and column count from 1. */
interface DepthProblem {
  readonly line: number;
  readonly col: number;
  readonly message: string;
}

/** A rejected alias: its offset in the text and the reason. */
interface AliasProblem {
  readonly offset: number;
  readonly message: string;
}

/**
 * Parses a text of any origin, in a time that grows with its length only: `parseDocument` compares each key of a section with all
 * others, which takes minutes for a text of the largest size.
 * @param lines is filled with the text's lines
 * @returns the document with the errors of the text; where the text nests too deep, a document of what is before it
 */
export function parseBounded(text: string, lines = new LineCounter()): BoundedDocument {
  let tooDeep: DepthProblem | undefined;
  function* tokens(): Generator<CST.Token> {
    tooDeep = yield* boundedTokens(text, lines);
  }
  const composer = new Composer({ lineCounter: lines, uniqueKeys: false });
  const [document, second] = composer.compose(tokens(), true, text.length);
  if (!document) throw new Error("the YAML library composed no document");
  addDuplicateKeys(document);
  const several = "Source contains multiple documents";
  if (second)
    document.errors.push(new YAMLParseError([second.range[0], second.range[1]], "MULTIPLE_DOCS", several));
  return { document, tooDeep };
}

interface BoundedDocument {
  readonly document: Document.Parsed;
  readonly tooDeep: DepthProblem | undefined;
}

/** Adds the errors of keys that a section has twice, as the library does with `uniqueKeys`: of plain values, among its own. */
function addDuplicateKeys({ contents, errors }: Document.Parsed): void {
  const offsets: number[] = [];
  visit(contents, {
    Map: (_key, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value) && key.range) offsets.push(key.range[0]);
        known.add(key.value);
        if (offsets.length === DUPLICATES_MAX) return visit.BREAK;
      }
      return undefined;
    },
  });
  if (offsets.length === 0) return;
  for (const offset of offsets)
    errors.push(new YAMLParseError([offset, offset + 1], "DUPLICATE_KEY", "Map keys must be unique"));
  errors.sort((a, b) => a.pos[0] - b.pos[0]);
}

/**
 * The tokens of a text, up to too deep nesting, which is returned. The library composes a token recursively, a call for each level,
 * and a stack overflow inside a regular expression ends the process.
 */
function* boundedTokens(text: string, lines: LineCounter): Generator<CST.Token, DepthProblem | undefined> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    const complete = [...parser.next(lexeme)];
    // The parser's stack shows the depth; the document itself is the bottom of it.
    if (parser.stack.length > DEPTH_MAX + 1)
      return {
        ...lines.linePos(parser.offset),
        message: `nested deeper than ${DEPTH_MAX} levels; no option needs that`,
      };
    yield* complete;
  }
  yield* parser.end();
  return undefined;
}

/**
 * Finds the first alias that cannot be resolved: without an anchor before it, inside its own anchor, or beyond the limit
 * of added values. Undefined if all can be resolved.
 */
export function aliasProblem(document: Document): AliasProblem | undefined {
  /** Current node of each anchor: the last definition so far (YAML 1.2.2, 7.1). */
  const anchored = new Map<string, unknown>();
  /** Number of values of a node; not set while it is being counted. */
  const counts = new Map<unknown, number>();
  let added = 0;
  let problem: AliasProblem | undefined;

  // Counts in the file's order, so that an anchor is counted before its aliases.
  const count = (node: unknown): number => {
    if (problem) return 0;
    if (isPair(node)) return count(node.key) + count(node.value);
    if (isAlias(node)) {
      const values = counts.get(anchored.get(node.source));
      added += values ?? 0;
      const reason = aliasReason(node.source, anchored.has(node.source), values, added);
      if (reason !== undefined) problem = { offset: node.range?.[0] ?? 0, message: reason };
      return values ?? 0;
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchored.set(node.anchor, node);
    let values = 1;
    if (isCollection(node)) for (const item of node.items) values += count(item);
    counts.set(node, values);
    return values;
  };
  count(document.contents);
  return problem;
}

function aliasReason(
  name: string,
  hasAnchor: boolean,
  values: number | undefined,
  added: number,
): string | undefined {
  if (!hasAnchor) return `alias *${name} has no anchor &${name} before it; write the value out`;
  if (values === undefined) return `alias *${name} is inside its own anchor; write the value out`;
  if (added > VALUES_MAX)
    return `with alias *${name} the aliases add more than ${VALUES_MAX} values; write the values out`;
  return undefined;
}

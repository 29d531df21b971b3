import {
  isCollection,
  isPair,
  isScalar,
  visit,
  type Document,
  type LineCounter,
  type Pair,
  type YAMLError,
  type YAMLParseError,
} from "yaml";

/** A fault of the syntax, where its cause is, with the remedy. */
interface SyntaxFault {
  /** Offset in the text. */
  readonly offset: number;
  readonly message: string;
}

/** Faults that are reported; a person corrects the first ones and checks again. */
const FAULTS_MAX = 50;

interface Parsed {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly lines: LineCounter;
}

/**
 * The faults of a text with their remedies. The library goes on after a fault and reports further ones that only follow from it,
 * on the same lines and the next ones: of these, the first is given. Two options of one name are a fault of their own.
 */
export function syntaxFaults(parsed: Parsed): SyntaxFault[] {
  const faults: SyntaxFault[] = [];
  let lastLine = -1;
  for (const error of parsed.document.errors) {
    // Each is searched for in the whole text.
    if (faults.length === FAULTS_MAX) break;
    const { line } = parsed.lines.linePos(error.pos[0]);
    const isIndependent = error.code === "DUPLICATE_KEY";
    const isFollowing = !isIndependent && line <= lastLine + 1;
    if (!isFollowing) faults.push(faultOf(error, parsed));
    if (isIndependent) continue;
    lastLine = line;
    // What stands after the end of the document is all rejected.
    if (error.message.includes("in YAML stream")) break;
  }
  return faults;
}

/**
 * What the library reads otherwise than it is meant, with the remedy: the text after a tag of another program, and quotation marks
 * of a word processor.
 */
export function syntaxWarnings(parsed: Parsed): SyntaxFault[] {
  const tags = parsed.document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  return [...tags.map((warning) => faultOf(warning, parsed)), ...typographicQuotes(parsed.document)];
}

const TYPOGRAPHIC_QUOTE = /[„“”‟‚‘’‛«»]/g;

/**
 * Values without quotation marks of YAML that begin with another one, or end with one that nothing has opened, as in a text that was
 * copied from a document: a message with the value would never match. A value is not named, because it may be a password.
 */
function typographicQuotes(document: Document.Parsed): SyntaxFault[] {
  const found: SyntaxFault[] = [];
  visit(document, {
    Scalar: (key, { type, value, range }) => {
      if (found.length === FAULTS_MAX) return visit.BREAK;
      if (key === "key" || type !== "PLAIN" || typeof value !== "string" || !range) return undefined;
      const marks = value.match(TYPOGRAPHIC_QUOTE) ?? [];
      const [mark = ""] = marks;
      const isMeant = mark !== "" && (value.startsWith(mark) || (marks.length === 1 && value.endsWith(mark)));
      if (isMeant) found.push({ offset: range[0], message: notAQuote(mark) });
      return undefined;
    },
  });
  return found;
}

function notAQuote(mark: string): string {
  return `${mark} is part of this value: the quotation marks of YAML are " and '. Write one of these, or put the whole value in them if ${mark} belongs to it`;
}

function faultOf(error: YAMLError, parsed: Parsed): SyntaxFault {
  const fault = REMEDIES[error.code]?.(error, parsed);
  if (fault) return fault;
  const reason = error.message.split("\n")[0]?.replace(/ at line.*$/, "") ?? "";
  return { offset: error.pos[0], message: reason };
}

/** By the code of the library; undefined where another cause has the same code. */
type Remedy = (error: YAMLError, parsed: Parsed) => SyntaxFault | undefined;

const REMEDIES: Readonly<Partial<Record<YAMLParseError["code"], Remedy>>> = {
  DUPLICATE_KEY: ({ pos: [offset] }, { document, lines }) => {
    const [first, key] = duplicate(document, offset) ?? [];
    if (first === undefined || key === undefined) return undefined;
    const { line } = lines.linePos(first);
    // An entry of a list mostly begins with its id: without its sign it continues the entry before.
    const message =
      key === "id"
        ? `id is set twice, first in line ${line}. Keep one of them, or begin a new entry with - before id`
        : `${key} is set twice, first in line ${line}. Keep one of them`;
    return { offset, message };
  },
  MISSING_CHAR: ({ pos: [offset], message }, { document, text }) =>
    message.startsWith("Sequence item")
      ? { offset, message: OTHER_COLUMN }
      : open(openQuote(document, offset), text),
  BAD_INDENT: ({ pos: [offset], message }, { document, text }) =>
    message.startsWith("Flow")
      ? open(openBracket(document, offset, text), text)
      : { offset, message: OTHER_COLUMN },
  BLOCK_AS_IMPLICIT_KEY: (error, parsed) => ({
    offset: error.pos[0],
    message: hasBeside(error, "MULTILINE_IMPLICIT_KEY", parsed)
      ? "the next line is indented, but this option has its value already. Indent both equally"
      : "the value has a colon and a space in it. Put it in quotes",
  }),
  MULTILINE_IMPLICIT_KEY: (error, parsed) => ({
    offset: error.pos[0],
    message: hasBeside(error, "BLOCK_IN_FLOW", parsed)
      ? "the options in a pair of brackets are separated by commas. Put a comma after this one"
      : "an option needs a colon and a space before its value. Write it as option: value",
  }),
  UNEXPECTED_TOKEN: ({ pos: [offset] }, { text }) => ({
    offset,
    message: /[}\]]/.test(text.charAt(offset))
      ? `this ${text.charAt(offset)} closes nothing. Remove it`
      : "the value before this has ended. Put a comma between two values, or the whole text in quotes",
  }),
  TAB_AS_INDENT: ({ pos: [offset] }) => ({
    offset,
    message: "a tab cannot indent a line. Replace all tabs at the beginning of lines by spaces",
  }),
  BLOCK_IN_FLOW: ({ pos: [offset] }) => ({
    offset,
    message: "the options in a pair of brackets are separated by commas. Put a comma between them",
  }),
  BAD_DQ_ESCAPE: ({ pos: [offset] }) => ({
    offset,
    message: "in double quotes, \\ begins a special character. Use single quotes, or / in a path",
  }),
  MULTIPLE_DOCS: ({ pos: [offset] }) => ({
    offset,
    message: "a second configuration begins here. Remove this --- or one of the two",
  }),
  TAG_RESOLVE_FAILED: ({ pos: [offset], message }) => ({
    offset,
    message: `${/!\S*/.exec(message)?.[0] ?? "this tag"} has no meaning here and is ignored. Write the value itself, or put the text in quotes`,
  }),
  BAD_SCALAR_START: ({ pos: [offset] }, { text }) => ({
    offset,
    message: `a text cannot begin with ${text.charAt(offset)}. Put it in quotes`,
  }),
};

const OTHER_COLUMN =
  "this line begins in another column than its section. Begin all options of a section in one column";

/** Whether the library reports `code` in the same line too, which shows another cause. */
function hasBeside({ pos }: YAMLError, code: YAMLParseError["code"], { document, lines }: Parsed): boolean {
  const { line } = lines.linePos(pos[0]);
  return document.errors.some((other) => other.code === code && lines.linePos(other.pos[0]).line === line);
}

/** The offset of the first key of the same name in the same section, and the name. */
function duplicate(document: Document.Parsed, offset: number): readonly [number, string] | undefined {
  let found: readonly [number, string] | undefined;
  visit(document, {
    Map: (_key, { items }) => {
      const isAt = ({ key }: Pair): boolean => isScalar(key) && key.range?.[0] === offset;
      const second = items.find(isAt);
      if (!second || !isScalar(second.key)) return undefined;
      const name = second.key.value;
      const first = items.find(({ key }) => isScalar(key) && key.value === name)?.key;
      if (isScalar(first) && first.range) found = [first.range[0], String(name)];
      return visit.BREAK;
    },
  });
  return found;
}

/** A quotation mark ends with itself. */
const ENDS: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** Says where something begins that has no end. The library reports where it stopped looking, mostly far below. */
function open(offset: number | undefined, text: string): SyntaxFault | undefined {
  if (offset === undefined) return undefined;
  const begin = text.charAt(offset);
  const end = ENDS[begin] ?? begin;
  const message =
    begin === end
      ? `the text that begins here with ${begin} does not end. Close it with ${end}`
      : `the list or section that begins here with ${begin} does not end. Close it with ${end}`;
  return { offset, message };
}

/** Where the quoted text begins that has no end before `offset`. */
function openQuote(document: Document.Parsed, offset: number): number | undefined {
  let start: number | undefined;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (isQuoted && range && range[0] < offset && offset <= range[2] + 1) start = range[0];
    },
  });
  return start;
}

/** Where the innermost list or section in brackets begins that has no end before `offset`. */
function openBracket(document: Document.Parsed, offset: number, text: string): number | undefined {
  let start: number | undefined;
  visit(document, (_key, node) => {
    if (isPair(node) || !isCollection(node) || node.flow !== true || !node.range) return;
    const [from, until] = node.range;
    const isClosed = text.charAt(until - 1) === ENDS[text.charAt(from)];
    if (from < offset && offset <= node.range[2] && !isClosed) start = from;
  });
  return start;
}

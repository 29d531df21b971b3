import { isUtf8 } from "node:buffer";
import { isMet } from "../domain/message-condition.ts";
import type { MessageCondition } from "../generated/types.ts";

/** Location of a zone's values in a message, and conditions on the message. */
export interface MessageRule {
  /** JSON Pointer to the value; undefined for the whole payload. */
  readonly path?: string;
  readonly where?: readonly MessageCondition[];
  /** Whether plain text is also accepted where `path` points into JSON: bridges have an option for either. */
  readonly acceptsText?: boolean;
}

/** A larger payload is dropped before it is parsed; no sensor sends one. */
export const PAYLOAD_BYTES_MAX = 64 * 1024;
/** Maximum entries of one list; a device sends a few. */
export const ENTRIES_MAX = 256;

type RejectionReason = "too-large" | "not-utf8" | "not-json" | "too-many-entries";

const NOT_JSON = Symbol("not JSON");

type MessageViews = readonly MessageView[] | { readonly refused: RejectionReason };

/** A payload, parsed at most once for all zones. */
export class MessageContent {
  readonly text: string;
  #root: unknown = undefined;
  #isParsed = false;

  private constructor(text: string) {
    this.text = text;
  }

  /** Checks the size and encoding of a payload before it is parsed. */
  static of(payload: Uint8Array): MessageContent | { readonly refused: RejectionReason } {
    if (payload.byteLength > PAYLOAD_BYTES_MAX) return { refused: "too-large" };
    if (!isUtf8(payload)) return { refused: "not-utf8" };
    // Firmware written in C may send the terminating NUL of a string. A pattern would take seconds for thousands of them.
    let end = payload.byteLength;
    while (payload[end - 1] === 0) end -= 1;
    return new MessageContent(Buffer.from(payload.subarray(0, end)).toString("utf8").trim());
  }

  get isJson(): boolean {
    return this.root !== NOT_JSON;
  }

  /** The parsed payload; the text if it is not JSON or is a number, which may be a code such as 12E5. */
  get whole(): unknown {
    return this.isJson && typeof this.root !== "number" ? this.root : this.text;
  }

  private get root(): unknown {
    if (!this.#isParsed) this.#root = parse(this.text);
    this.#isParsed = true;
    return this.#root;
  }

  /**
   * The views of the message that meet the conditions of a rule. There is one view, or if the path leads through a list,
   * one for each entry, in order.
   * @returns no views if the message does not concern the rule's zone, or the reason why it cannot be read
   */
  viewsFor({ path, where = [], acceptsText = false }: MessageRule): MessageViews {
    const looksInside = (path !== undefined && !acceptsText) || where.length > 0;
    if (looksInside && this.text !== "" && !this.isJson) return { refused: "not-json" };
    const root = this.text === "" ? undefined : this.whole;
    const views = path === undefined ? [new MessageView(root)] : viewsAlong(root, tokensOf(path));
    if (views.length > ENTRIES_MAX) return { refused: "too-many-entries" };
    return views.filter((view) => where.every((condition) => isMet(condition, view.at(condition.path))));
  }
}

/** An entry of a list, and the path to that list. */
interface Entry {
  readonly prefix: readonly string[];
  readonly value: unknown;
}

/** A message as a rule sees it: each list on the rule's path is replaced by one of its entries. */
export class MessageView {
  readonly #root: unknown;
  /** The outermost list first. */
  readonly #entries: readonly Entry[];

  constructor(root: unknown, entries: readonly Entry[] = []) {
    this.#root = root;
    this.#entries = entries;
  }

  /**
   * The value at a JSON Pointer (RFC 6901), or undefined; without a pointer the whole message. In any other list, the
   * values of all entries.
   */
  at(path: string | undefined): unknown {
    if (path === undefined) return this.#root;
    const tokens = tokensOf(path);
    const entry = this.#entries.findLast(({ prefix }) =>
      prefix.every((token, index) => token === tokens[index]),
    );
    return entry
      ? find(withoutList(entry.value), tokens.slice(entry.prefix.length))
      : find(this.#root, tokens);
  }
}

function tokensOf(path: string): string[] {
  return path
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function viewsAlong(root: unknown, tokens: readonly string[], entries: readonly Entry[] = []): MessageView[] {
  const last = entries.at(-1);
  const from = last?.prefix.length ?? 0;
  let at = last ? withoutList(last.value) : root;
  for (const [index, token] of tokens.entries()) {
    if (index < from) continue;
    if (leadsThrough(at, token))
      return at.flatMap((value) => {
        const prefix = tokens.slice(0, index);
        return viewsAlong(root, tokens, [...entries, { prefix, value }]);
      });
    at = ownValue(at, token);
  }
  return [new MessageView(root, entries)];
}

/** Whether a path continues in every entry of a list; RFC 6901 has an index there. */
function leadsThrough(at: unknown, token: string): at is unknown[] {
  return Array.isArray(at) && !/^\d+$/.test(token);
}

function find(root: unknown, tokens: readonly string[]): unknown {
  let at = root;
  for (const [index, token] of tokens.entries()) {
    if (leadsThrough(at, token))
      return at.length > ENTRIES_MAX
        ? undefined
        : at.flatMap((entry) => find(withoutList(entry), tokens.slice(index)) ?? []);
    at = ownValue(at, token);
  }
  return Array.isArray(at) && at.length > ENTRIES_MAX ? undefined : at;
}

/** A list directly inside a list is ignored, which limits the cost of deeply nested payloads. */
function withoutList(entry: unknown): unknown {
  return Array.isArray(entry) ? undefined : entry;
}

/** Own properties only, so that no prototype can be reached. */
function ownValue(at: unknown, key: string): unknown {
  if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
  return (at as Record<string, unknown>)[key];
}

/* Both patterns also match whole strings, to skip them, and an unterminated one up to its end: each payload is scanned once. */
/** Python writes a failed measurement as NaN, which is not JSON; other values of the message still count. */
const NOT_NUMBERS = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|-?\bInfinity\b|\bNaN\b/g;
/** A double cannot hold 16 digits or more, such as a transmitter's code. */
const LONG_NUMBERS = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

function parse(text: string): unknown {
  const exact = /\d{16}/.test(text) ? outsideStrings(text, LONG_NUMBERS, (digits) => `"${digits}"`) : text;
  try {
    return JSON.parse(exact);
  } catch {
    if (!/^[{[].*(?:NaN|Infinity)/s.test(text)) return NOT_JSON;
  }
  try {
    return JSON.parse(outsideStrings(exact, NOT_NUMBERS, () => "null"));
  } catch {
    return NOT_JSON;
  }
}

/** Replaces the matches of a pattern that are not strings. */
function outsideStrings(text: string, pattern: RegExp, replacement: (match: string) => string): string {
  return text.replaceAll(pattern, (part) => (part.startsWith('"') ? part : replacement(part)));
}

import { isUtf8 } from "node:buffer";
import type { MessageCondition } from "../generated/types.ts";
import { isMet } from "../domain/message-condition.ts";

/** Where in a message the values of a zone are, and which messages are about it. */
export interface MessageRule {
  /** JSON Pointer to the value; undefined for the whole payload. */
  readonly path?: string;
  readonly where?: readonly MessageCondition[];
  /** Whether plain text is read as well where `path` leads into JSON: bridges have an option for either. */
  readonly isTextToo?: boolean;
}

/** A larger payload is dropped before anything is parsed: no sensor sends one. */
export const PAYLOAD_BYTES_MAX = 64 * 1024;
/** Entries of one list that are looked at; a device sends a handful. */
export const ENTRIES_MAX = 256;

export type RefusedContent = "too-large" | "not-utf8" | "not-json" | "too-many-entries";

const NOT_JSON = Symbol("not JSON");

export type MessageViews = readonly MessageView[] | { readonly refused: RefusedContent };

/** A payload, parsed at most once however many zones look into it. */
export class MessageContent {
  readonly text: string;
  #root: unknown = undefined;
  #isParsed = false;

  private constructor(text: string) {
    this.text = text;
  }

  /** Looks at a payload before anything is made of it. */
  static of(payload: Uint8Array): MessageContent | { readonly refused: RefusedContent } {
    if (payload.byteLength > PAYLOAD_BYTES_MAX) return { refused: "too-large" };
    if (!isUtf8(payload)) return { refused: "not-utf8" };
    // Firmware written in C may send the end of its string as well.
    const text = Buffer.from(payload).toString("utf8").replace(/\0+$/, "");
    return new MessageContent(text.trim());
  }

  get isJson(): boolean {
    return this.root !== NOT_JSON;
  }

  /** The parsed payload; the text itself where it is not JSON, or a number, which may be a code such as 12E5. */
  get whole(): unknown {
    return this.isJson && typeof this.root !== "number" ? this.root : this.text;
  }

  private get root(): unknown {
    if (!this.#isParsed) this.#root = parse(this.text);
    this.#isParsed = true;
    return this.#root;
  }

  /**
   * The messages in it that meet the conditions of a rule: itself, or where the path leads through a list, one for each
   * entry, in their order.
   * @returns none where it says nothing about this rule's zone, or why it cannot be read
   */
  viewsFor({ path, where = [], isTextToo = false }: MessageRule): MessageViews {
    const looksInside = (path !== undefined && !isTextToo) || where.length > 0;
    if (looksInside && this.text !== "" && !this.isJson) return { refused: "not-json" };
    const root = this.text === "" ? undefined : this.whole;
    const views = path === undefined ? [new MessageView(root)] : viewsAlong(root, tokensOf(path));
    if (views.length > ENTRIES_MAX) return { refused: "too-many-entries" };
    return views.filter((view) => where.every((condition) => isMet(condition, view.at(condition.path))));
  }
}

/** An entry of a list, and the way to that list. */
interface Entry {
  readonly way: readonly string[];
  readonly value: unknown;
}

/** A message as a rule sees it: as if each list that its path leads through were the one entry that is looked at. */
export class MessageView {
  readonly #root: unknown;
  /** The outermost first. */
  readonly #entries: readonly Entry[];

  constructor(root: unknown, entries: readonly Entry[] = []) {
    this.#root = root;
    this.#entries = entries;
  }

  /**
   * What is at a JSON Pointer (RFC 6901), undefined for nothing; without one the whole message. Of a list that is not
   * the one that is looked at, what is in all of its entries.
   */
  at(path: string | undefined): unknown {
    if (path === undefined) return this.#root;
    const tokens = tokensOf(path);
    const entry = this.#entries.findLast(({ way }) => way.every((token, index) => token === tokens[index]));
    return entry ? find(withoutList(entry.value), tokens.slice(entry.way.length)) : find(this.#root, tokens);
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
  const from = last?.way.length ?? 0;
  let at = last ? withoutList(last.value) : root;
  for (const [index, token] of tokens.entries()) {
    if (index < from) continue;
    if (leadsThrough(at, token))
      return at.flatMap((value) => {
        const way = tokens.slice(0, index);
        return viewsAlong(root, tokens, [...entries, { way, value }]);
      });
    at = ownValue(at, token);
  }
  return [new MessageView(root, entries)];
}

/** Whether a way goes on in every entry of a list: RFC 6901 has numbers there. */
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

/** A list right inside a list is no event: whoever nests them a thousand times finds nothing at its end. */
function withoutList(entry: unknown): unknown {
  return Array.isArray(entry) ? undefined : entry;
}

/** Own properties only, so that no prototype can be reached. */
function ownValue(at: unknown, key: string): unknown {
  if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
  return (at as Record<string, unknown>)[key];
}

/*
 * Both find whole strings as well, to leave them alone, and one without an end to its last character: so that no payload
 * is gone through more than once.
 */
/** Python writes a measurement that failed as NaN, which is not JSON; the contact beside it still counts. */
const NOT_NUMBERS = /"(?:[^"\\]|\\.)*(?:"|$)|-?\bInfinity\b|\bNaN\b/g;
/** A double does not hold 16 digits and more, such as those of a transmitter's code. */
const LONG_NUMBERS = /"(?:[^"\\]|\\.)*(?:"|$)|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

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

/** Replaces what a pattern finds besides strings, which it finds as well. */
function outsideStrings(text: string, pattern: RegExp, written: (found: string) => string): string {
  return text.replaceAll(pattern, (part) => (part.startsWith('"') ? part : written(part)));
}

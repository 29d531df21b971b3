import { isUtf8 } from "node:buffer";
import type { MessageCondition } from "../generated/types.ts";
import { isMet } from "../domain/message-condition.ts";

/** Where in a message the values of a zone are, and which messages are about it. */
export interface MessageRule {
  /** JSON Pointer to the value; undefined for the whole payload. */
  readonly path?: string;
  /** JSON Pointer to a list whose entries are messages of their own. */
  readonly each?: string;
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

  /** The parsed payload; the text itself where it is not JSON. */
  get whole(): unknown {
    return this.isJson ? this.root : this.text;
  }

  private get root(): unknown {
    if (!this.#isParsed) this.#root = parse(this.text);
    this.#isParsed = true;
    return this.#root;
  }

  /**
   * The messages in it that meet the conditions of a rule: itself, or the entries of its list, in their order.
   * @returns none where it says nothing about this rule's zone, or why it cannot be read
   */
  viewsFor({ path, each, where = [], isTextToo = false }: MessageRule): MessageViews {
    const looksInside = (path !== undefined && !isTextToo) || each !== undefined || where.length > 0;
    if (looksInside && this.text !== "" && !this.isJson) return { refused: "not-json" };
    const root = this.text === "" ? undefined : this.whole;
    const views = each === undefined ? [new MessageView(root)] : entriesOf(root, each);
    if (views.length > ENTRIES_MAX) return { refused: "too-many-entries" };
    return views.filter((view) => where.every((condition) => isMet(condition, view.at(condition.path))));
  }
}

/** A message as a rule sees it: with `each`, as if the list were the one entry that is looked at. */
export class MessageView {
  readonly #root: unknown;
  readonly #each: string | undefined;
  readonly #entry: unknown;

  constructor(root: unknown, each?: string, entry?: unknown) {
    this.#root = root;
    this.#each = each;
    this.#entry = entry;
  }

  /** What is at a JSON Pointer (RFC 6901), undefined for nothing; without one the whole message, or the whole entry. */
  at(path: string | undefined): unknown {
    const each = this.#each;
    if (each === undefined) return path === undefined ? this.#root : find(this.#root, path);
    if (path === undefined || path === each) return this.#entry;
    return path.startsWith(`${each}/`) ? find(this.#entry, path.slice(each.length)) : find(this.#root, path);
  }
}

/** Bridges that translate XML write a list of one entry as the entry itself. */
function entriesOf(root: unknown, each: string): readonly MessageView[] {
  const list = each === "" ? root : find(root, each);
  if (list === undefined || list === null || typeof list !== "object") return [];
  return [list].flat().map((entry: unknown) => new MessageView(root, each, entry));
}

/** Follows a pointer over own properties only, so that no prototype can be reached. */
function find(root: unknown, path: string): unknown {
  let at = root;
  for (const token of path.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
    if (Array.isArray(at) && !/^\d+$/.test(key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** Python writes a measurement that failed as NaN, which is not JSON; the contact beside it still counts. */
const NOT_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (!/^[{[].*(?:NaN|Infinity)/s.test(text)) return NOT_JSON;
  }
  try {
    return JSON.parse(text.replaceAll(NOT_NUMBERS, (part) => (part.startsWith('"') ? part : "null")));
  } catch {
    return NOT_JSON;
  }
}

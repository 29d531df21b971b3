import { createHash } from "node:crypto";
import { NOT_UNPACKED } from "../../client/response-body.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { itemsOf } from "../wrapped-body.ts";

/** Metadata of one page of a list; its rows are in the mirror. */
export interface KnownPage {
  /** ETag of the page; undefined if the server sends none. */
  readonly tag: string | undefined;
  /** Number of items, including invalid ones. */
  readonly items: number;
  /** Ids of its objectives, in page order. */
  readonly ids: readonly number[];
  /** Hash of their descriptions. */
  readonly digest: string;
}

/** The result of reading one page. */
type PageRead =
  | {
      readonly kind: "page";
      readonly outcome: ReadOutcome;
      readonly items: number;
      /** Descriptions as JSON, with their ids. */
      readonly entries: readonly (readonly [id: number, text: string])[];
    }
  /** The whole list is unchanged. */
  | { readonly kind: "whole"; readonly outcome: ReadOutcome; readonly rows: ReadonlyMap<number, string> }
  | { readonly kind: "failed"; readonly outcome: ReadOutcome };

interface PageReaderOptions {
  readonly centre: Pick<UpstreamClient, "read">;
  /** The pages, by path, whose tags may be sent; undefined to read every page. */
  readonly known: ReadonlyMap<string, KnownPage> | undefined;
  /** The mirror of that list: each description as JSON, by id. */
  readonly copy: ReadonlyMap<number, string>;
  readonly habits: ListReadCapabilities;
}

/** What the dispatch centre has shown to support; readers of all its lists share it. */
export interface ListReadCapabilities {
  /** Whether responses may be compressed: false after one could not be decompressed. */
  mayCompress: boolean;
  /** Whether conditional requests may be sent: false after one was rejected, or after a 304 for an unknown tag. */
  mayTag: boolean;
}

/** A tag that no version has. A server that answers 304 to it does so for every page. */
const UNKNOWN_TAG = '"santinela-no-version"';
/** Status codes that may reject a conditional request. Other codes have their usual meaning. */
const REJECTIONS: ReadonlySet<string> = new Set(["400", "405", "406", "409", "412", "422", "501"]);

/** Longer descriptions are stored with id and name only. */
const ROW_CHARACTERS_MAX = 16 * 1024;

/** Reads the pages of one list; unchanged pages come from the mirror. */
export class PageReader {
  readonly #options: PageReaderOptions;
  readonly #habits: ListReadCapabilities;
  /** The pages read so far, by path. */
  readonly pages = new Map<string, KnownPage>();

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.#habits = options.habits;
  }

  /** Whether every page was read without a known tag. */
  get isFull(): boolean {
    return this.#options.known === undefined;
  }

  /** @param path path of a page, with its query */
  async read(path: string): Promise<PageRead> {
    const known = this.#habits.mayTag ? this.#options.known?.get(path) : undefined;
    const entries = known && this.#entriesOf(known);
    const isTagTest = this.isFull && this.pages.size === 0 && this.#habits.mayTag;
    const tag = isTagTest ? UNKNOWN_TAG : entries && known.tag;
    const outcome = await this.#request(path, tag);
    const isRejected = tag !== undefined && REJECTIONS.has(outcome.code);
    if (isRejected || (isTagTest && outcome.isUnchanged === true)) this.#habits.mayTag = false;
    if (outcome.isUnchanged !== true && !isRejected) return this.#received(path, outcome);
    // A 304 with another tag does not confirm the stored version.
    const isSame =
      outcome.tag === undefined || withoutWeakPrefix(outcome.tag) === withoutWeakPrefix(known?.tag);
    if (isRejected || !known || !entries || !isSame) return this.#received(path, await this.#request(path));
    const rows = this.pages.size === 0 ? this.#wholeList(known) : undefined;
    this.pages.set(path, known);
    if (rows) return { kind: "whole", outcome, rows };
    return { kind: "page", outcome, items: known.items, entries };
  }

  async #request(path: string, tag?: string): Promise<ReadOutcome> {
    const condition: Record<string, string> = tag === undefined ? {} : { "If-None-Match": tag };
    if (!this.#habits.mayCompress) return this.#options.centre.read(path, condition);
    const outcome = await this.#options.centre.read(path, { "Accept-Encoding": "gzip", ...condition });
    if (outcome.code !== NOT_UNPACKED) return outcome;
    this.#habits.mayCompress = false;
    return this.#options.centre.read(path);
  }

  #received(path: string, outcome: ReadOutcome): PageRead {
    // Some servers answer 404 after the last page, or if they have no such list.
    const isMissing = outcome.code === "404" && outcome.link === "ok";
    const items = isMissing ? [] : itemsOf(outcome.value);
    if (!items) return { kind: "failed", outcome };
    const entries = items.flatMap(objectiveIn);
    const ids = entries.map(([id]) => id);
    const digest = digestOf(entries);
    this.pages.set(path, { tag: outcome.tag, items: items.length, ids, digest });
    return { kind: "page", outcome, items: items.length, entries };
  }

  /** Returns undefined if the mirror no longer has the rows of the page. */
  #entriesOf({ ids, digest }: KnownPage): [id: number, text: string][] | undefined {
    const entries = ids.flatMap((id): [number, string][] => {
      const text = this.#options.copy.get(id);
      return text === undefined ? [] : [[id, text]];
    });
    return digestOf(entries) === digest ? entries : undefined;
  }

  /**
   * The rows of a list whose pages all share this tag: it is a tag of the whole list, so one response is enough.
   * Undefined for any other list.
   */
  #wholeList({ tag }: KnownPage): ReadonlyMap<number, string> | undefined {
    const { known, copy } = this.#options;
    if (!known || [...known.values()].some((page) => page.tag !== tag)) return undefined;
    for (const [path, page] of known) {
      if (!this.#entriesOf(page)) return undefined;
      this.pages.set(path, page);
    }
    const ids = new Set([...known.values()].flatMap((page) => page.ids));
    return new Map([...ids].map((id) => [id, copy.get(id) ?? ""]));
  }
}

/** A tag for comparison: weak or strong makes no difference for a list (RFC 9110, 8.8.3.2). */
function withoutWeakPrefix(tag: string | undefined): string | undefined {
  return tag?.replace(/^W\//, "");
}

function digestOf(entries: readonly (readonly [number, string])[]): string {
  const hash = createHash("sha1");
  for (const [, text] of entries) hash.update(text).update("\n");
  return hash.digest("base64");
}

/** An item as stored, always with a name; empty if it is not an objective. */
function objectiveIn(item: unknown): [id: number, text: string][] {
  if (item === null || typeof item !== "object" || Array.isArray(item)) return [];
  const { id, name: given, ...rest } = item as { id?: unknown; name?: unknown };
  if (!Number.isSafeInteger(id) || (id as number) < 1) return [];
  // The contract defines the fields of a building only; an asset or a person may lack a name.
  const name = typeof given === "string" && given.trim() !== "" ? given : `#${String(id)}`;
  const text = JSON.stringify({ id, name, ...rest });
  return [
    [
      id as number,
      text.length > ROW_CHARACTERS_MAX ? JSON.stringify({ id, name: name.slice(0, 200) }) : text,
    ],
  ];
}

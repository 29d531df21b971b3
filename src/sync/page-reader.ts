import { createHash } from "node:crypto";
import { NOT_UNPACKED } from "../client/answer-body.ts";
import { itemsOf, type ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";

/** What is remembered of one page of a list, instead of its rows: those are in the copy of the list. */
export interface KnownPage {
  /** The centre's name for this version of the page; undefined where it gives none. */
  readonly tag: string | undefined;
  /** How many items it had, objectives or not. */
  readonly items: number;
  /** Ids of its objectives, in its order. */
  readonly ids: readonly number[];
  /** Hash of their descriptions. */
  readonly digest: string;
}

/** A list as it was last read to its end and taken over. */
export interface KnownList {
  /** By path. */
  readonly pages: ReadonlyMap<string, KnownPage>;
}

/** What the request for one page has brought. */
export type PageRead =
  | {
      readonly kind: "page";
      readonly outcome: ReadOutcome;
      readonly items: number;
      /** Descriptions as JSON with their ids. */
      readonly entries: readonly (readonly [id: number, text: string])[];
    }
  /** The whole list is as it was. */
  | { readonly kind: "whole"; readonly outcome: ReadOutcome; readonly rows: ReadonlyMap<number, string> }
  | { readonly kind: "failed"; readonly outcome: ReadOutcome };

export interface PageReaderOptions {
  readonly centre: Pick<UpstreamClient, "read">;
  /** The list whose tags may be sent; undefined to read every page. */
  readonly known: KnownList | undefined;
  /** The copy of that list: each description as JSON, by id. */
  readonly copy: ReadonlyMap<number, string>;
  /** Whether answers may be packed. */
  readonly mayPack: boolean;
  /** Whether the centre may be asked by tags. */
  readonly mayTag: boolean;
}

/** No version has this tag. A centre that calls its page unchanged since then reports it of every page. */
const NO_VERSION = '"santinela-no-version"';
/** Answers by which a centre may refuse a question with a tag. The others say what they say of any question. */
const REFUSALS: ReadonlySet<string> = new Set(["400", "405", "406", "409", "412", "422", "501"]);

/** A longer description is kept as number and name alone. */
const ROW_CHARACTERS_MAX = 16 * 1024;

/** Reads the pages of one list, and takes those that the centre says are unchanged from the copy. */
export class PageReader {
  readonly #options: PageReaderOptions;
  #mayPack: boolean;
  #mayTag: boolean;
  /** The pages that were read so far, by path. */
  readonly pages = new Map<string, KnownPage>();

  constructor(options: PageReaderOptions) {
    this.#options = options;
    this.#mayPack = options.mayPack;
    this.#mayTag = options.mayTag;
  }

  /** Whether no page was asked for by a tag of its own. */
  get isFull(): boolean {
    return this.#options.known === undefined;
  }

  /** Whether answers may be packed still: no if one could not be unpacked. */
  get mayPack(): boolean {
    return this.#mayPack;
  }

  /** Whether the centre may still be asked by tags: no if it has refused that, or called what cannot be unchanged. */
  get mayTag(): boolean {
    return this.#mayTag;
  }

  /** @param path of a page, with its query */
  async read(path: string): Promise<PageRead> {
    const known = this.#mayTag ? this.#options.known?.pages.get(path) : undefined;
    const entries = known && this.#entriesOf(known);
    const isTrial = this.isFull && this.pages.size === 0 && this.#mayTag;
    const tag = isTrial ? NO_VERSION : entries && known.tag;
    const outcome = await this.#ask(path, tag);
    const isRefused = tag !== undefined && REFUSALS.has(outcome.code);
    if (isRefused || (isTrial && outcome.isUnchanged === true)) this.#mayTag = false;
    if (outcome.isUnchanged !== true && !isRefused) return this.#received(path, outcome);
    // A 304 that names another version says nothing about the one that is here.
    const isSame = outcome.tag === undefined || bare(outcome.tag) === bare(known?.tag);
    if (isRefused || !known || !entries || !isSame) return this.#received(path, await this.#ask(path));
    const rows = this.pages.size === 0 ? this.#wholeList(known) : undefined;
    this.pages.set(path, known);
    if (rows) return { kind: "whole", outcome, rows };
    return { kind: "page", outcome, items: known.items, entries };
  }

  async #ask(path: string, tag?: string): Promise<ReadOutcome> {
    const condition: Record<string, string> = tag === undefined ? {} : { "If-None-Match": tag };
    if (!this.#mayPack) return this.#options.centre.read(path, condition);
    const outcome = await this.#options.centre.read(path, { "Accept-Encoding": "gzip", ...condition });
    if (outcome.code !== NOT_UNPACKED) return outcome;
    this.#mayPack = false;
    return this.#options.centre.read(path);
  }

  #received(path: string, outcome: ReadOutcome): PageRead {
    // Some servers have no page behind the last row, and one may have no list of this kind at all.
    const isNoPage = outcome.code === "404" && outcome.link === "ok";
    const items = isNoPage ? [] : itemsOf(outcome.value);
    if (!items) return { kind: "failed", outcome };
    const entries = items.flatMap(objectiveIn);
    const ids = entries.map(([id]) => id);
    const digest = digestOf(entries);
    this.pages.set(path, { tag: outcome.tag, items: items.length, ids, digest });
    return { kind: "page", outcome, items: items.length, entries };
  }

  /** Undefined where the copy has no longer what the page had. */
  #entriesOf({ ids, digest }: KnownPage): [id: number, text: string][] | undefined {
    const entries = ids.flatMap((id): [number, string][] => {
      const text = this.#options.copy.get(id);
      return text === undefined ? [] : [[id, text]];
    });
    return digestOf(entries) === digest ? entries : undefined;
  }

  /**
   * The rows of a list whose pages all had this page's tag: it is a version of the list, and one answer is enough.
   * Undefined for any other list.
   */
  #wholeList({ tag }: KnownPage): ReadonlyMap<number, string> | undefined {
    const { known, copy } = this.#options;
    if (!known || [...known.pages.values()].some((page) => page.tag !== tag)) return undefined;
    for (const [path, page] of known.pages) {
      if (!this.#entriesOf(page)) return undefined;
      this.pages.set(path, page);
    }
    const ids = new Set([...known.pages.values()].flatMap((page) => page.ids));
    return new Map([...ids].map((id) => [id, copy.get(id) ?? ""]));
  }
}

/** A tag as it is compared: weak or strong makes no difference to a list (RFC 9110, 8.8.3.2). */
function bare(tag: string | undefined): string | undefined {
  return tag?.replace(/^W\//, "");
}

function digestOf(entries: readonly (readonly [number, string])[]): string {
  const hash = createHash("sha1");
  for (const [, text] of entries) hash.update(text).update("\n");
  return hash.digest("base64");
}

/** An item as it is kept: with its name, because a list without names is of no use; nothing of it for no objective. */
function objectiveIn(item: unknown): [id: number, text: string][] {
  if (item === null || typeof item !== "object" || Array.isArray(item)) return [];
  const { id, name: given, ...rest } = item as { id?: unknown; name?: unknown };
  if (!Number.isSafeInteger(id) || (id as number) < 1) return [];
  // The interface shows the fields of a building alone; what an asset or a person has may not be called a name.
  const name = typeof given === "string" && given.trim() !== "" ? given : `#${String(id)}`;
  const text = JSON.stringify({ id, name, ...rest });
  return [
    [
      id as number,
      text.length > ROW_CHARACTERS_MAX ? JSON.stringify({ id, name: name.slice(0, 200) }) : text,
    ],
  ];
}

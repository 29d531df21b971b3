import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import type { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { PageReader, type KnownList, type KnownPage } from "./page-reader.ts";

/** A list is read without its tags at least once in this time, whatever the centre says of them. */
const FULL_EVERY_MS = 86_400_000;

interface Remembered extends KnownList {
  /** The reading of the copy that it is, so that no other copy is taken for it. */
  readonly generation: number;
  /** Monotonic clock of the last reading without tags. */
  readonly fullAtMs: number;
}

/**
 * The tags of the centre's lists, and what makes them unusable. A foreign centre may refuse a question with a tag, answer
 * 304 to all of them, or give tags that are the same for everything. Then none is sent until the next start.
 */
export class KnownLists {
  readonly #store: UpstreamObjectiveStore;
  readonly #lists = new Map<ObjectiveType, Remembered>();
  #areTagsUsable = true;
  #mayPack = true;

  constructor(store: UpstreamObjectiveStore) {
    this.#store = store;
  }

  /**
   * A reader for one list.
   * @param options `mayTrustTags`: else every page is read; `nowMs`: monotonic clock
   */
  reader(
    type: ObjectiveType,
    {
      centre,
      mayTrustTags,
      nowMs,
    }: { centre: Pick<UpstreamClient, "read">; mayTrustTags: boolean; nowMs: number },
  ): PageReader {
    const list = this.#lists.get(type);
    const isDue = list !== undefined && nowMs - list.fullAtMs >= FULL_EVERY_MS;
    const isSameCopy = list?.generation === this.#store.walk(type)?.generation;
    const isUsable = mayTrustTags && this.#areTagsUsable && isSameCopy && !isDue;
    const known = isUsable ? list : undefined;
    const copy = known ? this.#copyOf(type) : NOTHING;
    return new PageReader({ centre, known, copy, mayPack: this.#mayPack, mayTag: this.#areTagsUsable });
  }

  /** Takes note of what a reader has learned about the centre, whatever became of the list. */
  noteAnswers({ mayPack, mayTag }: PageReader): void {
    this.#mayPack &&= mayPack;
    this.#areTagsUsable &&= mayTag;
  }

  /** Remembers a list that was read to its end and is now the copy. @param nowMs monotonic clock */
  keep(type: ObjectiveType, reader: PageReader, nowMs: number): void {
    const { pages } = reader;
    const before = this.#lists.get(type);
    if (hasOtherRows(before?.pages, pages) || this.#isTagOfAnotherList(type, pages))
      this.#areTagsUsable = false;
    const generation = this.#store.walk(type)?.generation ?? 0;
    const fullAtMs = reader.isFull ? nowMs : (before?.fullAtMs ?? nowMs);
    this.#lists.set(type, { pages, generation, fullAtMs });
  }

  #copyOf(type: ObjectiveType): ReadonlyMap<number, string> {
    const rows = [...this.#store.listed(type)].filter(([, { missingSinceMs }]) => missingSinceMs === null);
    return new Map(rows.map(([id, { data }]) => [id, data]));
  }

  #isTagOfAnotherList(type: ObjectiveType, pages: ReadonlyMap<string, KnownPage>): boolean {
    const own = tagsOf(pages);
    const others = OBJECTIVE_TYPES.filter((other) => other !== type);
    return others.some((other) => tagsOf(this.#lists.get(other)?.pages).some((tag) => own.includes(tag)));
  }
}

const NOTHING: ReadonlyMap<number, string> = new Map();

/** Tags of pages with rows: two empty pages may well have the same one. */
function tagsOf(pages: ReadonlyMap<string, KnownPage> = new Map()): string[] {
  return [...pages.values()].flatMap(({ tag, ids }) => (tag !== undefined && ids.length > 0 ? [tag] : []));
}

/** Whether a page has come with other rows under the tag that it had before. */
function hasOtherRows(
  before: ReadonlyMap<string, KnownPage> | undefined,
  now: ReadonlyMap<string, KnownPage>,
): boolean {
  return [...now].some(([path, { tag, digest }]) => {
    const page = before?.get(path);
    return tag !== undefined && page?.tag === tag && page.digest !== digest;
  });
}

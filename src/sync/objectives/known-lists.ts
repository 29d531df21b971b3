import { OBJECTIVE_TYPES, type ObjectiveType } from "../../domain/objective.ts";
import type { UpstreamObjectiveStore } from "../../store/upstream-objectives.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { PageReader, type KnownPage, type ListReadCapabilities } from "./page-reader.ts";

/** Each list is read without ETags at least this often, so that a wrong ETag cannot hide a change for longer. */
const FULL_READ_INTERVAL_MS = 86_400_000;

/** A list as last read completely and stored. */
interface TaggedList {
  readonly pages: ReadonlyMap<string, KnownPage>;
  /** Generation of the stored list that these tags describe. */
  readonly generation: number;
  /** Monotonic time of the last read without tags. */
  readonly fullAtMs: number;
}

/**
 * Remembers the ETags of the objective lists and decides if they can be used. A dispatch centre may reject a
 * conditional request, answer 304 to all of them, or repeat one tag for different content. Then no tags are
 * sent until the next start.
 */
export class KnownLists {
  readonly #store: UpstreamObjectiveStore;
  readonly #lists = new Map<ObjectiveType, TaggedList>();
  readonly #habits: ListReadCapabilities = { mayCompress: true, mayTag: true };

  constructor(store: UpstreamObjectiveStore) {
    this.#store = store;
  }

  /**
   * Returns a reader for one list.
   * @param options `mayTrustTags`: false to read every page; `nowMs`: monotonic clock
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
    const isDue = list !== undefined && nowMs - list.fullAtMs >= FULL_READ_INTERVAL_MS;
    const isSameCopy = list?.generation === this.#store.lastRead(type)?.generation;
    const isUsable = mayTrustTags && this.#habits.mayTag && isSameCopy && !isDue;
    const known = isUsable ? list?.pages : undefined;
    const copy = known ? this.#mirrorOf(type) : new Map<number, string>();
    return new PageReader({ centre, known, copy, habits: this.#habits });
  }

  /**
   * Stores the tags of a list that was read completely and written to the mirror.
   * @param nowMs monotonic clock
   */
  keep(type: ObjectiveType, reader: PageReader, nowMs: number): void {
    const { pages } = reader;
    const before = this.#lists.get(type);
    if (hasOtherRows(before?.pages, pages) || this.#isTagOfAnotherList(type, pages))
      this.#habits.mayTag = false;
    const generation = this.#store.lastRead(type)?.generation ?? 0;
    const fullAtMs = reader.isFull ? nowMs : (before?.fullAtMs ?? nowMs);
    this.#lists.set(type, { pages, generation, fullAtMs });
  }

  #mirrorOf(type: ObjectiveType): ReadonlyMap<number, string> {
    const rows = [...this.#store.listed(type)].filter(([, { missingSinceMs }]) => missingSinceMs === null);
    return new Map(rows.map(([id, { data }]) => [id, data]));
  }

  #isTagOfAnotherList(type: ObjectiveType, pages: ReadonlyMap<string, KnownPage>): boolean {
    const own = tagsOf(pages);
    const others = OBJECTIVE_TYPES.filter((other) => other !== type);
    return others.some((other) => tagsOf(this.#lists.get(other)?.pages).some((tag) => own.includes(tag)));
  }
}

/** Tags of pages with rows: two empty pages may share one. */
function tagsOf(pages: ReadonlyMap<string, KnownPage> = new Map()): string[] {
  return [...pages.values()].flatMap(({ tag, ids }) => (tag !== undefined && ids.length > 0 ? [tag] : []));
}

/** Whether a page has different rows under the same tag. */
function hasOtherRows(
  before: ReadonlyMap<string, KnownPage> | undefined,
  now: ReadonlyMap<string, KnownPage>,
): boolean {
  return [...now].some(([path, { tag, digest }]) => {
    const page = before?.get(path);
    return tag !== undefined && page?.tag === tag && page.digest !== digest;
  });
}

import type { DatabasePages, RawRow } from "./pages.ts";

/** Page types in the pointer map (sqlite.org/fileformat2.html, "Pointer Map or Ptrmap Pages"). */
const FREE = 2;
const OVERFLOW: readonly number[] = [3, 4];
const BELOW_ANOTHER = 5;
/** Bytes of a map entry: the page type and its parent page. */
const ENTRY_BYTES = 5;
/** Upper bound of the depth of our trees. */
const LEVELS_MAX = 20;

/** The pages of each table, and those whose table can no longer be identified. */
interface PageOwners {
  readonly byTable: ReadonlyMap<string, readonly number[]>;
  readonly orphans: readonly number[];
  /** Pages that are missing or lead to nothing readable, by the name of their table or `index …`. */
  readonly unreadable: ReadonlyMap<string, number>;
}

/**
 * Finds the owner of each page in two ways, because either may be damaged: down from the roots in the schema, and
 * up by the pointer map of an auto-vacuum database.
 */
export function pageOwners(pages: DatabasePages): PageOwners {
  const names = tableRoots(pages);
  const owner = new Map<number, number>();
  const unreadable = new Map<string, number>();
  for (const [root, name] of names)
    for (const page of treeOf(pages, root)) {
      if (pages.kindOf(pages.page(page), page) === undefined)
        unreadable.set(name, (unreadable.get(name) ?? 0) + 1);
      owner.set(page, root);
    }
  const map = new PointerMap(pages);
  const byTable = new Map<string, number[]>();
  const orphans: number[] = [];
  for (let number = 1; number <= pages.count; number += 1) {
    const kind = pages.kindOf(pages.page(number), number);
    if (kind === undefined || kind === "table-inner") continue;
    const known = owner.get(number);
    if (known === undefined && map.isOther(number)) continue;
    const name = names.get(known ?? map.rootOf(number));
    if (name === undefined) orphans.push(number);
    else if (name !== SCHEMA) byTable.set(name, [...(byTable.get(name) ?? []), number]);
  }
  return { byTable, orphans, unreadable };
}

const SCHEMA = "sqlite_schema";

/** The root page of each table and index in the schema. The name of an index is `index …`. */
function tableRoots(pages: DatabasePages): Map<number, string> {
  const roots = new Map<number, string>([[1, SCHEMA]]);
  const schema = [...treeOf(pages, 1)].flatMap((page) => pages.rows(page).rows);
  for (const { values } of schema) {
    const [type, name, , root] = values;
    if (typeof root !== "number" || root < 2 || typeof name !== "string") continue;
    roots.set(root, type === "table" ? name : `index ${name}`);
  }
  return roots;
}

/** The pages of a tree, its root first, each once; those beyond the end of a truncated file too. */
function treeOf(pages: DatabasePages, root: number): ReadonlySet<number> {
  const found = new Set<number>([root]);
  for (const number of found) for (const child of pages.children(number)) if (child >= 1) found.add(child);
  return found;
}

class PointerMap {
  readonly #pages: DatabasePages;
  /** Pages described by one map page. */
  readonly #perPage: number;

  constructor(pages: DatabasePages) {
    this.#pages = pages;
    this.#perPage = Math.floor(pages.pageBytes / ENTRY_BYTES);
  }

  /** Whether a page is free, an overflow page, or a map page. */
  isOther(number: number): boolean {
    if (number === this.#mapPage(number)) return true;
    const kind = this.#entry(number)?.kind ?? 0;
    return kind === FREE || OVERFLOW.includes(kind);
  }

  /** The root above a page, or the highest page found. */
  rootOf(number: number): number {
    let at = number;
    for (let level = 0; level < LEVELS_MAX; level += 1) {
      const entry = this.#entry(at);
      if (entry?.kind !== BELOW_ANOTHER) return at;
      at = entry.parent;
    }
    return at;
  }

  #entry(number: number): { kind: number; parent: number } | undefined {
    if (number < 3) return undefined;
    const map = this.#mapPage(number);
    const page = this.#pages.page(map);
    const at = ENTRY_BYTES * (number - map - 1);
    if (at < 0 || at + ENTRY_BYTES > page.length) return undefined;
    return { kind: page[at] ?? 0, parent: page.readUInt32BE(at + 1) };
  }

  #mapPage(number: number): number {
    return Math.floor((number - 2) / (this.#perPage + 1)) * (this.#perPage + 1) + 2;
  }
}

/** Yields the rows of pages, and returns the number of unreadable ones. */
export function* rowsOf(
  pages: DatabasePages,
  numbers: readonly number[],
  isInTime: () => boolean,
): Generator<RawRow, number> {
  let unreadable = 0;
  for (const number of numbers) {
    if (!isInTime()) return unreadable + 1;
    const read = pages.rows(number);
    unreadable += read.unreadable;
    yield* read.rows;
  }
  return unreadable;
}

import type { Database } from "../store/database.ts";
import {
  InterventionLists,
  type ListPage,
  type ListReader,
  type RowWatch,
} from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";

/** Lists that scan more rows are read in another thread. @see docs/performance.md for their duration */
const ROWS_HERE_MAX = 10_000;

/** Reads short lists directly and long lists in another thread, so that trips do not wait. */
export class ListService implements ListReader {
  readonly #here: InterventionLists;
  readonly #longLists: ListReader | undefined;

  /** @param longLists reads long lists; without it all lists are read here */
  constructor({ database, longLists }: { database: Database; longLists?: ListReader | undefined }) {
    this.#here = new InterventionLists(database);
    this.#longLists = longLists;
  }

  async read(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    if (!this.#longLists) return this.readHere(query);
    try {
      return this.#here.read(query, fewRows);
    } catch (error) {
      if (!(error instanceof ManyRows)) throw error;
      return this.#longLists.read(query, signal);
    }
  }

  /** Reads a list here without the limit of rows. */
  readHere(query: InterventionQuery): ListPage {
    return this.#here.read(query);
  }
}

class ManyRows extends Error {}

const fewRows: RowWatch = (row) => {
  if (row > ROWS_HERE_MAX) throw new ManyRows();
};

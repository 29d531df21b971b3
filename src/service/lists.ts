import type { Database } from "../store/database.ts";
import {
  InterventionLists,
  type ListPage,
  type ListReader,
  type RowWatch,
} from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";

/** A list for which more rows have to be looked at is read elsewhere. @see docs/performance.md for how long these take */
const ROWS_HERE_MAX = 10_000;

/** Reads a list here where that is quick, so that a trip waits for no list. */
export class ListService implements ListReader {
  readonly #here: InterventionLists;
  readonly #longLists: ListReader | undefined;

  /** @param longLists reads those that take long; without it every list is read here */
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

  /** However many rows have to be looked at. */
  readHere(query: InterventionQuery): ListPage {
    return this.#here.read(query);
  }
}

class ManyRows extends Error {}

const fewRows: RowWatch = (row) => {
  if (row > ROWS_HERE_MAX) throw new ManyRows();
};

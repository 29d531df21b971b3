import { createHash } from "node:crypto";
import { isShownUnchanged, shownValues, type MatchCandidate } from "../../domain/match-candidate.ts";
import { verifyAheadAtMs } from "../../domain/outbox.ts";
import type { SyncContext } from "../context.ts";

/** Records that one comparison makes due: no more than are read within minutes. */
const RECHECKED_MAX = 500;

/** Has the records read first whose row in the dispatch centre's list shows a change since their last read. */
export class ChangedRows {
  readonly #context: SyncContext;
  /**
   * What the rows showed for which a record was made due, by local id. A row that shows the same in the next comparison is the
   * list's way of writing: the read has shown something else.
   */
  #known: ReadonlyMap<number, string> = new Map();

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** @param rows the complete list by id */
  recheck(rows: ReadonlyMap<number, MatchCandidate>): void {
    const { store, clock } = this.#context;
    const changed = store.compared.linksWhere((upstreamId, base) => {
      const row = rows.get(upstreamId);
      return row !== undefined && !isShownUnchanged(row, base);
    });
    const known = new Map<number, string>();
    const due: number[] = [];
    for (const { interventionId, upstreamId } of changed) {
      const shown = digestOf(rows.get(upstreamId) ?? {});
      const isNew = this.#known.get(interventionId) !== shown;
      // The others have their turn in the next comparison.
      if (isNew && due.length === RECHECKED_MAX) continue;
      known.set(interventionId, shown);
      if (isNew) due.push(interventionId);
    }
    this.#known = known;
    store.write(() => {
      for (const entry of due.map((id) => store.entry(id)))
        if (entry.phase === "linked")
          store.outbox.save({ ...entry, verifyAtMs: verifyAheadAtMs(entry, clock.wallMs()) });
    });
  }
}

function digestOf(row: Readonly<Record<string, unknown>>): string {
  return createHash("sha256")
    .update(JSON.stringify(shownValues(row)))
    .digest("base64");
}

import type { MatchCandidate } from "../../domain/match-candidate.ts";
import type { SyncContext } from "../context.ts";
import { isShownAgain } from "./former-id.ts";
import { formerIdOf } from "./gone-records.ts";
import { foundAs } from "./unconfirmed-post.ts";

/**
 * Links records again that the centre had not shown and shows now under the same id, in a transaction: its account saw less for
 * a while. Changes of either side since are merged by the next read.
 * @param rows the records of the list by id
 */
export function linkShownAgain(context: SyncContext, rows: ReadonlyMap<number, MatchCandidate>): void {
  const { store, log } = context;
  for (const entry of store.outbox.inPhases(["gone"], Number.MAX_SAFE_INTEGER)) {
    const row = rows.get(formerIdOf(entry));
    if (!row || !isShownAgain(context, entry, row) || store.outbox.findByUpstreamId(row.id)) continue;
    const { interventionId } = entry;
    store.apply(entry, "found", foundAs(context, entry, row));
    store.recordConflict(interventionId, "shown-again", {
      phase: "linked",
      reason: `the dispatch centre had not shown record ${row.id} for a while, and shows it again`,
    });
    log.info("record-shown-again", { interventionId, upstreamId: row.id });
  }
}

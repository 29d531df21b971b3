import { judgeAbsence, type ListPresence } from "../domain/absence.ts";
import { VERIFY_IMMEDIATELY, type OutboxEntry } from "../domain/outbox.ts";
import type { ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { SyncContext } from "./context.ts";
import { unlink, detectRestore } from "./upstream-restore.ts";
import { findInList } from "./record-search.ts";
import { closing, UNCLEAR } from "./attempt-outcome.ts";

/** What the second witness has said. */
export interface ListLookup {
  /** Why the centre's list could not be asked. */
  readonly unread: ReadOutcome | undefined;
  readonly list: ListPresence | undefined;
}

export const NO_LOOKUP: ListLookup = { unread: undefined, list: undefined };

/** What becomes of a linked record that the centre does not show, or shows without a proof that it is this one. */
export class AbsentRecords {
  readonly #parts: SyncContext;

  constructor(parts: SyncContext) {
    this.#parts = parts;
  }

  /** The second witness of a record that the centre does not show, once its time has come. */
  async askList(
    interventionId: number,
    upstreamId: number | null,
    centre: UpstreamClient,
  ): Promise<ListLookup> {
    const { store, clock } = this.#parts;
    const { missingSinceMs } = store.entry(interventionId);
    if (upstreamId === null || judgeAbsence(missingSinceMs, clock.wallMs()).kind !== "ask-list")
      return NO_LOOKUP;
    const unread = await detectRestore(this.#parts, centre);
    return unread ? { unread, list: undefined } : { unread, list: await findInList(centre, upstreamId) };
  }

  /** What follows when the centre says that it does not have the record. */
  missing(entry: OutboxEntry, reason: string, list: ListPresence | undefined): void {
    const { store, clock, timeouts } = this.#parts;
    const nowMs = clock.wallMs();
    if (entry.verifyAtMs === VERIFY_IMMEDIATELY && !entry.deleted) return unlink(this.#parts, entry);
    const step = judgeAbsence(entry.missingSinceMs, nowMs, list ?? "undetermined");
    // A DELETE of ours was on the wire and its answer was lost: that the record is not there now is what it asked for.
    const isOurDeletion = entry.deleted && entry.attempts > 0;
    if ((step.kind !== "wait" || isOurDeletion) && entry.deleted)
      return void store.apply(entry, "removed", closing(entry, timeouts, nowMs));
    if (step.kind !== "wait") return this.#gone(entry, "404", reason);
    const { sinceMs, againAtMs } = step;
    this.#doubt(entry, { missingSinceMs: sinceMs, nextAtMs: againAtMs, lastCode: "404", lastError: reason });
  }

  /** Neither changed nor made again: a dispatcher has rewritten our text, or it is another's call of the same name. */
  unclear(entry: OutboxEntry): void {
    const nowMs = this.#parts.clock.wallMs();
    const { interventionId: id, upstreamId, missingSinceMs } = entry;
    this.#doubt(entry, {
      missingSinceMs: missingSinceMs ?? nowMs,
      nextAtMs: nowMs + this.#parts.timeouts.pullIntervalMs,
      lastCode: UNCLEAR,
      lastError: `the centre's record ${upstreamId} bears our reference no more and its start is no proof; if it is this one: santinela sync reassert ${id}; if not: santinela sync retry ${id}`,
    });
  }

  #doubt(entry: OutboxEntry, changes: Partial<OutboxEntry> & { nextAtMs: number }): void {
    const { store, log } = this.#parts;
    const { interventionId, upstreamId, verifyAtMs } = entry;
    if (entry.missingSinceMs === null)
      log.warn("record-doubtful", { interventionId, upstreamId, reason: changes.lastError });
    store.outbox.save({
      ...entry,
      ...changes,
      verifyAtMs: verifyAtMs === VERIFY_IMMEDIATELY ? VERIFY_IMMEDIATELY : changes.nextAtMs,
    });
  }

  #gone(entry: OutboxEntry, code: string, reason: string): void {
    const { store } = this.#parts;
    store.apply(entry, "missing", {
      upstreamId: null,
      lastCode: code,
      lastError: reason,
      verifyAtMs: null,
      missingSinceMs: null,
      // Where two may have come of it, the other one is still looked for.
      attempt: entry.sweepAtMs === null ? null : entry.attempt,
    });
    store.recordConflict(entry.interventionId, { phase: "gone", code, reason });
  }
}

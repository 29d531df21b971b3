import { NEWEST_MISSING, OUT_OF_SCOPE } from "../../domain/absence.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import { closing, inheritedInFlightValues } from "../attempt-outcome.ts";
import type { SyncContext } from "../context.ts";

/*
 * A record that is missing above the centre's highest id was deleted by a dispatcher, or lost because the centre was restored
 * from a backup. A centre that does not tell decides it later: it assigns the id again, or a higher one.
 */

/**
 * Marks a record that the centre no longer has, or no longer shows to the account of the site.
 * @param missing `isNewest`: whether the centre has no newer one; `isOutOfScope`: whether it exists and the account may not use it
 */
export function markGone(
  context: SyncContext,
  entry: OutboxEntry,
  {
    reason,
    isNewest,
    isOutOfScope,
  }: { readonly reason: string; readonly isNewest: boolean; readonly isOutOfScope: boolean },
): void {
  const { store } = context;
  const { interventionId: id, upstreamId } = entry;
  if (!isNewest && isFinished(context, entry))
    return close(context, entry, "removed", isOutOfScope ? "out-of-scope" : "deleted-when-done");
  const code = isNewest ? NEWEST_MISSING : isOutOfScope ? OUT_OF_SCOPE : "404";
  const text = isNewest
    ? `${reason}; the dispatch centre has no newer record: this one was deleted there, or was lost in a restore from a backup; if it was lost, run santinela sync retry ${id}`
    : isOutOfScope
      ? `record ${upstreamId} exists at the dispatch centre, at an objective that the account of this site may not use; santinela sync retry ${id} would create it a second time`
      : reason;
  const conflict = isNewest ? "deleted-or-lost" : isOutOfScope ? "out-of-scope" : "deleted";
  store.apply(entry, "missing", {
    upstreamId: null,
    base: JSON.stringify({ ...(JSON.parse(entry.base ?? "{}") as UpstreamRecord), id: upstreamId }),
    lastCode: code,
    lastError: text,
    verifyAtMs: null,
    missingSinceMs: null,
    // If there may be a duplicate, the sweep still needs the attempt.
    attempt: entry.sweepAtMs === null ? null : entry.attempt,
  });
  store.recordConflict(id, conflict, { phase: "gone", code, reason: text });
}

/** The changes of a record that is gone before it is retried: it may exist, so it is searched for before it is sent. */
export function searchedFirst(
  context: Pick<SyncContext, "store" | "timeouts" | "clock">,
  entry: OutboxEntry,
): Partial<OutboxEntry> {
  const { store } = context;
  const body = { ...entry, attempt: null, sends: Math.max(1, entry.sends) };
  const attempt = store.newAttempt(body, store.record(entry.interventionId));
  return {
    // Values of an earlier attempt may still arrive and are not a dispatcher's work.
    ...inheritedInFlightValues(context, entry, attempt.key),
    attempt: { ...attempt, atMs: entry.attempt?.atMs ?? 0 },
    sweepAtMs: null,
    possiblyDuplicated: true,
    sends: 1,
    lastCode: null,
  };
}

/**
 * Called when the centre was certainly restored from a backup: every linked record is verified, and those that could have been
 * deleted or lost were lost.
 * @param fromId an id that the centre has assigned again; records with a lower one were in its backup
 */
export function noteRestore(context: SyncContext, fromId: number): void {
  const { store, log } = context;
  store.outbox.auditAll();
  for (const entry of store.outbox.newestMissing()) {
    if (formerIdOf(entry) < fromId) continue;
    const { interventionId, phase } = entry;
    const search = searchedFirst(context, entry);
    store.apply(entry, "retry", { ...search, attempts: 0, refusals: 0, nextAtMs: 0 });
    store.recordConflict(interventionId, "restored", {
      phase,
      reason: `the dispatch centre assigns ids again, so it was restored from a backup and has lost this record; it is searched for and created again if not found`,
    });
    log.warn("record-sent-again", { interventionId, phase });
  }
}

/** Called with ids that the centre shows, in a transaction. That of a missing record proves that ids are assigned again. */
export function noteShownIds(context: SyncContext, ids: readonly number[]): void {
  const missing = context.store.outbox.newestMissing();
  if (missing.length === 0) return;
  const shown = new Set(ids);
  const reused = missing.map(formerIdOf).filter((id) => shown.has(id));
  if (reused.length > 0) noteRestore(context, Math.min(...reused));
}

/** The same with all ids that the centre has: a missing record below the highest one was deleted. */
export function noteAllIds(context: SyncContext, ids: readonly number[]): void {
  noteShownIds(context, ids);
  const { store } = context;
  const highest = ids.reduce((most, id) => Math.max(most, id), 0);
  for (const entry of store.outbox.newestMissing()) {
    if (formerIdOf(entry) >= highest) continue;
    if (isFinished(context, entry)) close(context, entry, "withdrawn");
    else store.outbox.save({ ...entry, lastCode: "404", lastError: "deleted at the dispatch centre" });
  }
}

/** A record that was done on both sides needs no attention when the centre deletes or archives it. */
function isFinished({ store }: SyncContext, entry: OutboxEntry): boolean {
  const { interventionId, syncedRev, wantRev, joinedRev } = entry;
  const { status } = store.record(interventionId).record;
  return status === "done" && syncedRev === wantRev && joinedRev <= syncedRev;
}

function close(
  context: SyncContext,
  entry: OutboxEntry,
  event: "removed" | "withdrawn",
  conflict: keyof typeof CLOSED = "deleted-when-done",
): void {
  const { store } = context;
  store.apply(entry, event, closing(context, entry));
  const detail = { phase: "closed", code: "404", reason: CLOSED[conflict] };
  store.recordConflict(entry.interventionId, conflict, detail);
}

/** Why a record that was done on both sides is closed. */
const CLOSED = {
  "deleted-when-done": "deleted at the dispatch centre after it was done on both sides",
  "out-of-scope":
    "at an objective that the account of this site may not use, after it was done on both sides",
} as const;

/** The id of a record at the centre before it was missing; 0 without one. */
export function formerIdOf({ base }: OutboxEntry): number {
  return Number((JSON.parse(base ?? "{}") as UpstreamRecord)["id"] ?? 0);
}

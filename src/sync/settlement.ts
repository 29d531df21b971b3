import { BLOCKED_RETRY_MS, backOffMs, type OutboxEntry } from "../domain/outbox.ts";
import type { Verdict } from "./answer.ts";

/**
 * What an answer means once the entry's past is taken into account.
 * @param owner the entry that already has the answered record's id at the centre
 */
export function believedAnswer(
  entry: OutboxEntry,
  verdict: Verdict,
  owner: OutboxEntry | undefined,
): Verdict {
  // This send did not arrive, but an earlier one of the same attempt may have: the attempt stays frozen.
  if (verdict.event === "not-applied" && entry.phase === "posting" && entry.sends > 1)
    return { ...verdict, event: "ambiguous" };
  if (!owner || owner.interventionId === entry.interventionId) return verdict;
  const { record: _notOurs, ...rest } = verdict;
  const reason = `the centre answered with its record ${owner.upstreamId}, which is intervention ${owner.interventionId} here; was the centre restored from a backup?`;
  return { ...rest, event: "refused", reason };
}

/**
 * What an answer changes in its entry, besides the phase.
 * @param sentRev the revision that was sent
 * @param moment the wall clock, and a random number for the wait
 */
export function changesAfter(
  entry: OutboxEntry,
  verdict: Verdict,
  sentRev: number,
  moment: { readonly wallMs: number; readonly random: number },
): Partial<OutboxEntry> {
  const { event, code, reason, record } = verdict;
  if (event === "applied" || event === "removed") {
    const linked = record ? { upstreamId: record.id, base: record.json } : {};
    const settled = { syncedRev: sentRev, attempts: 0, nextAtMs: 0, attempt: null };
    return { ...linked, ...settled, lastCode: code, lastError: null };
  }
  const certainlyNotThere =
    entry.phase === "posting" && (event === "not-applied" || event === "missing" || event === "refused");
  return {
    lastCode: code,
    lastError: reason,
    attempts: entry.attempts + 1,
    nextAtMs: nextTryMs(entry, verdict, moment),
    ...(certainlyNotThere ? { sends: Math.max(0, entry.sends - 1) } : {}),
    // A refused attempt stays, so that other content does not travel under its key.
    ...(certainlyNotThere && event !== "refused" ? { attempt: null } : {}),
  };
}

/** A link that is down holds everything back by itself; a record that it may have been down for waits on its own. */
function nextTryMs(
  entry: OutboxEntry,
  { event, link, code, doubtful = false, retryAfterMs = 0 }: Verdict,
  { wallMs, random }: { wallMs: number; random: number },
): number {
  if (link !== "ok" && !doubtful) return 0;
  // Only somebody at the centre mends what is forbidden or missing.
  const leastMs = event === "missing" || code === "403" ? BLOCKED_RETRY_MS : retryAfterMs;
  return wallMs + Math.max(leastMs, backOffMs(entry.attempts, random));
}

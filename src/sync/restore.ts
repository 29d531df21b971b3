import type { OutboxEntry } from "../domain/outbox.ts";
import type { SyncParts } from "./parts.ts";
import { topIdOf } from "./search.ts";

/** One record above the centre's highest id can have been deleted there; that many together were not. */
const LOST_LEAST = 2;

/**
 * Finds out whether the centre is an older copy of itself, and if so has every record looked up there. Asked when it
 * lacks a record that it had.
 */
export async function noteRestore(parts: Pick<SyncParts, "centre" | "ledger">): Promise<void> {
  const top = await topIdOf(parts.centre);
  if ("topId" in top) noteTopId(parts, top.topId);
}

/** The same, for who has just read the centre's highest id. */
export function noteTopId({ ledger }: Pick<SyncParts, "ledger">, topId: number): void {
  if (ledger.outbox.linkedAbove(topId) >= LOST_LEAST) ledger.write(() => ledger.outbox.auditAll());
}

/**
 * Takes back that a record is linked: what is there under its id is another one. It is looked for everywhere, and made
 * again when it is nowhere.
 */
export function loseTrack({ ledger, clock }: SyncParts, entry: OutboxEntry): void {
  const stored = ledger.record(entry.interventionId);
  const attempt = ledger.newAttempt({ ...entry, attempt: null }, stored);
  ledger.apply(entry, "mistaken", {
    upstreamId: null,
    base: null,
    agreed: null,
    attempt: { ...attempt, atMs: clock.wallMs() },
    watermark: 0,
    doubted: true,
    sends: 1,
    nextAtMs: 0,
    verifyAtMs: null,
    sweepAtMs: null,
  });
  ledger.tellConflict(entry.interventionId, {
    phase: "unsure",
    reason: `the centre's record ${entry.upstreamId} is no longer this one; it is searched for, and made again if it is nowhere`,
  });
}

import { carries, type Sighting } from "../domain/sighting.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { ReadVerdict } from "./answer.ts";
import type { SyncParts } from "./parts.ts";
import { highestIdOf } from "./search.ts";
import { earlierGhosts } from "./settlement.ts";

/* A centre that was restored from a backup has lost its newest records and gives their ids to others. */

/** One record above the centre's highest id can have been deleted there; that many together were not. */
const LOST_LEAST = 2;

/**
 * Finds out whether the centre is an older copy of itself, and if so has every record looked up there. Asked when it
 * lacks a record that it had.
 * @returns why it could not be found out; undefined when it was
 */
export async function noteRestore(
  parts: Pick<SyncParts, "centre" | "ledger">,
): Promise<ReadVerdict | undefined> {
  const top = await highestIdOf(parts.centre);
  if ("verdict" in top) return top.verdict;
  noteTopId(parts, top.topId);
  return undefined;
}

/** The same, for who has just read the centre's highest id. */
export function noteTopId({ ledger }: Pick<SyncParts, "ledger">, topId: number): void {
  if (ledger.outbox.linkedAbove(topId) >= LOST_LEAST) ledger.write(() => ledger.outbox.auditAll());
}

/**
 * Whether a record there is another one's here. One that bears this entry's mark and not the other's is not: the centre
 * has given that id twice.
 */
export function isAnothers(
  { ledger }: Pick<SyncParts, "ledger">,
  entry: OutboxEntry,
  row: Sighting,
): boolean {
  const owner = ownerOf(ledger, entry, row);
  if (!owner) return false;
  const [ours, theirs] = [entry, owner].map(({ interventionId }) =>
    ledger.markerOf(ledger.record(interventionId).uid),
  ) as [string, string];
  return !ledger.isMarked || !carries(row, ours) || carries(row, theirs);
}

/** Takes a record there for this entry from the one that is linked to it by mistake, and has all the others looked up. */
export function claim(parts: SyncParts, entry: OutboxEntry, row: Sighting): void {
  const owner = ownerOf(parts.ledger, entry, row);
  if (!owner) return;
  loseTrack(parts, owner);
  parts.ledger.outbox.auditAll();
}

/**
 * Takes back that a record is linked: what is there under its id is another one. It is looked for everywhere, and made
 * again when it is nowhere.
 */
export function loseTrack({ ledger, clock, patience }: SyncParts, entry: OutboxEntry): void {
  const stored = ledger.record(entry.interventionId);
  const attempt = ledger.newAttempt({ ...entry, attempt: null }, stored);
  ledger.apply(entry, "mistaken", {
    // Kept is what both knew: if it is found, it may be what it was, and a change of ours is still to be sent.
    upstreamId: null,
    attempt: { ...attempt, atMs: clock.wallMs() },
    ...earlierGhosts(entry, attempt.key, patience, clock.wallMs()),
    watermark: 0,
    witness: null,
    doubted: true,
    sends: 1,
    nextAtMs: 0,
    verifyAtMs: null,
    sweepAtMs: null,
    missingSinceMs: null,
  });
  ledger.tellConflict(entry.interventionId, {
    phase: "unsure",
    reason: `the centre's record ${entry.upstreamId} is no longer this one; it is searched for, and made again if it is nowhere`,
  });
}

function ownerOf(
  { outbox }: SyncParts["ledger"],
  { interventionId }: OutboxEntry,
  { id }: Sighting,
): OutboxEntry | undefined {
  const owner = outbox.findByUpstreamId(id);
  return owner?.interventionId === interventionId ? undefined : owner;
}

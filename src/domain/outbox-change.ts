import type { OutboxEntry } from "./outbox.ts";
import { isWithdrawable, nextPhase } from "./outbox-phase.ts";

/** What people and trips do to a record here. */
export interface RecordChange {
  readonly event: "edited" | "deleted";
  /** The record's revision since. */
  readonly rev: number;
  readonly priorityOrder: number;
  /** Whether the change brings a trip into the record. */
  readonly hasTripJoined: boolean;
  /** When what may still be on its way is looked for first, wall clock, milliseconds since 1970. */
  readonly firstSweepMs: number;
}

/** The entry of a record after a change here. */
export function changedEntry(entry: OutboxEntry, change: RecordChange): OutboxEntry {
  const { event, rev, priorityOrder, hasTripJoined, firstSweepMs } = change;
  const outcome = event === "deleted" ? deletionOf(entry) : event;
  const phase = nextPhase(entry.phase, outcome, entry.upstreamId !== null);
  return {
    ...entry,
    phase,
    priorityOrder,
    wantRev: rev,
    joinedRev: hasTripJoined ? rev : entry.joinedRev,
    deleted: event === "deleted",
    // An edit is a fresh start for what was refused; what waits for the link keeps its place.
    ...(phase === entry.phase ? {} : { attempts: 0, nextAtMs: 0 }),
    // What was refused may still be on its way from an earlier send: it is looked for, and removed there.
    ...(phase === "closed" && entry.possiblyDuplicated ? { sweeps: 0, sweepAtMs: firstSweepMs } : {}),
  };
}

/** What deleting a record means for its entry: `withdrawn` only where nothing of it can be at the centre. */
export function deletionOf({ phase, upstreamId, sends }: OutboxEntry): "withdrawn" | "deleted" {
  const canBeThere = upstreamId !== null || sends > 0 || !isWithdrawable(phase);
  return canBeThere ? "deleted" : "withdrawn";
}

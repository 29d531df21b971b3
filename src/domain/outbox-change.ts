import type { OutboxEntry } from "./outbox.ts";
import { isWithdrawable, nextPhase } from "./outbox-phase.ts";

/** A local change of a record by a user or a trip. */
export interface RecordChange {
  readonly event: "edited" | "deleted";
  /** The record's revision after the change. */
  readonly rev: number;
  readonly priorityOrder: number;
  /** Whether a trip joins the record with the change. */
  readonly hasTripJoined: boolean;
  /** First sweep for copies that may still be in flight, wall clock, milliseconds since 1970. */
  readonly firstSweepMs: number;
}

/** The outbox entry of a record after a local change. */
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
    // An edit restarts a rejected entry; an entry that waits for the link keeps its retry time.
    ...(phase === entry.phase ? {} : { attempts: 0, nextAtMs: 0 }),
    // A copy of an earlier attempt may still be in flight: it is searched for and removed there.
    ...(phase === "closed" && entry.possiblyDuplicated ? { sweeps: 0, sweepAtMs: firstSweepMs } : {}),
  };
}

/** Outcome of deleting a record for its entry: `withdrawn` only if no copy can be at the centre. */
export function deletionOf({ phase, upstreamId, sends }: OutboxEntry): "withdrawn" | "deleted" {
  const canBeThere = upstreamId !== null || sends > 0 || !isWithdrawable(phase);
  return canBeThere ? "deleted" : "withdrawn";
}

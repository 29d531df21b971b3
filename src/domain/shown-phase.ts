import { OUT_OF_SCOPE } from "./absence.ts";
import type { OutboxEntry } from "./outbox.ts";
import type { OutboxPhase } from "./outbox-phase.ts";

/**
 * Phase for users: a linked record that was not found at the centre is `doubtful`, and one that exists there, where the account of
 * the site may not use it, is `out-of-scope`.
 */
export type ShownPhase = OutboxPhase | "doubtful" | "out-of-scope";

export function shownPhase({
  phase,
  missingSinceMs,
  lastCode,
}: Pick<OutboxEntry, "phase" | "missingSinceMs" | "lastCode">): ShownPhase {
  if (phase === "gone" && lastCode === OUT_OF_SCOPE) return OUT_OF_SCOPE;
  return phase === "linked" && missingSinceMs !== null ? "doubtful" : phase;
}

/** Whether a record needs attention: it is not sent any further by itself. */
export function needsAttention(phase: ShownPhase): boolean {
  return ["blocked", "rejected", "gone", "out-of-scope"].includes(phase);
}

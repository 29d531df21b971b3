import type { OutboxEntry } from "./outbox.ts";
import type { OutboxPhase } from "./outbox-phase.ts";

/** Phase for users: a linked record that was not found at the centre is `doubtful`. */
export type ShownPhase = OutboxPhase | "doubtful";

export function shownPhase({
  phase,
  missingSinceMs,
}: Pick<OutboxEntry, "phase" | "missingSinceMs">): ShownPhase {
  return phase === "linked" && missingSinceMs !== null ? "doubtful" : phase;
}

import type { OutboxEntry } from "./outbox.ts";
import type { OutboxPhase } from "./outbox-phase.ts";

/** What people see as a record's place: a record that is linked and not shown there is `doubtful`. */
export type ShownPhase = OutboxPhase | "doubtful";

export function shownPhase({
  phase,
  missingSinceMs,
}: Pick<OutboxEntry, "phase" | "missingSinceMs">): ShownPhase {
  return phase === "linked" && missingSinceMs !== null ? "doubtful" : phase;
}

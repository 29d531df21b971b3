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

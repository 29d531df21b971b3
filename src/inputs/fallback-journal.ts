import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { JournalChange } from "../store/journal-change.ts";
import { isUnwritable } from "../store/transaction.ts";

interface OffDiskParts {
  readonly journal: Pick<Journal, "offDisk" | "storeOffDisk">;
  readonly conditions: Conditions;
  readonly log: Log;
}

/**
 * Keeps what a wire has said in memory where the disk does not take it: a wire says nothing twice. A message is not kept:
 * without its acknowledgement its broker keeps it, and over a power cut as well.
 * @returns whether it is kept, so that it counts as written down
 */
export function recordInFallback(
  { journal, conditions, log }: OffDiskParts,
  { input }: Zone,
  change: JournalChange,
  error: unknown,
): boolean {
  const { offDisk } = journal;
  if (input.source === "mqtt" || !isUnwritable(error) || !offDisk.add(change)) return false;
  const reason = messageOf(error);
  conditions.raise("trips-off-disk", { changes: offDisk.count, file: offDisk.file ?? "", reason });
  // With all of it: the journal of the machine is another place, and may be on another one.
  log.error("trips-off-disk", { zone: change.zoneId, change, reason });
  return true;
}

/** Writes what was kept, if the disk takes it now. @returns whether anything was written */
export function storeFallback(parts: OffDiskParts): boolean {
  const { journal, log } = parts;
  if (journal.offDisk.count === 0) return false;
  try {
    const changes = journal.storeOffDisk();
    log.info("trips-on-disk-again", { changes });
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return false;
  }
  reportOnDisk(parts);
  return true;
}

/** The journal takes what the zones have to say. */
export function reportOnDisk({ conditions, journal }: Pick<OffDiskParts, "conditions" | "journal">): void {
  conditions.clear("journal-write-failed");
  if (journal.offDisk.count === 0) conditions.clear("trips-off-disk");
}

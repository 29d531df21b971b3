import { messageOf } from "../domain/errors.ts";
import type { Zone } from "../domain/zone.ts";
import { isBusy } from "../store/database.ts";
import type { JournalChange } from "../store/journal-changes.ts";
import { isDamage } from "../store/integrity.ts";
import { isUnwritable } from "../store/transaction.ts";
import type { ZoneContext } from "./zone-context.ts";

/** Sources that send a reading again until it is acknowledged. */
const RESENT: ReadonlySet<Zone["input"]["source"]> = new Set(["mqtt", "dc09"]);

type FallbackContext = Pick<ZoneContext, "journal" | "conditions" | "log">;

/** Whether the journal can be written later: with space on the disk, after another process, or recovered at the next start. */
const isPassing = (error: unknown): boolean => isUnwritable(error) || isBusy(error) || isDamage(error);

/**
 * Keeps a reading of a GPIO line in memory when the journal cannot be written: a line does not repeat an edge. A message is
 * not kept: without an acknowledgement the broker or alarm panel sends it again, even after a power cut.
 * @returns whether the change is kept, so that it counts as recorded
 */
export function recordInFallback(
  { journal, conditions, log }: FallbackContext,
  { input }: Zone,
  change: JournalChange,
  error: unknown,
): boolean {
  const { offDisk } = journal;
  if (RESENT.has(input.source) || !isPassing(error) || !offDisk.add(change)) return false;
  const reason = messageOf(error);
  conditions.raise("trips-off-disk", { changes: offDisk.count, file: offDisk.file ?? "", reason });
  // Logged in full: the system journal may be on another disk.
  log.error("trips-off-disk", { zone: change.zoneId, change, reason });
  return true;
}

/** Writes the kept changes if the disk can be written again. @returns whether any were written */
export function storeFallback(parts: FallbackContext): boolean {
  const { journal, log } = parts;
  if (journal.offDisk.count === 0) return false;
  try {
    const changes = journal.storeOffDisk();
    log.info("trips-on-disk-again", { changes });
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  }
  reportOnDisk(parts);
  return true;
}

/** Clears the conditions after a successful write to the journal. */
export function reportOnDisk({ conditions, journal }: FallbackContext): void {
  conditions.clear("journal-write-failed");
  if (journal.offDisk.count === 0) conditions.clear("trips-off-disk");
}

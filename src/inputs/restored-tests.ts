import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import type { Journal } from "../store/journal.ts";
import { WalkTestArchive } from "../store/walk-test-archive.ts";

/**
 * Takes from the results of walk tests in a restored backup when each zone was last tested; what follows from a test is in the
 * journal, which is new then. The zones are watched also if that fails.
 */
export function takeRestoredTests(journal: Journal, main: Database, log: Log): void {
  try {
    if (journal.walkTests.latest()) return;
    journal.zoneOverrides.takeTested(new WalkTestArchive(main).testedZones());
  } catch (error) {
    log.error("restored-tests-read-failed", { error });
    journal.noteError(error);
  }
}

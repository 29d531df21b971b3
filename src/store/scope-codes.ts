import { OUT_OF_SCOPE } from "../domain/absence.ts";
import type { Database } from "./database.ts";
import { STUCK } from "./due-entries.ts";

/** What a release that had no code of its own for them has stored of records which the account of the site may not use. */
const SENTENCE =
  "record % exists at the dispatch centre, at an objective that the account of this site may not use; santinela sync retry %";
const FORMER = `${STUCK} AND phase = 'gone' AND last_code = '404' AND last_error LIKE '${SENTENCE}'`;

/**
 * Gives the records outside the scope of the account, which such a release has stored like deleted ones, their code: a retry of all
 * that need attention would create each a second time.
 */
export function giveScopeCodes(database: Database): void {
  // Only a file with such a record is written.
  if (database.prepare(`SELECT 1 FROM outbox WHERE ${FORMER} LIMIT 1`).get() === undefined) return;
  database.prepare(`UPDATE outbox SET last_code = '${OUT_OF_SCOPE}' WHERE ${FORMER}`).run();
}

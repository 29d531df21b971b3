import type { Database } from "./database.ts";
import { alteredRows, summedTables } from "./row-checksums.ts";
import { transaction } from "./transaction.ts";

/**
 * Tables whose altered rows are not trusted: a contact that is wrongly open would hide the next opening, and a wrong count would
 * shut a zone down. Without its row a zone has no reading yet, and counts its trips from the beginning. The copy of a result of a walk
 * test is made again from the journal.
 */
const FORGOTTEN: ReadonlySet<string> = new Set(["zone_states", "swingers", "walk_test_results"]);

/** Whether an altered row of a table is removed instead of accepted as it is. */
export function isForgotten(table: string): boolean {
  return FORGOTTEN.has(table);
}

/** The dates of a record, each with the column of its instant. */
const DATES = { dateStart: "dateStartMs", dateEnd: "dateEndMs" } as const;

/** A text that is no longer a date has its instant again, in UTC: a dispatch centre would reject the record, and clients could not read it. */
const CORRECTED_DATES = Object.entries(DATES)
  .map(
    ([date, instant]) => `${date} = CASE WHEN ${date} IS NULL OR datetime(${date}) IS NOT NULL THEN ${date}
      ELSE strftime('%Y-%m-%dT%H:%M:%SZ', ${instant} / 1000, 'unixepoch') END`,
  )
  .join(", ");

/** Accepts altered rows as they are, or removes them, so that they are reported only once. */
export function acceptAlteredRows(database: Database): void {
  const tables = summedTables(database);
  for (const { table, ids } of alteredRows(database)) {
    const summed = tables.find((each) => each.table === table);
    if (!summed) continue;
    const { key, column } = summed;
    const settle = database.prepare(
      isForgotten(table)
        ? `DELETE FROM main.${table} WHERE ${key} = ?`
        : `UPDATE main.${table} SET ${column} = NULL${table === "interventions" ? `, ${CORRECTED_DATES}` : ""} WHERE ${key} = ?`,
    );
    transaction(database, () => {
      for (const id of ids) settle.run(id);
    });
  }
}

import type { Database } from "./database.ts";

/**
 * The texts of outbox entries that are JSON, and what replaces a damaged one. Without what both sides last agreed on, the next read at
 * the dispatch centre is compared with the record; the content of an attempt is made again (`attempt_rev` is 0 then).
 */
const REPLACED_BY = {
  base: "'{}'",
  agreed: "NULL",
  witness: "NULL",
  ghosts: "NULL", // words: allowed
  attempt_body: "'{}'",
} as const;

const isDamaged = (column: string): string =>
  `${column} IS NOT NULL AND iif(json_valid(${column}), json_type(${column}) <> 'object', TRUE)`;

/** Replaces the texts of outbox entries that are no longer JSON: one of them would end the thread of the records each time it is read. */
export function replaceDamagedTexts(database: Database): void {
  const columns = Object.entries(REPLACED_BY);
  const changes = columns.map(
    ([column, text]) => `${column} = iif(${isDamaged(column)}, ${text}, ${column})`,
  );
  database.exec(
    `UPDATE outbox SET ${changes.join(", ")}, attempt_rev = iif(${isDamaged("attempt_body")}, 0, attempt_rev)
     WHERE ${columns.map(([column]) => `(${isDamaged(column)})`).join(" OR ")}`,
  );
}

import { INTERVENTION_FIELDS } from "../domain/intervention.ts";
import type { Database } from "./database.ts";

/** The content of an attempt that was damaged, until it is made again. */
export const NO_CONTENT = "{}";

/**
 * The texts of outbox entries that are JSON, and what replaces a damaged one. Without what both sides last agreed on, the next read at
 * the dispatch centre is compared with the record; the content of an attempt is made again (`attempt_rev` is 0 then).
 */
const REPLACED_BY = {
  base: "'{}'",
  agreed: "NULL",
  witness: "NULL",
  ghosts: "NULL", // words: allowed
  attempt_body: `'${NO_CONTENT}'`,
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
  database.exec(
    `UPDATE outbox SET attempt_body = '${NO_CONTENT}' WHERE attempt_rev > 0 AND phase IN ('new','blocked','rejected','posting','unsure')
       AND EXISTS (SELECT 1 FROM interventions WHERE id = intervention_id AND rev = attempt_rev AND (${UNLIKE_RECORD}))`,
  );
}

/**
 * The content of an attempt is still JSON, but not that of its record, as with a bit of a name of a field: the dispatch centre would
 * reject it each time. It is sent with its key again, since the record has not changed. The sync adds its reference to one of the two
 * long texts.
 */
const UNLIKE_RECORD = INTERVENTION_FIELDS.map((field) => {
  const isMissing = `json_type(attempt_body, '$.${field}') IS NULL`;
  const isLongText = field === "notes" || field === "description";
  return isLongText
    ? isMissing
    : `${isMissing} OR attempt_body ->> '${field}' IS NOT interventions."${field}"`;
}).join(" OR ");

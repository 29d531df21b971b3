import { Store } from "./database.ts";

/** In the table of facts about the centre: the rows of earlier releases were shortened. */
const FACT = "bases-shortened";
/** Longer than what this release stores: twice 16,384 characters and less for the other fields, some written as escapes. */
const BYTES_MAX = 256 * 1024;
/** More than any text that is valid here. */
const TEXT_CHARACTERS_MAX = 16 * 1024;
const IS_LONG = ["base", "agreed", "witness"]
  .map((name) => `octet_length(${name}) > ${BYTES_MAX}`)
  .join(" OR ");

/**
 * Shortens what an earlier release has stored of the centre's records: whole responses, of up to 16 MiB each. By SQLite, whose
 * memory is not that of the thread's heap.
 */
export class LongBases extends Store {
  readonly #isDone = this.prepare("SELECT 1 FROM centre_facts WHERE name = ?");
  readonly #noteDone = this.prepare("INSERT OR REPLACE INTO centre_facts(name, value) VALUES(?, 'yes')");

  /** @param fields the known fields of a record; in the caller's transaction */
  shorten(fields: readonly string[]): void {
    if (this.#isDone.get(FACT) !== undefined) return;
    this.prepare(
      `UPDATE outbox SET base = ${shortened("base")}, agreed = ${shortened("agreed")},
         witness = iif(octet_length(witness) > ${BYTES_MAX}, NULL, witness)
       WHERE ${IS_LONG}`,
    ).run({ fields: JSON.stringify(fields) });
    this.#noteDone.run(FACT);
  }
}

function shortened(column: string): string {
  return `iif(octet_length(${column}) > ${BYTES_MAX}, (
    SELECT json_group_object(key, CASE type
      WHEN 'text' THEN substr(value, 1, ${TEXT_CHARACTERS_MAX})
      WHEN 'true' THEN json('true') WHEN 'false' THEN json('false')
      ELSE value END)
    FROM json_each(${column})
    WHERE key IN (SELECT value FROM json_each(:fields)) AND type NOT IN ('object', 'array')
  ), ${column})`;
}

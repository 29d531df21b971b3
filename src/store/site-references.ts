import { readDatabase, Store, type Database } from "./database.ts";
import { storedJson } from "./stored-json.ts";

const NAME = "site-references";
/** References that are kept: a person changes one a few times in the life of a site. */
const KEPT_MAX = 10;

/** The references that the site of a database has had (`site.ref`), the newest last. A backup shows by them of which site it is. */
export class SiteReferences extends Store {
  readonly #write = this.prepare(
    `INSERT INTO centre_facts(name, value) VALUES('${NAME}', ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value`,
  );

  /** Adds the present reference. Writes nothing if it is the newest already: every start does this, also on a full disk. */
  note(ref: string): void {
    const known = referencesOf(this.database);
    if (known.at(-1) === ref) return;
    const kept = [...known.filter((one) => one !== ref), ref].slice(-KEPT_MAX);
    this.#write.run(JSON.stringify(kept));
  }
}

/** The references in a database file; none in one of an earlier release, and in one that cannot be read. */
export function siteReferencesIn(path: string): readonly string[] {
  try {
    return readDatabase(path, referencesOf);
  } catch {
    return [];
  }
}

function referencesOf(database: Database): readonly string[] {
  const text = database.prepare(`SELECT value FROM centre_facts WHERE name = '${NAME}'`).pluck().get();
  const found = storedJson<unknown>(typeof text === "string" ? text : "[]", []);
  return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
}

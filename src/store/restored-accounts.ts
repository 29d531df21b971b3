import Sqlite from "better-sqlite3";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** Changes of an account since the copy that nobody can count any more: the database that had them cannot be read. */
const UNREAD_CHANGES = 1_000_000;

/**
 * Ends the tokens that mean somebody else in a copy that is put back: they name an account by its number and say how
 * often it was changed, and both can be another's there. The tokens of accounts that are the same in both stay good.
 * @param copy the copy, before it is put in place
 * @param present path of the database that gave out the tokens
 */
export function revokeForeignTokens(copy: Database, present: string): void {
  const known = accountsIn(present);
  const versions = new Map(known?.map(({ id, token_version: version }) => [id, version]));
  const same = new Set(known?.map(wordsOf));
  const raise = copy.prepare("UPDATE accounts SET token_version = ? WHERE id = ?");
  transaction(copy, () => {
    for (const account of rowsOf(copy)) {
      if (same.has(wordsOf(account))) continue;
      const changes = known ? 1 : UNREAD_CHANGES;
      raise.run(Math.max(account.token_version, versions.get(account.id) ?? 0) + changes, account.id);
    }
    // No number is given again to somebody else while a token of its first owner may be about.
    copy
      .prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'accounts'")
      .run(Math.max(0, ...versions.keys()));
  });
}

interface AccountRow {
  readonly id: number;
  readonly token_version: number;
}

/** Undefined where they cannot be read. */
function accountsIn(path: string): readonly AccountRow[] | undefined {
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(path, { readonly: true, fileMustExist: true });
    return rowsOf(database);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function rowsOf(database: Database): readonly AccountRow[] {
  return database
    .prepare("SELECT id, email, role, password_hash, disabled, token_version FROM accounts ORDER BY id")
    .all() as AccountRow[];
}

/** Everything that a token stands for. */
function wordsOf(account: AccountRow): string {
  return JSON.stringify(account);
}

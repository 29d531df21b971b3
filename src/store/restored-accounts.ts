import Sqlite from "better-sqlite3";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/**
 * Added to token versions if the number of changes since the backup is unknown because the replaced database is
 * unreadable.
 */
const UNREAD_CHANGES = 1_000_000;

/**
 * Revokes tokens that would be valid for another account after a restore from backup. A token contains the account
 * number and token version, which may belong to another account there. Tokens of unchanged accounts stay valid.
 * @param copy the backup, before it is put in place
 * @param present path of the database that issued the tokens
 */
export function revokeForeignTokens(copy: Database, present: string): void {
  const known = accountsIn(present);
  const versions = new Map(known?.map(({ id, token_version: version }) => [id, version]));
  const same = new Set(known?.map(identityOf));
  const raise = copy.prepare("UPDATE accounts SET token_version = ? WHERE id = ?");
  transaction(copy, () => {
    for (const account of rowsOf(copy)) {
      if (same.has(identityOf(account))) continue;
      const changes = known ? 1 : UNREAD_CHANGES;
      raise.run(Math.max(account.token_version, versions.get(account.id) ?? 0) + changes, account.id);
    }
    // Account numbers are not reused while a token of the first owner may exist.
    copy
      .prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'accounts'")
      .run(Math.max(0, ...versions.keys()));
  });
}

interface AccountRow {
  readonly id: number;
  readonly token_version: number;
}

/** The accounts in a file; undefined if unreadable. */
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

/** All values that a token depends on. */
function identityOf(account: AccountRow): string {
  return JSON.stringify(account);
}

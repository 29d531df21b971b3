import { existsSync } from "node:fs";
import { trailEnd, type TrailEnd } from "../store/audit-trail.ts";
import { readDatabase, type Database } from "../store/database.ts";
import { isSumColumn } from "../store/row-checksums.ts";
import { lastNumbers, setLastNumber } from "../store/sequence-gaps.ts";
import { transaction } from "../store/transaction.ts";

/* What a restored backup takes over from the database that it replaces. All of it is read from a file that may be damaged. */

/** What the event of a restore says about the replaced database. */
export interface CarriedOver {
  /** Accounts that the backup would have enabled again; they stay disabled. */
  readonly keptDisabled: readonly string[];
  /** Administrators of the replaced database, taken over because the backup's own are all disabled. */
  readonly keptAdministrators: readonly string[];
  /** Accounts with another password in the backup. */
  readonly otherPassword: readonly string[];
  /** Accounts that only the backup has, as those of revoked sites. */
  readonly accountsAgain: readonly string[];
  /** The end of the replaced audit trail; null if there was none or it is unreadable. */
  readonly replacedTrail: TrailEnd | null;
}

/** Added to each number if the replaced database is unreadable: numbers are used outside, so that none is assigned twice. */
const UNREAD_NUMBERS = 1_000;

/**
 * Takes over what must not go back in time: numbers, and disabled accounts, used codes and transmissions of the same site.
 * @param copy the backup, before it is put in place
 * @param present path of the database that it replaces
 * @param noted the last numbers that the daemon has noted, by table
 * @param isOtherSite whether the backup is of another site
 */
export function carryOver(
  copy: Database,
  present: string,
  noted: Readonly<Record<string, number>>,
  isOtherSite: boolean,
): CarriedOver {
  return transaction(copy, () => {
    keepNumbers(copy, present, noted);
    const replacedTrail = readOr(present, (database) => trailEnd(database) ?? null) ?? null;
    endTransmissions(copy);
    if (isOtherSite) return { ...NO_ACCOUNTS, replacedTrail };
    for (const table of ["transmissions", "transmitted_zones", "transmitter_facts"])
      keepTable(copy, present, table);
    keepUsedCodes(copy, present);
    return { ...keepDisabled(copy, present), replacedTrail };
  });
}

/**
 * Ends the transmissions that a backup considers unsent: they have been sent since, or are over. Without a place in the journal the
 * transmitter begins at its newest trip.
 */
export function endTransmissions(copy: Database): void {
  copy.prepare("UPDATE transmissions SET state = 'withdrawn' WHERE state = 'waiting'").run();
  copy.prepare("DELETE FROM transmitter_facts WHERE name = 'cursor'").run();
}

/** Reads a file that may be damaged; undefined if that fails. */
export function readOr<T>(path: string, read: (database: Database) => T): T | undefined {
  try {
    return readDatabase(path, read);
  } catch {
    // It is missing, damaged or of an earlier release without such a table.
    return undefined;
  }
}

function keepNumbers(copy: Database, present: string, noted: Readonly<Record<string, number>>): void {
  const known = readOr(present, lastNumbers);
  const isUnread = known === undefined && existsSync(present);
  const tables = copy
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
    .pluck()
    .all();
  const own = lastNumbers(copy);
  for (const table of tables) {
    const last = Math.max(own[table] ?? 0, known?.[table] ?? 0, noted[table] ?? 0);
    const next = isUnread && last > 0 ? last + UNREAD_NUMBERS : last;
    if (next > (own[table] ?? 0)) setLastNumber(copy, table, next);
  }
}

/** Replaces the rows of a table by those of the replaced database, if it is readable. */
function keepTable(copy: Database, present: string, table: string): void {
  const rows = readOr(
    present,
    (database) => database.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[],
  );
  if (rows === undefined) return;
  const columns = copy
    .prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`)
    .pluck()
    .all()
    .filter((name) => !isSumColumn(name) && rows.every((row) => name in row));
  copy.prepare(`DELETE FROM ${table}`).run();
  const put = copy.prepare(
    `INSERT OR IGNORE INTO ${table}(${columns.join(", ")}) VALUES(${columns.map((name) => `:${name}`).join(", ")})`,
  );
  for (const row of rows) put.run(Object.fromEntries(columns.map((name) => [name, row[name]])));
}

/** A code that was used or has been revoked since would enrol another machine. */
function keepUsedCodes(copy: Database, present: string): void {
  const known = readOr(
    present,
    (database) =>
      database.prepare("SELECT code_hash, used_at FROM enrolments").raw().all() as [string, number | null][],
  );
  if (known === undefined) return;
  const isUsed = new Map(known);
  const remove = copy.prepare("DELETE FROM enrolments WHERE code_hash = ?");
  const use = copy.prepare("UPDATE enrolments SET used_at = ? WHERE code_hash = ?");
  const unused = copy.prepare<[], string>("SELECT code_hash FROM enrolments WHERE used_at IS NULL").pluck();
  for (const code of unused.all()) {
    const usedMs = isUsed.get(code);
    if (usedMs === undefined) remove.run(code);
    else if (usedMs !== null) use.run(usedMs, code);
  }
}

interface KnownAccount {
  readonly email: string;
  readonly disabled: number;
  readonly hash: string | null;
}

function accountsIn(database: Database): KnownAccount[] {
  return database
    .prepare("SELECT email, disabled, password_hash AS hash FROM accounts ORDER BY id")
    .all() as KnownAccount[];
}

const NO_ACCOUNTS = { keptDisabled: [], keptAdministrators: [], otherPassword: [], accountsAgain: [] };

function keepDisabled(copy: Database, present: string): Omit<CarriedOver, "replacedTrail"> {
  const rows = readOr(present, accountsIn);
  if (rows === undefined) return NO_ACCOUNTS;
  const known = new Map(rows.map((account) => [account.email.toLowerCase(), account]));
  const pairs = accountsIn(copy).map((own) => ({ own, now: known.get(own.email.toLowerCase()) }));
  const emails = (isMeant: (pair: (typeof pairs)[number]) => boolean): string[] =>
    pairs.filter(isMeant).map(({ own }) => own.email);
  const keptDisabled = emails(({ own, now }) => own.disabled === 0 && now?.disabled === 1);
  const disable = copy.prepare("UPDATE accounts SET disabled = 1 WHERE email = ?");
  for (const email of keptDisabled) disable.run(email);
  return {
    keptDisabled,
    // A site without one accepts no administrator ever again.
    keptAdministrators: keptDisabled.length === 0 ? [] : keepAnAdministrator(copy, present),
    otherPassword: emails(({ own, now }) => now !== undefined && now.hash !== own.hash),
    accountsAgain: emails(({ now }) => now === undefined),
  };
}

interface Administrator {
  readonly email: string;
  readonly hash: string;
  readonly version: number;
  readonly mustChange: number;
}

function administratorsIn(database: Database): Administrator[] {
  return database
    .prepare(
      `SELECT email, password_hash AS hash, token_version AS version, must_change_password AS mustChange FROM accounts
       WHERE role = 'administrator' AND disabled = 0 AND password_hash IS NOT NULL ORDER BY id`,
    )
    .all() as Administrator[];
}

/**
 * Takes over the administrators of the replaced database, with their tokens ended, if the backup has none who can sign in.
 * @returns their addresses
 */
function keepAnAdministrator(copy: Database, present: string): string[] {
  if (administratorsIn(copy).length > 0) return [];
  const found = readOr(present, administratorsIn) ?? [];
  const put = copy.prepare(
    `INSERT INTO accounts(email, role, password_hash, token_version, must_change_password, created_at)
       VALUES(:email, 'administrator', :hash, :version + 1, :mustChange, 0)
     ON CONFLICT(email) DO UPDATE SET role = excluded.role, password_hash = excluded.password_hash, disabled = 0,
       token_version = max(token_version + 1, excluded.token_version),
       must_change_password = excluded.must_change_password`,
  );
  for (const administrator of found) put.run(administrator);
  return found.map(({ email }) => email);
}

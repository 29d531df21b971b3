import { refFrom, refText, type ObjectiveScope } from "../domain/objective.ts";
import type { Role } from "../domain/principal.ts";
import { readDatabase, Store, type Database } from "./database.ts";
import { storedJson } from "./stored-json.ts";
import { transaction } from "./transaction.ts";

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  /** bcrypt hash; null for an account without sign-in. */
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  /** Incremented to revoke all tokens issued so far. */
  readonly tokenVersion: number;
  /** The password was generated, and only allows setting another one. */
  readonly mustChangePassword: boolean;
  /** The objectives the account is limited to; undefined for all of them. */
  readonly objectives: ObjectiveScope | undefined;
  /** `site.ref` of the site that uses the account; undefined for users and other clients. */
  readonly site: string | undefined;
}

/** What changes of an account; the rest stays. */
export interface AccountChange {
  readonly email?: string;
  readonly role?: Role;
  readonly passwordHash?: string;
  readonly disabled?: boolean;
  /** Whether the new password only allows setting another one. */
  readonly mustChangePassword?: boolean;
}

/** The columns of an `AccountRow`. */
const COLUMNS =
  "id, email, role, password_hash, disabled, token_version, must_change_password, objectives, site";

/** Accounts of users, and the service account that posts trips. */
export class AccountStore extends Store {
  readonly #hasUserAccounts = this.prepare("SELECT 1 FROM accounts WHERE password_hash IS NOT NULL LIMIT 1");
  readonly #byEmail = this.prepare<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE email = ?`).raw();
  readonly #byId = this.prepare<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE id = ?`).raw();
  readonly #add = this.prepare<AccountRow>(
    `INSERT INTO accounts(email, role, password_hash, must_change_password, created_at) VALUES(?, ?, ?, ?, ?)
     ON CONFLICT(email) DO NOTHING RETURNING ${COLUMNS}`,
  ).raw();
  readonly #signInAccounts = this.prepare<AccountRow>(
    `SELECT ${COLUMNS} FROM accounts WHERE password_hash IS NOT NULL ORDER BY email`,
  ).raw();
  readonly #bind = this.prepare(
    "UPDATE accounts SET objectives = ?, token_version = token_version + 1 WHERE id = ?",
  );
  readonly #bySite = this.prepare<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE site = ?`).raw();
  readonly #bindSite = this.prepare("UPDATE accounts SET site = ? WHERE id = ?");
  readonly #change = this.prepare<AccountRow>(
    `UPDATE accounts SET email = coalesce(:email, email), role = coalesce(:role, role),
       password_hash = coalesce(:passwordHash, password_hash),
       disabled = coalesce(:disabled, disabled), token_version = token_version + 1,
       must_change_password = CASE WHEN :passwordHash IS NULL THEN must_change_password ELSE :mustChange END
     WHERE id = :id RETURNING ${COLUMNS}`,
  ).raw();

  /** Whether an account exists with which a user can sign in. */
  hasUserAccounts(): boolean {
    return this.#hasUserAccounts.get() !== undefined;
  }

  /** The account with an e-mail address, ignoring case. */
  byEmail(email: string): Account | undefined {
    return toAccount(this.#byEmail.get(email));
  }

  byId(id: number): Account | undefined {
    return toAccount(this.#byId.get(id));
  }

  /**
   * Adds an account.
   * @returns undefined if the address is in use
   */
  add(account: {
    email: string;
    role: Role;
    passwordHash: string | null;
    mustChangePassword: boolean;
    createdAtMs: number;
  }): Account | undefined {
    const { email, role, passwordHash, mustChangePassword, createdAtMs } = account;
    return toAccount(this.#add.get(email, role, passwordHash, Number(mustChangePassword), createdAtMs));
  }

  /** All accounts with a password, including disabled ones, by address. */
  signInAccounts(): Account[] {
    return this.#signInAccounts.all().map((row) => toAccount(row) as Account);
  }

  /**
   * Limits an account to objectives and revokes its tokens.
   * @param objectives undefined for all of them
   */
  bind(id: number, objectives: ObjectiveScope | undefined): void {
    this.#bind.run(objectives === undefined ? null : JSON.stringify(objectives.map(refText)), id);
  }

  bySite(ref: string): Account | undefined {
    return toAccount(this.#bySite.get(ref));
  }

  /** Makes an account that of a site, limited to its objectives, and revokes its tokens. */
  bindSite(id: number, ref: string, objectives: ObjectiveScope): void {
    this.#bindSite.run(ref, id);
    this.bind(id, objectives);
  }

  /** Changes an account and revokes its tokens. Setting a password also clears `mustChangePassword`, unless it is given. */
  change(id: number, to: AccountChange): Account | undefined {
    const { email = null, role = null, passwordHash = null } = to;
    const disabled = to.disabled === undefined ? null : Number(to.disabled);
    const mustChange = Number(to.mustChangePassword ?? false);
    return toAccount(this.#change.get({ id, email, role, passwordHash, disabled, mustChange }));
  }
}

/** The columns of `COLUMNS` in their order: an object with a name for each would take longer than the query. */
type AccountRow = readonly [
  id: number,
  email: string,
  role: Role,
  passwordHash: string | null,
  disabled: 0 | 1,
  tokenVersion: number,
  mustChangePassword: 0 | 1,
  objectives: string | null,
  site: string | null,
];

function toAccount(row: AccountRow | undefined): Account | undefined {
  if (!row) return undefined;
  const [id, email, role, passwordHash, disabled, tokenVersion, mustChangePassword, objectives, site] = row;
  return {
    id,
    email,
    role,
    passwordHash,
    disabled: disabled === 1,
    tokenVersion,
    mustChangePassword: mustChangePassword === 1,
    objectives: scopeOf(objectives),
    site: site ?? undefined,
  };
}

/** The objectives of an account as stored; undefined for all of them. */
export function scopeOf(text: string | null): ObjectiveScope | undefined {
  return text === null ? undefined : objectivesIn(text);
}

/** The objectives in a stored list. */
export function objectivesIn(text: string): ObjectiveScope {
  // Of a damaged list those remain that can still be read: without any, the account has access to nothing.
  const found = storedJson<unknown>(text, undefined);
  const texts: readonly unknown[] = Array.isArray(found) ? found : text.split('"');
  return texts.flatMap((one) => refFrom(String(one)) ?? []);
}

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
  let known: readonly TokenSubject[] | undefined;
  try {
    known = readDatabase(present, tokenSubjects);
  } catch {
    // It is unreadable.
  }
  const versions = new Map(known?.map(({ id, token_version: version }) => [id, version]));
  const same = new Set(known?.map(identityOf));
  const raise = copy.prepare("UPDATE accounts SET token_version = ? WHERE id = ?");
  transaction(copy, () => {
    for (const account of tokenSubjects(copy)) {
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

interface TokenSubject {
  readonly id: number;
  readonly token_version: number;
}

function tokenSubjects(database: Database): readonly TokenSubject[] {
  return database
    .prepare("SELECT id, email, role, password_hash, disabled, token_version FROM accounts ORDER BY id")
    .all() as TokenSubject[];
}

/** All values that a token depends on. */
function identityOf(account: TokenSubject): string {
  return JSON.stringify(account);
}

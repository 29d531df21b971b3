import { refFrom, refText, type ObjectiveScope } from "../domain/objective.ts";
import type { Role } from "../domain/principal.ts";
import type { Database } from "./database.ts";

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
}

/** Accounts of users, and the service account that posts trips. */
export class AccountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether an account exists with which a user can sign in. */
  hasPeople(): boolean {
    return (
      this.#database.prepare("SELECT 1 FROM accounts WHERE password_hash IS NOT NULL LIMIT 1").get() !==
      undefined
    );
  }

  /** The account with an e-mail address, ignoring case. */
  byEmail(email: string): Account | undefined {
    return toAccount(this.#database.prepare("SELECT * FROM accounts WHERE email = ?").get(email));
  }

  byId(id: number): Account | undefined {
    return toAccount(this.#database.prepare("SELECT * FROM accounts WHERE id = ?").get(id));
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
    return toAccount(
      this.#database
        .prepare(
          `INSERT INTO accounts(email, role, password_hash, must_change_password, created_at) VALUES(?, ?, ?, ?, ?)
           ON CONFLICT(email) DO NOTHING RETURNING *`,
        )
        .get(email, role, passwordHash, Number(mustChangePassword), createdAtMs),
    );
  }

  /** All accounts with a password, including disabled ones, by address. */
  signInAccounts(): Account[] {
    return this.#database
      .prepare("SELECT * FROM accounts WHERE password_hash IS NOT NULL ORDER BY email")
      .all()
      .map((row) => toAccount(row) as Account);
  }

  /**
   * Limits an account to objectives and revokes its tokens.
   * @param objectives undefined for all of them
   */
  bind(id: number, objectives: ObjectiveScope | undefined): void {
    this.#database
      .prepare("UPDATE accounts SET objectives = ?, token_version = token_version + 1 WHERE id = ?")
      .run(objectives === undefined ? null : JSON.stringify(objectives.map(refText)), id);
  }

  /** Changes an account and revokes its tokens. Setting a password also clears `mustChangePassword`. */
  change(
    id: number,
    to: { email?: string; role?: Role; passwordHash?: string; disabled?: boolean },
  ): Account | undefined {
    const { email = null, role = null, passwordHash = null, disabled } = to;
    return toAccount(
      this.#database
        .prepare(
          `UPDATE accounts SET email = coalesce(:email, email), role = coalesce(:role, role),
             password_hash = coalesce(:passwordHash, password_hash),
             disabled = coalesce(:disabled, disabled), token_version = token_version + 1,
             must_change_password = CASE WHEN :passwordHash IS NULL THEN must_change_password ELSE 0 END
           WHERE id = :id RETURNING *`,
        )
        .get({ id, email, role, passwordHash, disabled: disabled === undefined ? null : Number(disabled) }),
    );
  }
}

interface AccountRow {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly password_hash: string | null;
  readonly disabled: 0 | 1;
  readonly token_version: number;
  readonly must_change_password: 0 | 1;
  readonly objectives: string | null;
}

function toAccount(found: unknown): Account | undefined {
  if (found === undefined) return undefined;
  const row = found as AccountRow;
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    passwordHash: row.password_hash,
    disabled: row.disabled === 1,
    tokenVersion: row.token_version,
    mustChangePassword: row.must_change_password === 1,
    objectives: row.objectives === null ? undefined : scopeOf(row.objectives),
  };
}

function scopeOf(text: string): ObjectiveScope {
  return (JSON.parse(text) as string[]).flatMap((one) => refFrom(one) ?? []);
}

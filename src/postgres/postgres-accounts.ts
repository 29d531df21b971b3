import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, EventDetail, EventName } from "../domain/event.ts";
import { refText, type ObjectiveScope } from "../domain/objective.ts";
import { DEVICE_EMAIL, INITIAL_ADMIN_EMAIL, type Role } from "../domain/principal.ts";
import type { Remote } from "../domain/remote.ts";
import {
  assertMayEnable,
  assertMayHaveInitialPassword,
  assertMayHaveRole,
  assertMayHaveScope,
  lastAdministrator,
} from "../service/account-rules.ts";
import {
  assertAddress,
  assertScope,
  isDevice,
  scopeDetail,
  type AccountService,
} from "../service/accounts.ts";
import { assertKnown } from "../service/enrolments.ts";
import { assertPasswordAllowed, hashPassword } from "../service/password-rules.ts";
import type { Account, AccountChange } from "../store/accounts.ts";
import {
  ACCOUNT_COLUMNS,
  accountOf,
  alone,
  findAtPrimary,
  findByEmail,
  unknownOf,
  type AccountRow,
} from "./account-rows.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";
import { insertEvent } from "./postgres-events.ts";

/** Manages the accounts of a centre, as `AccountService` does those in SQLite. */
export class PostgresAccounts implements Remote<AccountService> {
  readonly #options: ConstructorParameters<typeof PostgresAccounts>[0];
  readonly #connections: PostgresConnections;
  /** Anyone may ask, as often as they like. */
  readonly #initial: EventLoopBatch<null, Account | undefined>;

  /** @param options `bcryptCost`: work factor of new hashes, as in `AccountService` */
  constructor(options: {
    readonly connections: PostgresConnections;
    readonly clock: Pick<Clock, "wallMs" | "after" | "afterEventLoopTurn">;
    readonly bcryptCost?: number;
  }) {
    this.#options = options;
    this.#connections = options.connections;
    this.#initial = new EventLoopBatch(options.clock, async (asked) => {
      const first = initialOf(await findAtPrimary(this.#connections, INITIAL_ADMIN_EMAIL));
      return asked.map(() => first);
    });
  }

  async list(): Promise<readonly Account[]> {
    return userAccounts(this.#connections);
  }

  async hasSignInAccounts(): Promise<boolean> {
    return (await this.#connections.query(ANY_SIGN_IN)).length > 0;
  }

  async initialAdministrator(): Promise<Account | undefined> {
    return this.#initial.ask(null);
  }

  async claim(
    first: Account,
    { email, password }: { email: string; password: string },
    by: Actor,
  ): Promise<void> {
    assertAddress(email);
    await assertPasswordAllowed(password, { email });
    const passwordHash = await hashPassword(password, this.#options.bcryptCost);
    await alone(this.#options, async (queries) => {
      if ((await initialAdministrator(queries))?.tokenVersion !== first.tokenVersion)
        throw new AppError("forbidden", "this installation has already been set up");
      const other = await findByEmail(queries, email);
      if (other && other.id !== first.id) throw existing(email);
      await change(queries, first.id, { email, passwordHash });
      await this.#record(queries, "account-password-set", email, by, { formerly: first.email });
    });
  }

  async ensureDevice(): Promise<void> {
    // A start that writes nothing does not wait for a synchronous standby.
    if (await findByEmail(this.#connections, DEVICE_EMAIL)) return;
    await this.#connections.writes.query(ADD, [
      DEVICE_EMAIL,
      "operator",
      null,
      false,
      this.#options.clock.wallMs(),
    ]);
  }

  async add(
    { email, role, password }: { email: string; role: Role; password: string },
    by: Actor,
    { mustChangePassword = false } = {},
  ): Promise<Account> {
    assertAddress(email);
    await assertPasswordAllowed(password, { email });
    const passwordHash = await hashPassword(password, this.#options.bcryptCost);
    return alone(this.#options, async (queries) => {
      const values = [email, role, passwordHash, mustChangePassword, this.#options.clock.wallMs()];
      const [row] = await queries.query<AccountRow>(ADD, values);
      if (!row) throw existing(email);
      await this.#record(queries, "account-added", email, by, { role });
      return accountOf(row);
    });
  }

  async setPassword(
    email: string,
    password: string,
    by: Actor,
    { replacing, mustChangePassword = false }: { replacing?: Account; mustChangePassword?: boolean } = {},
  ): Promise<void> {
    const { site } = await known(this.#connections, email);
    await assertPasswordAllowed(password, { email, site });
    const passwordHash = await hashPassword(password, this.#options.bcryptCost);
    await alone(this.#options, async (queries) => {
      const account = await known(queries, email);
      const { id, tokenVersion } = account;
      if (mustChangePassword) assertMayHaveInitialPassword(account);
      // Of several concurrent requests with the same old password, only one succeeds.
      if (replacing && tokenVersion !== replacing.tokenVersion)
        throw new AppError("forbidden", "the password was changed in the meantime");
      await change(queries, id, { passwordHash, mustChangePassword });
      await this.#record(queries, "account-password-set", email, by, {});
    });
  }

  async setRole(email: string, role: Role, by: Actor): Promise<void> {
    await this.#changeKeepingAnAdministrator(email, { role }, by, ({ role: before }) => [
      "account-role-changed",
      { before, after: role },
    ]);
  }

  async setDisabled(email: string, disabled: boolean, by: Actor): Promise<void> {
    const event = disabled ? "account-disabled" : "account-enabled";
    await this.#changeKeepingAnAdministrator(email, { disabled }, by, () => [event, {}]);
  }

  async setObjectives(email: string, objectives: ObjectiveScope | undefined, by: Actor): Promise<void> {
    assertScope(objectives);
    await alone(this.#options, async (queries) => {
      const account = await known(queries, email);
      assertMayHaveScope(account, objectives);
      if (account.site !== undefined) assertKnown(await unknownOf(queries, objectives ?? []));
      const stored = objectives === undefined ? null : JSON.stringify(objectives.map(refText));
      await queries.query(BIND, [stored, account.id]);
      await this.#record(queries, "account-role-changed", email, by, scopeDetail(objectives));
    });
  }

  async #changeKeepingAnAdministrator(
    email: string,
    to: AccountChange,
    by: Actor,
    eventOf: (before: Account) => [EventName, EventDetail],
  ): Promise<void> {
    await alone(this.#options, async (queries) => {
      const before = await known(queries, email);
      if (to.disabled === false) assertMayEnable(before);
      if (to.role !== undefined) assertMayHaveRole(before, to.role);
      await change(queries, before.id, to);
      const left = await userAccounts(queries);
      if (!left.some(({ role, disabled }) => role === "administrator" && !disabled))
        throw lastAdministrator(email);
      const [event, detail] = eventOf(before);
      await this.#record(queries, event, email, by, detail);
    });
  }

  #record(queries: Queries, event: EventName, email: string, by: Actor, detail: EventDetail): Promise<void> {
    const one = { ...by, event, subject: `account ${email}`, detail };
    return insertEvent(queries, one, this.#options.clock.wallMs());
  }
}

function existing(email: string): AppError {
  return new AppError("conflict", `account ${email} already exists`);
}

async function userAccounts(queries: Queries): Promise<Account[]> {
  const rows = await queries.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE password_hash IS NOT NULL AND site IS NULL ORDER BY lower(email)`,
  );
  return rows.map(accountOf);
}

async function initialAdministrator(queries: Queries): Promise<Account | undefined> {
  return initialOf(await findByEmail(queries, INITIAL_ADMIN_EMAIL));
}

function initialOf(first: Account | undefined): Account | undefined {
  return first?.mustChangePassword === true && !first.disabled ? first : undefined;
}

/** @throws AppError `bad-data` */
async function known(queries: Queries, email: string): Promise<Account> {
  const account = isDevice(email) ? undefined : await findByEmail(queries, email);
  if (!account) throw new AppError("bad-data", `account ${email} does not exist`);
  return account;
}

/** Changes an account and revokes its tokens. Setting a password also clears `mustChangePassword`, unless it is given. */
async function change(queries: Queries, id: number, to: AccountChange): Promise<void> {
  const { email = null, role = null, passwordHash = null, disabled = null, mustChangePassword = false } = to;
  await queries.query(CHANGE, [id, email, role, passwordHash, disabled, mustChangePassword]);
}

const ANY_SIGN_IN = "SELECT FROM accounts WHERE password_hash IS NOT NULL LIMIT 1";
const ADD = `
  INSERT INTO accounts(email, role, password_hash, must_change_password, created_at) VALUES($1, $2, $3, $4, $5)
  ON CONFLICT (lower(email)) DO NOTHING RETURNING ${ACCOUNT_COLUMNS}`;
const BIND = "UPDATE accounts SET objectives = $1, token_version = token_version + 1 WHERE id = $2";
const CHANGE = `
  UPDATE accounts SET email = coalesce($2, email), role = coalesce($3, role),
    password_hash = coalesce($4::text, password_hash), disabled = coalesce($5, disabled),
    token_version = token_version + 1,
    must_change_password = CASE WHEN $4::text IS NULL THEN must_change_password ELSE $6 END
  WHERE id = $1`;

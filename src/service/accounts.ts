import bcrypt from "bcrypt";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, EventDetail, EventName } from "../domain/event.ts";
import { refText, type ObjectiveScope } from "../domain/objective.ts";
import { DEVICE_EMAIL, INITIAL_ADMIN_EMAIL, type Role } from "../domain/principal.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { EventService } from "./events.ts";
import { assertPasswordAllowed } from "./password-rules.ts";

/** bcrypt's work factor: about 65 ms on a desktop core and several times that on a Pi. */
const BCRYPT_COST = 10;
/** Read with every request of the account: as many as one page of a list. */
const BOUND_MAX = 1_000;
/** Of these, one entry of the event log names this many. */
const NAMED_MAX = 20;

/** The accounts that people sign in with. Every change makes the tokens given out so far invalid. */
export class AccountService {
  readonly #database: Database;
  readonly #accounts: AccountStore;
  readonly #events: EventService;
  readonly #clock: Clock;
  readonly #bcryptCost: number;

  /** @param options `bcryptCost`: work factor of new hashes; tests that make hundreds of accounts take the least, 4 */
  constructor({
    database,
    clock,
    bcryptCost = BCRYPT_COST,
  }: {
    database: Database;
    clock: Clock;
    bcryptCost?: number;
  }) {
    this.#database = database;
    this.#accounts = new AccountStore(database);
    this.#events = new EventService({ database, clock });
    this.#clock = clock;
    this.#bcryptCost = bcryptCost;
  }

  /** Everybody, by address. */
  list(): readonly Account[] {
    return this.#accounts.signInAccounts();
  }

  hasSignInAccounts(): boolean {
    return this.#accounts.hasPeople();
  }

  /** The administrator that the first start has made, while it is nobody's own; undefined afterwards. */
  initialAdministrator(): Account | undefined {
    const first = this.#accounts.byEmail(INITIAL_ADMIN_EMAIL);
    return first?.mustChangePassword === true && !first.disabled ? first : undefined;
  }

  /**
   * Makes the administrator of the first start somebody's own: their address, their password.
   * @param first that account as it was when its one-time password was shown
   * @throws AppError `bad-data` for a password or address that will not do, `conflict` when the address is taken,
   * `forbidden` when the account has been claimed meanwhile
   */
  async claim(
    first: Account,
    { email, password }: { email: string; password: string },
    by: Actor,
  ): Promise<void> {
    assertAddress(email);
    await assertPasswordAllowed(password, email);
    const passwordHash = await bcrypt.hash(password, this.#bcryptCost);
    transaction(this.#database, () => {
      // The one-time password is good once, also for two who show it at the same moment.
      if (this.initialAdministrator()?.tokenVersion !== first.tokenVersion)
        throw new AppError("forbidden", "this installation was set up meanwhile");
      const other = this.#accounts.byEmail(email);
      if (other && other.id !== first.id)
        throw new AppError("conflict", `there is already an account ${email}`);
      this.#accounts.change(first.id, { email, passwordHash });
      this.#record("account-password-set", email, by, { formerly: first.email });
    });
  }

  /**
   * Adds an account.
   * @param options `mustChangePassword`: the password was made by a program and is good for setting another one only
   * @throws AppError `bad-data` for a password or address that will not do, `conflict` when the address is taken
   */
  async add(
    { email, role, password }: { email: string; role: Role; password: string },
    by: Actor,
    { mustChangePassword = false } = {},
  ): Promise<Account> {
    assertAddress(email);
    await assertPasswordAllowed(password, email);
    const passwordHash = await bcrypt.hash(password, this.#bcryptCost);
    const createdAtMs = this.#clock.wallMs();
    return transaction(this.#database, () => {
      const account = this.#accounts.add({ email, role, passwordHash, mustChangePassword, createdAtMs });
      if (!account) throw new AppError("conflict", `there is already an account ${email}`);
      this.#record("account-added", email, by, { role });
      return account;
    });
  }

  /**
   * Sets another password.
   * @param options `replacing`: the account as it was when whoever asks showed its password
   * @throws AppError `bad-data` for an unknown address or a password that will not do, `forbidden` when `replacing` is
   * no longer how the account is
   */
  async setPassword(
    email: string,
    password: string,
    by: Actor,
    { replacing }: { replacing?: Account } = {},
  ): Promise<void> {
    const { id } = this.#known(email);
    await assertPasswordAllowed(password, email);
    const passwordHash = await bcrypt.hash(password, this.#bcryptCost);
    transaction(this.#database, () => {
      // Of several at once with the same old password, one is right.
      if (replacing && this.#known(email).tokenVersion !== replacing.tokenVersion)
        throw new AppError("forbidden", "the password was changed meanwhile");
      this.#accounts.change(id, { passwordHash });
      this.#record("account-password-set", email, by, {});
    });
  }

  /** @throws AppError `bad-data` for an unknown address, `conflict` for the last administrator */
  setRole(email: string, role: Role, by: Actor): void {
    this.#changeKeepingAnAdministrator(email, { role }, ({ role: before }) =>
      this.#record("account-role-changed", email, by, { before, after: role }),
    );
  }

  /** Locks an account out, or lets it in again. @throws as `setRole` */
  setDisabled(email: string, disabled: boolean, by: Actor): void {
    this.#changeKeepingAnAdministrator(email, { disabled }, () =>
      this.#record(disabled ? "account-disabled" : "account-enabled", email, by, {}),
    );
  }

  /**
   * Binds an account to objectives: the lists show it these alone. It changes nothing else of what the account may do.
   * @param objectives undefined for all of them
   * @throws AppError `bad-data` for an unknown address or too many objectives
   */
  setObjectives(email: string, objectives: ObjectiveScope | undefined, by: Actor): void {
    if (objectives !== undefined && objectives.length > BOUND_MAX)
      throw new AppError(
        "bad-data",
        `${objectives.length} objectives are more than the ${BOUND_MAX} of one account`,
        {
          hint: "Give the account all objectives instead.",
        },
      );
    transaction(this.#database, () => {
      this.#accounts.bind(this.#known(email).id, objectives);
      const named = objectives?.slice(0, NAMED_MAX).map(refText);
      const detail = objectives ? { count: objectives.length, objectives: named } : { objectives: "all" };
      this.#record("account-role-changed", email, by, detail);
    });
  }

  #changeKeepingAnAdministrator(
    email: string,
    change: { role?: Role; disabled?: boolean },
    record: (before: Account) => void,
  ): void {
    transaction(this.#database, () => {
      const before = this.#known(email);
      this.#accounts.change(before.id, change);
      if (!this.list().some(({ role, disabled }) => role === "administrator" && !disabled))
        throw new AppError("conflict", `${email} is the last administrator`, {
          hint: "Make somebody else one first.",
        });
      record(before);
    });
  }

  #record(event: EventName, email: string, { who, from }: Actor, detail: EventDetail): void {
    this.#events.record({ event, who, from, subject: `account ${email}`, detail });
  }

  #known(email: string): Account {
    const account = isDevice(email) ? undefined : this.#accounts.byEmail(email);
    if (!account) throw new AppError("bad-data", `there is no account ${email}`);
    return account;
  }
}

function assertAddress(email: string): void {
  if (!/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) || email.length > 254)
    throw new AppError("bad-data", `${JSON.stringify(email)} is not an e-mail address`);
  if (isDevice(email)) throw new AppError("conflict", `${DEVICE_EMAIL} is the daemon's own account`);
}

function isDevice(email: string): boolean {
  return email.toLowerCase() === DEVICE_EMAIL;
}

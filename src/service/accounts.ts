import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, EventDetail, EventName } from "../domain/event.ts";
import { refText, type ObjectiveScope } from "../domain/objective.ts";
import { DEVICE_EMAIL, INITIAL_ADMIN_EMAIL, type Role } from "../domain/principal.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { transaction } from "../store/transaction.ts";
import {
  assertMayEnable,
  assertMayHaveInitialPassword,
  assertMayHaveRole,
  assertMayHaveScope,
  lastAdministrator,
} from "./account-rules.ts";
import { assertKnown } from "./enrolments.ts";
import { EventService } from "./events.ts";
import { assertPasswordAllowed, hashPassword } from "./password-rules.ts";

/** Maximum objectives of an account: one page of a list, because every request reads them. */
const OBJECTIVES_MAX = 1_000;
/** Maximum objectives listed in one event. */
const LISTED_MAX = 20;

/** Manages the accounts. Each change revokes all tokens of the account. */
export class AccountService {
  readonly #database: Database;
  readonly #accounts: AccountStore;
  readonly #objectives: ObjectiveStore;
  readonly #events: EventService;
  readonly #clock: Clock;
  readonly #bcryptCost: number | undefined;
  readonly #onClaimed: () => void;

  /**
   * @param options `bcryptCost`: work factor of new hashes; tests with many accounts use the minimum, 4. `onClaimed`: called after
   *   each change that leaves no initial administrator
   */
  constructor({
    database,
    clock,
    bcryptCost,
    onClaimed = () => {},
  }: {
    database: Database;
    clock: Clock;
    bcryptCost?: number;
    onClaimed?: () => void;
  }) {
    this.#onClaimed = onClaimed;
    this.#database = database;
    this.#accounts = new AccountStore(database);
    this.#objectives = new ObjectiveStore(database);
    this.#events = new EventService({ database, clock });
    this.#clock = clock;
    this.#bcryptCost = bcryptCost;
  }

  /** All accounts that can sign in but those of sites, which the list of enrolments has; by address. */
  list(): readonly Account[] {
    return this.#accounts.signInAccounts().filter(({ site }) => site === undefined);
  }

  hasSignInAccounts(): boolean {
    return this.#accounts.hasUserAccounts();
  }

  /** The initial administrator until it is claimed; undefined afterwards. */
  initialAdministrator(): Account | undefined {
    const first = this.#accounts.byEmail(INITIAL_ADMIN_EMAIL);
    return first?.mustChangePassword === true && !first.disabled ? first : undefined;
  }

  /**
   * Claims the initial administrator with an address and a password.
   * @param first the account at the time its one-time code was presented
   * @throws AppError `bad-data` for an invalid password or address, `conflict` if the address is in use, `forbidden` if
   *   the account was claimed in the meantime
   */
  async claim(
    first: Account,
    { email, password }: { email: string; password: string },
    by: Actor,
  ): Promise<void> {
    assertAddress(email);
    await assertPasswordAllowed(password, { email });
    const passwordHash = await hashPassword(password, this.#bcryptCost);
    transaction(this.#database, () => {
      // The one-time code works once, also for two concurrent requests.
      if (this.initialAdministrator()?.tokenVersion !== first.tokenVersion)
        throw new AppError("forbidden", "this installation has already been set up");
      const other = this.#accounts.byEmail(email);
      if (other && other.id !== first.id) throw new AppError("conflict", `account ${email} already exists`);
      this.#accounts.change(first.id, { email, passwordHash });
      this.#record("account-password-set", email, by, email === first.email ? {} : { formerly: first.email });
    });
    this.#noteClaim();
  }

  /** Creates the account that posts trips. It has no password. */
  ensureDevice(): void {
    if (this.#accounts.byEmail(DEVICE_EMAIL)) return;
    this.#accounts.add({
      email: DEVICE_EMAIL,
      role: "operator",
      passwordHash: null,
      mustChangePassword: false,
      createdAtMs: this.#clock.wallMs(),
    });
  }

  /**
   * Adds an account.
   * @param options `mustChangePassword`: the password only allows setting a new one
   * @throws AppError `bad-data` for an invalid password or address, `conflict` if the address is in use
   */
  async add(
    { email, role, password }: { email: string; role: Role; password: string },
    by: Actor,
    { mustChangePassword = false } = {},
  ): Promise<Account> {
    assertAddress(email);
    await assertPasswordAllowed(password, { email });
    const passwordHash = await hashPassword(password, this.#bcryptCost);
    const createdAtMs = this.#clock.wallMs();
    return transaction(this.#database, () => {
      const account = this.#accounts.add({ email, role, passwordHash, mustChangePassword, createdAtMs });
      if (!account) throw new AppError("conflict", `account ${email} already exists`);
      this.#record("account-added", email, by, { role });
      return account;
    });
  }

  /**
   * Sets a new password.
   * @param options `replacing`: the account at the time its current password was verified. `mustChangePassword`: as in `add`
   * @throws AppError `bad-data` for an unknown address or an invalid password, `forbidden` if the account has changed since
   *   `replacing`; as `assertMayHaveInitialPassword`
   */
  async setPassword(
    email: string,
    password: string,
    by: Actor,
    { replacing, mustChangePassword = false }: { replacing?: Account; mustChangePassword?: boolean } = {},
  ): Promise<void> {
    const { id, site } = this.#known(email);
    await assertPasswordAllowed(password, { email, site });
    const passwordHash = await hashPassword(password, this.#bcryptCost);
    transaction(this.#database, () => {
      // Of several concurrent requests with the same old password, only one succeeds.
      const account = this.#known(email);
      if (replacing && account.tokenVersion !== replacing.tokenVersion)
        throw new AppError("forbidden", "the password was changed in the meantime");
      if (mustChangePassword) assertMayHaveInitialPassword(account);
      this.#accounts.change(id, { passwordHash, mustChangePassword });
      this.#record("account-password-set", email, by, {});
    });
    this.#noteClaim();
  }

  /** @throws AppError `bad-data` for an unknown address, `conflict` for the last administrator and for a site */
  setRole(email: string, role: Role, by: Actor): void {
    this.#changeKeepingAnAdministrator(email, { role }, ({ role: before }) =>
      this.#record("account-role-changed", email, by, { before, after: role }),
    );
  }

  /** Disables or enables an account. @throws as `setRole`; `conflict` to enable that of a site too */
  setDisabled(email: string, disabled: boolean, by: Actor): void {
    this.#changeKeepingAnAdministrator(email, { disabled }, () =>
      this.#record(disabled ? "account-disabled" : "account-enabled", email, by, {}),
    );
  }

  /**
   * Limits the objectives in the account's lists; its other rights stay unchanged. The account of a site may use only these.
   * @param objectives undefined for all
   * @throws AppError `bad-data` for an unknown address or too many objectives; for the account of a site `conflict` without any,
   *   `invalid` for one that does not exist
   */
  setObjectives(email: string, objectives: ObjectiveScope | undefined, by: Actor): void {
    assertScope(objectives);
    transaction(this.#database, () => {
      const account = this.#known(email);
      assertMayHaveScope(account, objectives);
      if (account.site !== undefined) assertKnown(objectives?.find((ref) => !this.#objectives.exists(ref)));
      this.#accounts.bind(account.id, objectives);
      this.#record("account-role-changed", email, by, scopeDetail(objectives));
    });
  }

  #changeKeepingAnAdministrator(
    email: string,
    change: { role?: Role; disabled?: boolean },
    record: (before: Account) => void,
  ): void {
    transaction(this.#database, () => {
      const before = this.#known(email);
      if (change.disabled === false) assertMayEnable(before);
      if (change.role !== undefined) assertMayHaveRole(before, change.role);
      this.#accounts.change(before.id, change);
      if (!this.list().some(({ role, disabled }) => role === "administrator" && !disabled))
        throw lastAdministrator(email);
      record(before);
    });
    this.#noteClaim();
  }

  #noteClaim(): void {
    if (this.initialAdministrator() === undefined) this.#onClaimed();
  }

  #record(event: EventName, email: string, { who, from }: Actor, detail: EventDetail): void {
    this.#events.record({ event, who, from, subject: `account ${email}`, detail });
  }

  #known(email: string): Account {
    const account = isDevice(email) ? undefined : this.#accounts.byEmail(email);
    if (!account) throw new AppError("bad-data", `account ${email} does not exist`);
    return account;
  }
}

/** @throws AppError `bad-data` for more objectives than an account may be limited to */
export function assertScope(objectives: ObjectiveScope | undefined): void {
  if (objectives === undefined || objectives.length <= OBJECTIVES_MAX) return;
  const message = `${objectives.length} objectives exceed the limit of ${OBJECTIVES_MAX} per account`;
  throw new AppError("bad-data", message, { hint: "Allow all objectives for this account instead." });
}

/** A limit to objectives for the event log. */
export function scopeDetail(objectives: ObjectiveScope | undefined): EventDetail {
  const named = objectives?.slice(0, LISTED_MAX).map(refText);
  return objectives ? { count: objectives.length, objectives: named } : { objectives: "all" };
}

/** @throws AppError `bad-data` for anything but an e-mail address, `conflict` for the daemon's own */
export function assertAddress(email: string): void {
  if (!/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) || email.length > 254)
    throw new AppError("bad-data", `${JSON.stringify(email)} is not an e-mail address`);
  if (isDevice(email)) throw new AppError("conflict", `${DEVICE_EMAIL} is reserved for the daemon`);
}

/** Whether an address is that of the account that posts trips. */
export function isDevice(email: string): boolean {
  return email.toLowerCase() === DEVICE_EMAIL;
}

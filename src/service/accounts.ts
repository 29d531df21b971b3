import bcrypt from "bcrypt";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { DEVICE_EMAIL, type Role } from "../domain/principal.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import { transaction, type Database } from "../store/database.ts";

/** bcrypt's work factor: about 65 ms on a desktop core and several times that on a Pi. */
const BCRYPT_COST = 10;
/** bcrypt looks at no more; a longer password would be compared by its beginning only. */
export const PASSWORD_BYTES_MAX = 72;
const PASSWORD_LENGTH_MIN = 8;

/** The accounts that people sign in with. Every change makes the tokens given out so far invalid. */
export class AccountService {
  readonly #database: Database;
  readonly #accounts: AccountStore;
  readonly #clock: Clock;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database;
    this.#accounts = new AccountStore(database);
    this.#clock = clock;
  }

  /** Everybody, by address. */
  list(): readonly Account[] {
    return this.#accounts.people();
  }

  hasPeople(): boolean {
    return this.#accounts.hasPeople();
  }

  /**
   * Adds an account.
   * @throws AppError `bad-data` for a password or address that will not do, `conflict` when the address is taken
   */
  async add(email: string, role: Role, password: string): Promise<Account> {
    if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254)
      throw new AppError("bad-data", `${JSON.stringify(email)} is not an e-mail address`);
    if (isDevice(email)) throw new AppError("conflict", `${DEVICE_EMAIL} is the daemon's own account`);
    const passwordHash = await hashOf(password);
    const account = this.#accounts.add({ email, role, passwordHash, createdAtMs: this.#clock.wallMs() });
    if (!account) throw new AppError("conflict", `there is already an account ${email}`);
    return account;
  }

  /** @throws AppError `bad-data` for an unknown address or a password that will not do */
  async setPassword(email: string, password: string): Promise<void> {
    const { id } = this.#known(email);
    this.#accounts.change(id, { passwordHash: await hashOf(password) });
  }

  /** @throws AppError `bad-data` for an unknown address, `conflict` for the last administrator */
  setRole(email: string, role: Role): void {
    this.#changeKeepingAnAdministrator(email, { role });
  }

  /** Locks an account out, or lets it in again. @throws as `setRole` */
  setDisabled(email: string, disabled: boolean): void {
    this.#changeKeepingAnAdministrator(email, { disabled });
  }

  #changeKeepingAnAdministrator(email: string, change: { role?: Role; disabled?: boolean }): void {
    transaction(this.#database, () => {
      this.#accounts.change(this.#known(email).id, change);
      if (!this.list().some(({ role, disabled }) => role === "administrator" && !disabled))
        throw new AppError("conflict", `${email} is the last administrator`, {
          hint: "Make somebody else one first.",
        });
    });
  }

  #known(email: string): Account {
    const account = isDevice(email) ? undefined : this.#accounts.byEmail(email);
    if (!account) throw new AppError("bad-data", `there is no account ${email}`);
    return account;
  }
}

function isDevice(email: string): boolean {
  return email.toLowerCase() === DEVICE_EMAIL;
}

function hashOf(password: string): Promise<string> {
  if ([...password].length < PASSWORD_LENGTH_MIN)
    throw new AppError("bad-data", `a password needs at least ${PASSWORD_LENGTH_MIN} characters`);
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX)
    throw new AppError(
      "bad-data",
      `a password may take at most ${PASSWORD_BYTES_MAX} bytes, letters like ș count double`,
    );
  return bcrypt.hash(password, BCRYPT_COST);
}

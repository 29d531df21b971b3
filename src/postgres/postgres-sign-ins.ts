import type { Clock } from "../domain/clock.ts";
import {
  assertElapsed,
  DELAY_MS_MAX,
  FIRST_DELAY_MS,
  FREE_ATTEMPTS_PER_ACCOUNT,
  limitsOf,
  RESET_AFTER_MS,
  type Limit,
  type SignInAttempt,
} from "../domain/sign-in-throttle.ts";
import type { SignIns, Throttle } from "../service/sign-ins.ts";
import type { Account } from "../store/accounts.ts";
import { ACCOUNT_COLUMNS, accountOf, findByEmail, type AccountRow } from "./account-rows.ts";
import type { NamedStatement, Queries } from "./connection.ts";
import { TurnBatch } from "./turn-batch.ts";

/** The accounts of a centre for sign-ins and tokens. They are read in the turn of each request and never kept. */
export class PostgresSignIns implements SignIns {
  readonly throttle: Throttle;
  readonly #queries: Queries;
  readonly #accounts: TurnBatch<number, Account | undefined>;

  constructor(queries: Queries, clock: Pick<Clock, "afterEventLoopTurn" | "wallMs">) {
    this.#queries = queries;
    this.throttle = new PostgresThrottle(queries, clock);
    this.#accounts = new TurnBatch(clock, async (ids) => {
      const rows = await queries.query<AccountRow>(ACCOUNTS, [[...new Set(ids)]]);
      const found = new Map(rows.map((row) => [row.id, accountOf(row)]));
      return ids.map((id) => found.get(id));
    });
  }

  byId(id: number): Promise<Account | undefined> {
    return this.#accounts.ask(id);
  }

  byEmail(email: string): Promise<Account | undefined> {
    return findByEmail(this.#queries, email);
  }

  async hasSignedIn(email: string, address: string): Promise<boolean> {
    return (await this.#queries.query(KNOWN_PLACE, [email, address])).length > 0;
  }
}

/**
 * Wrong passwords, counted for all processes together. The wall clock is used, because the machines share no monotonic
 * one; a centre's servers have the time of a time server.
 */
class PostgresThrottle implements Throttle {
  readonly #queries: Queries;
  readonly #clock: Pick<Clock, "wallMs">;

  constructor(queries: Queries, clock: Pick<Clock, "wallMs">) {
    this.#queries = queries;
    this.#clock = clock;
  }

  async assertOpen(attempt: SignInAttempt): Promise<void> {
    const places = Object.values(limitsOf(attempt)).map(({ key }) => storable(key));
    if (places.length === 0) return;
    const [row] = await this.#queries.query<{ until: number | null }>(BLOCKED, [places]);
    assertElapsed(row?.until ?? 0, this.#clock.wallMs());
  }

  async failed(attempt: SignInAttempt): Promise<number> {
    const { account, address } = limitsOf(attempt);
    const own = account ? await this.#count(account) : { failures: 0, waitMs: 0 };
    // One account adds a limited number to its address: a program with an old password may retry for weeks.
    const isCounted = !account || own.failures <= FREE_ATTEMPTS_PER_ACCOUNT;
    const { waitMs } = address && isCounted ? await this.#count(address) : { waitMs: 0 };
    return Math.max(own.waitMs, waitMs) / 1000;
  }

  async succeeded(attempt: SignInAttempt): Promise<void> {
    const { account, address } = limitsOf(attempt);
    if (!account) return;
    await this.#queries.query(FORGIVE, [
      storable(account.key),
      address ? storable(address.key) : null,
      FREE_ATTEMPTS_PER_ACCOUNT,
    ]);
  }

  async #count({ key, free }: Limit): Promise<{ failures: number; waitMs: number }> {
    const nowMs = this.#clock.wallMs();
    const values = [storable(key), free, nowMs, RESET_AFTER_MS, FIRST_DELAY_MS, DELAY_MS_MAX];
    const [row] = await this.#queries.query<{ failures: number; blocked_until: number }>(COUNT, values);
    return { failures: row?.failures ?? 1, waitMs: Math.max(0, (row?.blocked_until ?? nowMs) - nowMs) };
  }
}

/** An address may be anything a client sends; PostgreSQL stores no NUL, and an index no long text. */
function storable(key: string): string {
  return key.replaceAll("\0", "\u{fffd}").slice(0, 400);
}

const ACCOUNTS: NamedStatement = {
  name: "accounts-by-id",
  text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = ANY($1::bigint[])`,
};
const KNOWN_PLACE: NamedStatement = {
  name: "known-place",
  text: `SELECT 1 FROM known_places WHERE email = lower($1 COLLATE "C") AND address = $2`,
};
const BLOCKED: NamedStatement = {
  name: "blocked-until",
  text: "SELECT max(blocked_until) AS until FROM wrong_passwords WHERE place = ANY($1::text[])",
};

/** The delay after the failure with this number: none while attempts are free, then doubled with each further one. */
function delaySql(failures: string): string {
  return `CASE WHEN ${failures} < $2::int THEN 0
    ELSE least($6::bigint, $5::bigint * (1::bigint << least(${failures} - $2::int, 10))) END`;
}

const FAILURES = "(CASE WHEN $3::bigint - counted.last_at < $4::bigint THEN counted.failures ELSE 0 END + 1)";
const COUNT: NamedStatement = {
  name: "count-wrong-password",
  text: `
    INSERT INTO wrong_passwords AS counted(place, failures, last_at, blocked_until)
    VALUES($1, 1, $3::bigint, $3::bigint + ${delaySql("1")})
    ON CONFLICT (place) DO UPDATE SET failures = ${FAILURES}, last_at = excluded.last_at,
      blocked_until = $3::bigint + ${delaySql(FAILURES)}
    RETURNING failures, blocked_until`,
};
const FORGIVE: NamedStatement = {
  name: "forgive-wrong-passwords",
  text: `
    WITH forgiven AS (DELETE FROM wrong_passwords WHERE place = $1 RETURNING least(failures, $3::int) AS failures)
    UPDATE wrong_passwords AS counted SET failures = greatest(0, counted.failures - forgiven.failures)
    FROM forgiven WHERE counted.place = $2`,
};

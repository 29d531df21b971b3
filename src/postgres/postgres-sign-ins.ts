import type { Clock } from "../domain/clock.ts";
import {
  assertElapsed,
  DELAY_MS_MAX,
  FIRST_DELAY_MS,
  FREE_ATTEMPTS_PER_ACCOUNT,
  limitsOf,
  RESET_AFTER_MS,
  SignInThrottle,
  type Limit,
  type SignInAttempt,
} from "../domain/sign-in-throttle.ts";
import type { SignIns, Throttle } from "../service/sign-ins.ts";
import type { Account } from "../store/accounts.ts";
import { ACCOUNT_COLUMNS, accountOf, findAllByEmail, type AccountRow } from "./account-rows.ts";
import type { NamedStatement, Queries, ReadsAndWrites } from "./connection.ts";
import { isUnavailable } from "./server-errors.ts";
import { SERVER_NOW } from "./server-clock.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";

/**
 * The accounts of a centre for sign-ins and tokens. They are read in the turn of each request and never kept. All sign-ins of a
 * turn share each of their questions: one by one, those of a city after a power cut would wait for a connection longer than
 * they may.
 */
export class PostgresSignIns implements SignIns {
  readonly throttle: Throttle;
  readonly #queries: Queries;
  readonly #accounts: EventLoopBatch<number, Account | undefined>;
  readonly #named: EventLoopBatch<string, Account | undefined>;
  readonly #places: EventLoopBatch<Place, boolean>;

  /** @param nowMs wall clock of wrong passwords; undefined for that of the database. Tests set it. */
  constructor(queries: ReadsAndWrites, clock: ThrottleClock, nowMs?: () => number) {
    this.#queries = queries;
    this.throttle = new PostgresThrottle(queries, clock, nowMs);
    this.#named = new EventLoopBatch(clock, (emails) => findAllByEmail(queries, emails));
    this.#places = new EventLoopBatch(clock, async (places) => {
      const values = [places.map(({ email }) => email), places.map(({ address }) => address)];
      const rows = await queries.query<{ n: number }>(KNOWN_PLACES, values);
      const known = new Set(rows.map(({ n }) => n - 1));
      return places.map((_, index) => known.has(index));
    });
    this.#accounts = new EventLoopBatch(clock, async (ids) => {
      const rows = await queries.query<AccountRow>(ACCOUNTS, [[...new Set(ids)]]);
      const found = new Map(rows.map((row) => [row.id, accountOf(row)]));
      return ids.map((id) => found.get(id));
    });
  }

  byId(id: number): Promise<Account | undefined> {
    return this.#accounts.ask(id);
  }

  async byEmail(email: string): Promise<Account | undefined> {
    // No stored address has a NUL, and the server would refuse the question.
    return email.includes("\0") ? undefined : this.#named.ask(email);
  }

  hasSignedIn(email: string, address: string): Promise<boolean> {
    return this.#places.ask({ email, address });
  }

  async newestAddresses(limit: number): Promise<readonly string[]> {
    const rows = await this.#queries.query<{ address: string }>(NEWEST_ADDRESSES, [limit]);
    return rows.map(({ address }) => address);
  }
}

interface Place {
  readonly email: string;
  readonly address: string;
}

type ThrottleClock = Pick<Clock, "afterEventLoopTurn" | "monotonicMs">;

/**
 * Wrong passwords, counted for all processes together. The machines share no monotonic clock, so that of the database counts: with
 * its own, a machine a day ahead would block accounts at the others for a day. Those that cannot be written, as while commits wait
 * for a synchronous standby, are counted in each process, beside those before.
 */
class PostgresThrottle implements Throttle {
  readonly #writes: Queries;
  readonly #nowMs: () => number | null;
  /** How long a place is still blocked, milliseconds; undefined for one without wrong passwords. */
  readonly #blockedMs: EventLoopBatch<string, number | undefined>;
  readonly #unwritten: SignInThrottle;

  constructor(queries: ReadsAndWrites, clock: ThrottleClock, nowMs?: () => number) {
    this.#writes = queries.writes;
    this.#unwritten = new SignInThrottle(clock);
    this.#nowMs = nowMs ?? (() => null);
    this.#blockedMs = new EventLoopBatch(clock, async (places) => {
      const values = [[...new Set(places)], this.#nowMs()];
      const rows = await queries.query<{ place: string; wait: number }>(BLOCKED, values);
      const found = new Map(rows.map(({ place, wait }) => [place, wait]));
      return places.map((place) => found.get(place));
    });
  }

  async assertOpen(attempt: SignInAttempt): Promise<void> {
    this.#unwritten.assertOpen(attempt);
    const limits = Object.values(limitsOf(attempt));
    const waitsMs = await Promise.all(limits.map(({ key }) => this.#blockedMs.ask(storable(key))));
    assertElapsed(Math.max(0, ...waitsMs.map((wait) => wait ?? 0)), 0);
  }

  async failed(attempt: SignInAttempt): Promise<number> {
    try {
      return await this.#counted(attempt);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.#unwritten.failed(attempt);
    }
  }

  async #counted(attempt: SignInAttempt): Promise<number> {
    const { account, address } = limitsOf(attempt);
    const own = account ? await this.#count(account) : { failures: 0, waitMs: 0 };
    // One account adds a limited number to its address: a program with an old password may retry for weeks.
    const isCounted = !account || own.failures <= FREE_ATTEMPTS_PER_ACCOUNT;
    const { waitMs } = address && isCounted ? await this.#count(address) : { waitMs: 0 };
    return Math.max(own.waitMs, waitMs) / 1000;
  }

  async succeeded(attempt: SignInAttempt): Promise<void> {
    this.#unwritten.succeeded(attempt);
    const { account, address } = limitsOf(attempt);
    if (!account) return;
    const place = storable(account.key);
    // Nearly no sign-in follows a wrong password: thousands of sites after a power cut only read, and share the round trip.
    if ((await this.#blockedMs.ask(place)) === undefined) return;
    const values = [place, address ? storable(address.key) : null, FREE_ATTEMPTS_PER_ACCOUNT];
    await this.#writes.query(FORGIVE, values).catch((error: unknown) => {
      // They stay counted, and end with their time.
      if (!isUnavailable(error)) throw error;
    });
  }

  async #count({ key, free }: Limit): Promise<{ failures: number; waitMs: number }> {
    const values = [storable(key), free, this.#nowMs(), RESET_AFTER_MS, FIRST_DELAY_MS, DELAY_MS_MAX];
    const [row] = await this.#writes.query<{ failures: number; wait: number }>(COUNT, values);
    return row ? { failures: row.failures, waitMs: row.wait } : { failures: 1, waitMs: 0 };
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
const KNOWN_PLACES: NamedStatement = {
  name: "known-places",
  text: `SELECT asked.n FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked(email, address, n)
    JOIN known_places AS known ON known.email = lower(asked.email COLLATE "C") AND known.address = asked.address`,
};
const NEWEST_ADDRESSES: NamedStatement = {
  name: "newest-addresses",
  text: "SELECT address FROM known_places GROUP BY address ORDER BY max(last_at) DESC LIMIT $1",
};
/** A wrong password of the future was counted before the clock was set back, or by another clock: it blocks nothing. */
const BLOCKED: NamedStatement = {
  name: "blocked-places",
  text: `SELECT place, CASE WHEN last_at <= now THEN greatest(0, blocked_until - now) ELSE 0 END AS wait
    FROM wrong_passwords, (SELECT coalesce($2::bigint, ${SERVER_NOW}) AS now) AS clock WHERE place = ANY($1::text[])`,
};

/** The delay after the failure with this number: none while attempts are free, then doubled with each further one. */
function delaySql(failures: string): string {
  return `CASE WHEN ${failures} < $2::int THEN 0
    ELSE least($6::bigint, $5::bigint * (1::bigint << least(${failures} - $2::int, 10))) END`;
}

const FAILURES =
  "(CASE WHEN excluded.last_at - counted.last_at < $4::bigint THEN counted.failures ELSE 0 END + 1)";
const COUNT: NamedStatement = {
  name: "count-wrong-password",
  text: `
    INSERT INTO wrong_passwords AS counted(place, failures, last_at, blocked_until)
    SELECT $1, 1, now, now + ${delaySql("1")} FROM (SELECT coalesce($3::bigint, ${SERVER_NOW}) AS now) AS clock
    ON CONFLICT (place) DO UPDATE SET failures = ${FAILURES}, last_at = excluded.last_at,
      blocked_until = excluded.last_at + ${delaySql(FAILURES)}
    RETURNING failures, blocked_until - last_at AS wait`,
};
const FORGIVE: NamedStatement = {
  name: "forgive-wrong-passwords",
  text: `
    WITH forgiven AS (DELETE FROM wrong_passwords WHERE place = $1 RETURNING least(failures, $3::int) AS failures)
    UPDATE wrong_passwords AS counted SET failures = greatest(0, counted.failures - forgiven.failures)
    FROM forgiven WHERE counted.place = $2`,
};

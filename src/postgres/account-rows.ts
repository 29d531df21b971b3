import type { Clock } from "../domain/clock.ts";
import type { ObjectiveRef } from "../domain/objective.ts";
import { scopeOf, type Account } from "../store/accounts.ts";
import type { NamedStatement, PostgresConnections, Queries } from "./connection.ts";
import { IS_READ_ONLY, notAvailable } from "./server-errors.ts";
import { auditedTurn } from "./write-turns.ts";

/** The columns of an `AccountRow`. */
export const ACCOUNT_COLUMNS = `id, email, role, password_hash AS "passwordHash", disabled, token_version AS "tokenVersion",
  must_change_password AS "mustChangePassword", objectives, site`;

/** A number of our own for the lock of changes to accounts, so that two never remove the last two administrators. */
const ACCOUNTS_LOCK = 0x61636374;

/**
 * A transaction that no other change of accounts overlaps, in whatever process.
 * @throws AppError `unavailable` after too long a wait for others; then nothing has changed
 */
export function alone<T>(
  { connections, clock }: { readonly connections: PostgresConnections; readonly clock: Pick<Clock, "after"> },
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const locked = async (queries: Queries): Promise<T> => {
    await queries.query("SELECT pg_advisory_xact_lock($1)", [ACCOUNTS_LOCK]);
    return work(queries);
  };
  return auditedTurn(connections, clock, () => connections.transaction(locked));
}

/** An account as it is stored. */
export interface AccountRow extends Omit<Account, "objectives" | "site"> {
  /** JSON list of objectives; null for all. */
  readonly objectives: string | null;
  readonly site: string | null;
}

/** A row as the services know it. */
export function accountOf(row: AccountRow): Account {
  return { ...row, objectives: scopeOf(row.objectives), site: row.site ?? undefined };
}

/** The account with an e-mail address, ignoring case. */
export async function findByEmail(queries: Queries, email: string): Promise<Account | undefined> {
  // No stored address has a NUL, and the server would refuse the question.
  if (email.includes("\0")) return undefined;
  const [row] = await queries.query<AccountRow>(BY_EMAIL, [email]);
  return row && accountOf(row);
}

/** For each e-mail address without NUL the account with it, ignoring case. */
export async function findAllByEmail(
  queries: Queries,
  emails: readonly string[],
): Promise<(Account | undefined)[]> {
  const rows = await queries.query<AccountRow & { n: number }>(ALL_BY_EMAIL, [emails]);
  const found = new Map(rows.map(({ n, ...row }) => [n - 1, accountOf(row)]));
  return emails.map((_, index) => found.get(index));
}

/** The first of these objectives that does not exist. */
export async function unknownOf(
  queries: Queries,
  refs: readonly ObjectiveRef[],
): Promise<ObjectiveRef | undefined> {
  const rows = await queries.query<ObjectiveRef>(
    "SELECT kind AS type, id FROM objectives WHERE id = ANY($1::bigint[])",
    [refs.map(({ id }) => id)],
  );
  return refs.find((ref) => !rows.some(({ type, id }) => type === ref.type && id === ref.id));
}

/**
 * The account with an e-mail address, for the one public request that reads the database: a load balancer asks with it for a
 * process that can write.
 * @throws AppError `unavailable` at a server that refuses writes; otherwise as `Queries.query`
 */
export async function findAtPrimary(queries: Queries, email: string): Promise<Account | undefined> {
  const [row] = await queries.query<AtPrimary>(AT_PRIMARY, [email]);
  if (row?.readonly !== false) throw notAvailable(new Error("the server is a standby, or refuses writes"));
  return row.id === null ? undefined : accountOf(row);
}

/** All columns of the account are null if there is none. */
type AtPrimary = { readonly readonly: boolean } & (AccountRow | { readonly id: null });

const BY_EMAIL: NamedStatement = {
  name: "account-by-email",
  text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE lower(email) = lower($1 COLLATE "C")`,
};
const AT_PRIMARY: NamedStatement = {
  name: "account-at-primary",
  text: `SELECT readonly, ${ACCOUNT_COLUMNS} FROM (SELECT ${IS_READ_ONLY} AS readonly) AS server
    LEFT JOIN accounts ON lower(email) = lower($1 COLLATE "C")`,
};
const ALL_BY_EMAIL: NamedStatement = {
  name: "accounts-by-email",
  text: `SELECT n, ${ACCOUNT_COLUMNS} FROM unnest($1::text[]) WITH ORDINALITY AS asked(address, n)
    JOIN accounts ON lower(email) = lower(asked.address COLLATE "C")`,
};

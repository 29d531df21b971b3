import { isoTime, type Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, EventDetail, EventName } from "../domain/event.ts";
import { refText } from "../domain/objective.ts";
import type { EnrolledSite, EnrolmentClaim, EnrolmentCode, SiteInvitation } from "../generated/types.ts";
import { assertOwnAddress } from "../service/account-rules.ts";
import {
  accessList,
  assertHasAccess,
  assertKnown,
  assertRoom,
  assertTransfer,
  claimedAgain,
  codeHash,
  CODES_KEPT_MS,
  enrolledSite,
  issued,
  newEnrolment,
  scopeOfSite,
  siteAddress,
  usable,
  type AccessPage,
  type AccessSlice,
  type EnrolmentCodes,
  type Enrolments,
  type FoundCode,
} from "../service/enrolments.ts";
import { hashPassword } from "../service/password-rules.ts";
import type { Account } from "../store/accounts.ts";
import {
  ENROLMENT,
  sitesWithAccess,
  toEnrolment,
  type Enrolment,
  type EnrolmentRow,
  type NewEnrolment,
} from "../store/enrolments.ts";
import { ACCOUNT_COLUMNS, accountOf, alone, unknownOf, type AccountRow } from "./account-rows.ts";
import { AT_ONE_MOMENT, type NamedStatement, type PostgresConnections, type Queries } from "./connection.ts";
import { insertEvent } from "./postgres-events.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";
import { CONFIRM } from "./record-rows.ts";
import { SERVER_NOW, serverNow } from "./server-clock.ts";

/** The one-time codes of sites of a centre, as `SqliteEnrolments` has them in SQLite. */
export class PostgresEnrolments implements Enrolments, EnrolmentCodes {
  readonly #options: ConstructorParameters<typeof PostgresEnrolments>[0];
  /** Many claims share a read, so that a flood of wrong codes occupies two connections at most. */
  readonly #codes: EventLoopBatch<string, FoundCode>;

  /**
   * @param options as `SqliteEnrolments`; `nowMs`: wall clock of the codes, milliseconds since 1970. Undefined for that of the
   *   database, which all processes share: one machine with a wrong clock would otherwise remove the codes of all. Tests set it.
   */
  constructor(options: {
    readonly connections: PostgresConnections;
    readonly clock: Pick<Clock, "wallMs" | "after" | "afterEventLoopTurn">;
    readonly newCode: () => string;
    readonly bcryptCost?: number;
    readonly nowMs?: () => number;
  }) {
    this.#options = options;
    this.#codes = new EventLoopBatch(options.clock, async (hashes) => {
      const rows = await options.connections.query<AskedRow>(BY_HASHES, [hashes]);
      return rows.map((row) => this.#found(row));
    });
  }

  find(code: string): Promise<FoundCode> {
    return this.#codes.ask(codeHash(code));
  }

  async invite(invitation: SiteInvitation, by: Actor): Promise<EnrolmentCode> {
    const code = this.#options.newCode();
    const enrolment = newEnrolment(invitation, code, await this.#now());
    await alone(this.#options, async (queries) => {
      const account = await bySite(queries, enrolment.site);
      assertTransfer(invitation, account);
      if (!account) await assertFree(queries, enrolment.site);
      assertKnown(await unknownOf(queries, enrolment.objectives));
      await queries.query("DELETE FROM enrolments WHERE greatest(expires_at, used_at) < $1", [
        enrolment.createdAtMs - CODES_KEPT_MS,
      ]);
      await queries.query("DELETE FROM enrolments WHERE site = $1 AND used_at IS NULL", [enrolment.site]);
      assertRoom(await countUnused(queries, enrolment.createdAtMs));
      await add(queries, enrolment);
      const detail = { ...scopeOfSite(enrolment), until: isoTime(enrolment.expiresAtMs) };
      await this.#record(queries, "enrolment-created", enrolment.site, by, detail);
    });
    return issued(code, enrolment);
  }

  async page({ start, end }: AccessSlice): Promise<AccessPage> {
    const nowMs = await this.#now();
    return this.#options.connections.transaction(async (queries) => {
      const range = [nowMs, start, Math.max(0, end - start)];
      const sites = (await queries.query<{ site: string }>(PAGE_OF_SITES, range)).map(({ site }) => site);
      const [counted] = await queries.query<{ total: number }>(COUNT_SITES, [nowMs]);
      const accounts = await queries.query<AccountRow>(ACCOUNTS_OF_SITES, [sites]);
      const codes = await queries.query<EnrolmentRow>(UNUSED_OF_SITES, [sites, nowMs]);
      const listed = accessList(accounts.map(accountOf), codes.map(toEnrolment));
      return { sites: listed, total: counted?.total ?? 0 };
    }, AT_ONE_MOMENT);
  }

  async revoke(site: string, by: Actor): Promise<void> {
    await alone(this.#options, async (queries) => {
      const accounts = await queries.query(
        "UPDATE accounts SET disabled = true, token_version = token_version + 1 WHERE site = $1 RETURNING id",
        [site],
      );
      const codes = await queries.query("DELETE FROM enrolments WHERE site = $1 RETURNING id", [site]);
      assertHasAccess(site, accounts.length + codes.length > 0);
      await this.#record(queries, "enrolment-revoked", site, by, {});
    });
  }

  async claim(claim: EnrolmentClaim, from: string): Promise<EnrolledSite> {
    const { connections, bcryptCost } = this.#options;
    const { enrolment: found } = await this.#usable(connections, claim);
    if (found.usedAtMs !== null) return this.#claimedAgain(found, claim);
    const passwordHash = await hashPassword(claim.password, bcryptCost);
    const { enrolment, account } = await alone(this.#options, async (queries) => {
      const { enrolment: now, nowMs } = await this.#usable(queries, claim);
      if (now.usedAtMs !== null) return { enrolment: now };
      const objectives = JSON.stringify(now.objectives.map(refText));
      const bound = await this.#bind(queries, now.site, passwordHash, objectives);
      await queries.query("UPDATE enrolments SET used_at = $1 WHERE id = $2", [nowMs, now.id]);
      await this.#record(queries, "site-enrolled", now.site, { who: bound.email, from }, scopeOfSite(now));
      return { enrolment: now, account: bound };
    });
    // Of two concurrent requests with one code, only one enrols; the other succeeds if it has the same password.
    return account ? enrolledSite(account.email, enrolment) : this.#claimedAgain(enrolment, claim);
  }

  async #claimedAgain(used: Enrolment, claim: EnrolmentClaim): Promise<EnrolledSite> {
    const { connections } = this.#options;
    const enrolled = await claimedAgain(await bySite(connections, used.site), used, claim);
    // The first claim had no answer perhaps, and may be on this server only.
    await connections.writes.query(CONFIRM);
    return enrolled;
  }

  async #usable(
    queries: Queries,
    claim: EnrolmentClaim,
  ): Promise<FoundCode & { readonly enrolment: Enrolment }> {
    const rows = await queries.query<AskedRow>(BY_HASHES, [[codeHash(claim.code)]]);
    const [found] = rows.map((row) => this.#found(row));
    const nowMs = found?.nowMs ?? 0;
    return { enrolment: usable(found?.enrolment, claim, nowMs), nowMs };
  }

  #found(row: AskedRow): FoundCode {
    const { now, ...enrolment } = row;
    const found = enrolment.id === null ? undefined : toEnrolment(enrolment);
    return { enrolment: found, nowMs: this.#options.nowMs?.() ?? now };
  }

  async #bind(queries: Queries, site: string, passwordHash: string, objectives: string): Promise<Account> {
    const known = await bySite(queries, site);
    const email = known?.email ?? siteAddress(site);
    if (!known) await assertFree(queries, site);
    const values = [site, passwordHash, objectives];
    const [row] = known
      ? await queries.query<AccountRow>(BIND, values)
      : await queries.query<AccountRow>(ADD, [...values, email, this.#nowMs()]);
    if (!row) throw new AppError("conflict", `account ${email} already exists`);
    return accountOf(row);
  }

  #record(queries: Queries, event: EventName, site: string, by: Actor, detail: EventDetail): Promise<void> {
    return insertEvent(queries, { ...by, event, subject: `site ${site}`, detail }, this.#nowMs());
  }

  /** When an account or an event was added, by the clock of this process as elsewhere. */
  #nowMs(): number {
    return Math.round(this.#options.clock.wallMs());
  }

  #now(): Promise<number> {
    return serverNow(this.#options.connections, this.#options.nowMs);
  }
}

/** The row of a code that was asked for; the columns are null for one that does not exist. */
type AskedRow = { readonly now: number } & (EnrolmentRow | { readonly id: null });

async function bySite(queries: Queries, site: string): Promise<Account | undefined> {
  const [row] = await queries.query<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE site = $1`, [
    site,
  ]);
  return row && accountOf(row);
}

/** @throws AppError `conflict` if the address of a new site is that of another account */
async function assertFree(queries: Queries, site: string): Promise<void> {
  const byEmail = `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE lower(email) = $1`;
  const [row] = await queries.query<AccountRow>(byEmail, [siteAddress(site)]);
  assertOwnAddress(site, row && accountOf(row));
}

async function countUnused(queries: Queries, nowMs: number): Promise<number> {
  const [row] = await queries.query<{ unused: number }>(
    "SELECT count(*) AS unused FROM enrolments WHERE used_at IS NULL AND expires_at > $1",
    [nowMs],
  );
  return row?.unused ?? 0;
}

async function add(queries: Queries, enrolment: NewEnrolment): Promise<void> {
  const { codeHash: hash, site, objectives, createdAtMs, expiresAtMs } = enrolment;
  await queries.query(
    "INSERT INTO enrolments(code_hash, site, objectives, created_at, expires_at) VALUES($1, $2, $3, $4, $5)",
    [hash, site, JSON.stringify(objectives.map(refText)), createdAtMs, expiresAtMs],
  );
}

const PAGE_OF_SITES = `${sitesWithAccess("$1")} ORDER BY site OFFSET $2 LIMIT $3`;
const COUNT_SITES = `SELECT count(*) AS total FROM (${sitesWithAccess("$1")}) AS sites`;
const ACCOUNTS_OF_SITES = `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE site = ANY($1::text[])`;
const UNUSED_OF_SITES = `
  SELECT ${ENROLMENT} FROM enrolments WHERE site = ANY($1::text[]) AND used_at IS NULL AND expires_at > $2 ORDER BY id`;
const BY_HASHES: NamedStatement = {
  name: "enrolments-by-hash",
  text: `SELECT ${SERVER_NOW} AS now, ${ENROLMENT}
    FROM unnest($1::text[]) WITH ORDINALITY AS asked(code_hash, n) LEFT JOIN enrolments USING (code_hash) ORDER BY n`,
};
const BIND = `
  UPDATE accounts SET role = 'operator', password_hash = $2, objectives = $3, disabled = false, must_change_password = false,
    token_version = token_version + 1
  WHERE site = $1 RETURNING ${ACCOUNT_COLUMNS}`;
const ADD = `
  INSERT INTO accounts(site, password_hash, objectives, email, role, must_change_password, created_at)
  VALUES($1, $2, $3, $4, 'operator', false, $5)
  ON CONFLICT (lower(email)) DO NOTHING RETURNING ${ACCOUNT_COLUMNS}`;

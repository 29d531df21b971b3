import { isoTime, type Clock } from "../domain/clock.ts";
import type { Actor } from "../domain/event.ts";
import { AppError } from "../domain/errors.ts";
import type { EnrolledSite, EnrolmentClaim, EnrolmentCode, SiteInvitation } from "../generated/types.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { EnrolmentStore, type Enrolment } from "../store/enrolments.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { transaction } from "../store/transaction.ts";
import { assertOwnAddress } from "./account-rules.ts";
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
} from "./enrolments.ts";
import { EventService } from "./events.ts";
import { hashPassword } from "./password-rules.ts";

/** Reads codes of a database, which may be read-only. */
export function codesIn(database: Database, clock: Pick<Clock, "wallMs">): EnrolmentCodes {
  const enrolments = new EnrolmentStore(database);
  return {
    find: async (code) => ({ enrolment: enrolments.byHash(codeHash(code)), nowMs: clock.wallMs() }),
  };
}

/** The one-time codes of sites in SQLite, in the calling thread. */
export class SqliteEnrolments implements Enrolments {
  readonly #options: ConstructorParameters<typeof SqliteEnrolments>[0];
  readonly #accounts: AccountStore;
  readonly #enrolments: EnrolmentStore;
  readonly #objectives: ObjectiveStore;
  readonly #events: EventService;

  /** @param options `newCode`: a code with at least 100 random bits; `bcryptCost` as for `AccountService` */
  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly newCode: () => string;
    readonly bcryptCost?: number;
  }) {
    this.#options = options;
    this.#accounts = new AccountStore(options.database);
    this.#enrolments = new EnrolmentStore(options.database);
    this.#objectives = new ObjectiveStore(options.database);
    this.#events = new EventService(options);
  }

  async invite(invitation: SiteInvitation, by: Actor): Promise<EnrolmentCode> {
    const { newCode, database } = this.#options;
    const code = newCode();
    const enrolment = newEnrolment(invitation, code, this.#nowMs());
    const { site, objectives, createdAtMs, expiresAtMs } = enrolment;
    transaction(database, () => {
      const account = this.#accounts.bySite(site);
      assertTransfer(invitation, account);
      if (!account) assertOwnAddress(site, this.#accounts.byEmail(siteAddress(site)));
      assertKnown(objectives.find((ref) => !this.#objectives.exists(ref)));
      this.#enrolments.removeBefore(createdAtMs - CODES_KEPT_MS);
      this.#enrolments.removeUnused(site);
      assertRoom(this.#enrolments.countUnused(createdAtMs));
      this.#enrolments.add(enrolment);
      const detail = { ...scopeOfSite(enrolment), until: isoTime(expiresAtMs) };
      this.#events.record({ ...by, event: "enrolment-created", subject: `site ${site}`, detail });
    });
    return issued(code, enrolment);
  }

  async page(slice: AccessSlice): Promise<AccessPage> {
    const nowMs = this.#nowMs();
    const { refs, total } = this.#enrolments.sitesWithAccess(nowMs, slice);
    const accounts = refs.flatMap((ref) => this.#accounts.bySite(ref) ?? []);
    const codes = refs.flatMap((ref) => this.#enrolments.unusedOf(ref, nowMs));
    return { sites: accessList(accounts, codes), total };
  }

  async revoke(site: string, by: Actor): Promise<void> {
    transaction(this.#options.database, () => {
      const account = this.#accounts.bySite(site);
      if (account) this.#accounts.change(account.id, { disabled: true });
      const codes = this.#enrolments.removeOf(site);
      assertHasAccess(site, account !== undefined || codes > 0);
      this.#events.record({ ...by, event: "enrolment-revoked", subject: `site ${site}`, detail: {} });
    });
  }

  async claim(claim: EnrolmentClaim, from: string): Promise<EnrolledSite> {
    const found = this.#usable(claim);
    const { site } = found;
    if (found.usedAtMs !== null) return claimedAgain(this.#accounts.bySite(site), found, claim);
    const { database, bcryptCost } = this.#options;
    const passwordHash = await hashPassword(claim.password, bcryptCost);
    const enrolled = transaction(database, () => {
      const now = this.#usable(claim);
      if (now.usedAtMs !== null) return undefined;
      const { email, id } = this.#accountOf(site, passwordHash);
      this.#accounts.bindSite(id, site, now.objectives);
      this.#enrolments.markUsed(now.id, this.#nowMs());
      const event = {
        event: "site-enrolled",
        subject: `site ${site}`,
        detail: scopeOfSite(now),
      } as const;
      this.#events.record({ ...event, who: email, from });
      return enrolledSite(email, now);
    });
    // Of two concurrent requests with one code, only one enrols; the other succeeds if it has the same password.
    return enrolled ?? claimedAgain(this.#accounts.bySite(site), found, claim);
  }

  #usable(claim: EnrolmentClaim): Enrolment {
    return usable(this.#enrolments.byHash(codeHash(claim.code)), claim, this.#nowMs());
  }

  #accountOf(site: string, passwordHash: string): Account {
    const known = this.#accounts.bySite(site);
    const email = known?.email ?? siteAddress(site);
    if (!known) assertOwnAddress(site, this.#accounts.byEmail(email));
    const own = { email, role: "operator", passwordHash, mustChangePassword: false } as const;
    const account = known
      ? this.#accounts.change(known.id, { role: "operator", passwordHash, disabled: false })
      : this.#accounts.add({ ...own, createdAtMs: this.#nowMs() });
    if (!account) throw new AppError("conflict", `account ${email} already exists`);
    return account;
  }

  #nowMs(): number {
    return Math.round(this.#options.clock.wallMs());
  }
}

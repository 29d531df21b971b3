import { refText, type ObjectiveScope } from "../domain/objective.ts";
import { objectivesIn } from "./accounts.ts";
import { Store } from "./database.ts";

/** A one-time code for a site; all times wall clock, milliseconds since 1970. */
export interface Enrolment {
  readonly id: number;
  /** `site.ref` of the only site that may use it. */
  readonly site: string;
  readonly objectives: ObjectiveScope;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Null while it is unused. */
  readonly usedAtMs: number | null;
}

/** What a new code stores. */
export type NewEnrolment = Omit<Enrolment, "id" | "usedAtMs"> & { readonly codeHash: string };

/** The columns of an `EnrolmentRow`, in either database. */
export const ENROLMENT = `id, site, objectives, created_at AS "createdAtMs", expires_at AS "expiresAtMs",
  used_at AS "usedAtMs"`;

/**
 * The selection of the sites that have an account or an unused code, in either database.
 * @param now wall clock as a parameter of the statement
 */
export function sitesWithAccess(now: string): string {
  return `SELECT site FROM accounts WHERE site IS NOT NULL
    UNION SELECT site FROM enrolments WHERE used_at IS NULL AND expires_at > ${now}`;
}

/** One-time codes of sites, stored as hashes. */
export class EnrolmentStore extends Store {
  readonly #add = this.prepare(
    "INSERT INTO enrolments(code_hash, site, objectives, created_at, expires_at) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #byHash = this.prepare<EnrolmentRow>(`SELECT ${ENROLMENT} FROM enrolments WHERE code_hash = ?`);
  readonly #unusedOf = this.prepare<EnrolmentRow>(
    `SELECT ${ENROLMENT} FROM enrolments WHERE site = ? AND used_at IS NULL AND expires_at > ? ORDER BY id`,
  );
  readonly #countUnused = this.prepare<number>(
    "SELECT count(*) FROM enrolments WHERE used_at IS NULL AND expires_at > ?",
  ).pluck();
  readonly #sites = this.prepare<string>(`${sitesWithAccess("?")} ORDER BY site LIMIT ? OFFSET ?`).pluck();
  readonly #countSites = this.prepare<number>(`SELECT count(*) FROM (${sitesWithAccess("?")})`).pluck();
  readonly #use = this.prepare("UPDATE enrolments SET used_at = ? WHERE id = ?");
  readonly #removeUnused = this.prepare("DELETE FROM enrolments WHERE site = ? AND used_at IS NULL");
  readonly #removeOf = this.prepare("DELETE FROM enrolments WHERE site = ?");
  readonly #removeOld = this.prepare(
    "DELETE FROM enrolments WHERE max(expires_at, coalesce(used_at, 0)) < ?",
  );

  add({ codeHash, site, objectives, createdAtMs, expiresAtMs }: NewEnrolment): void {
    this.#add.run(codeHash, site, JSON.stringify(objectives.map(refText)), createdAtMs, expiresAtMs);
  }

  byHash(codeHash: string): Enrolment | undefined {
    return this.#byHash.all(codeHash).map(toEnrolment)[0];
  }

  /** Codes of a site that can still be used at a time, the oldest first. */
  unusedOf(site: string, nowMs: number): Enrolment[] {
    return this.#unusedOf.all(site, nowMs).map(toEnrolment);
  }

  /** The number of codes of all sites that can still be used at a time. */
  countUnused(nowMs: number): number {
    return this.#countUnused.get(nowMs) ?? 0;
  }

  /** A slice of the sites that have an account or an unused code, by their reference, and the number of all of them. */
  sitesWithAccess(
    nowMs: number,
    { start, end }: { readonly start: number; readonly end: number },
  ): { readonly refs: readonly string[]; readonly total: number } {
    const refs = this.#sites.all(nowMs, Math.max(0, end - start), start);
    return { refs, total: this.#countSites.get(nowMs) ?? 0 };
  }

  markUsed(id: number, nowMs: number): void {
    this.#use.run(nowMs, id);
  }

  removeUnused(site: string): void {
    this.#removeUnused.run(site);
  }

  /** Removes all codes of a site. @returns their number */
  removeOf(site: string): number {
    return this.#removeOf.run(site).changes;
  }

  /** Removes codes that expired or were used before a time. */
  removeBefore(beforeMs: number): void {
    this.#removeOld.run(beforeMs);
  }
}

/** A row of the table; `objectives` is JSON. */
export type EnrolmentRow = Omit<Enrolment, "objectives"> & { readonly objectives: string };

export function toEnrolment(row: EnrolmentRow): Enrolment {
  return { ...row, objectives: objectivesIn(row.objectives) };
}

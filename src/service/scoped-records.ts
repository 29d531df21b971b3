import type { Principal } from "../domain/principal.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { assertUsable, isProvedBy, outOfScope, seenBy } from "./record-scope.ts";
import { existing, type Records } from "./records.ts";

/** The records that an account may use: all of them, or for the account of a site its own. */
export function recordsInScope(principal: Principal, records: Records): Records {
  return principal.site === undefined ? records : new ScopedRecords(principal, records);
}

class ScopedRecords implements Records {
  /** These are given the principal, and look themselves whether the record is its own. */
  readonly change: Records["change"];
  readonly remove: Records["remove"];
  readonly #principal: Principal;
  readonly #records: Records;

  constructor(principal: Principal, records: Records) {
    this.#principal = principal;
    this.#records = records;
    this.change = (...given) => records.change(...given);
    this.remove = (...given) => records.remove(...given);
  }

  async create(...[body, principal, idempotency]: Parameters<Records["create"]>) {
    assertUsable(this.#principal, { type: body.objectiveType, id: body.objectiveId });
    return this.#records.create(body, principal, idempotency);
  }

  async get(id: number, reference?: string): Promise<StoredIntervention> {
    const stored = await this.#records.find(id);
    const seen = seenBy(this.#principal, stored);
    if (seen !== undefined || !isProvedBy(stored, reference)) return existing(id, seen);
    throw outOfScope(existing(id, stored));
  }

  async find(id: number): Promise<StoredIntervention | undefined> {
    return seenBy(this.#principal, await this.#records.find(id));
  }

  page(...[query, signal]: Parameters<Records["page"]>): ReturnType<Records["page"]> {
    const { objectives = [], accountId } = this.#principal;
    return this.#records.page({ ...query, scope: { objectives, accountId } }, signal);
  }
}

import type { Intervention } from "../domain/intervention.ts";
import { OBJECTIVE_TYPES, type ObjectiveRef } from "../domain/objective.ts";
import { isOwnObjective, type Principal } from "../domain/principal.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { existing, unknownObjective, type Records } from "./records.ts";

/**
 * The records that an account may use: all of them, or for the account of a site those at its objectives and those that it has
 * created. Any other is reported as missing, so that it learns nothing and its sync waits as for an objective that does not exist.
 */
export function recordsInScope(principal: Principal, records: Records): Records {
  return principal.site === undefined ? records : new ScopedRecords(principal, records);
}

class ScopedRecords implements Records {
  readonly #principal: Principal;
  readonly #records: Records;

  constructor(principal: Principal, records: Records) {
    this.#principal = principal;
    this.#records = records;
  }

  async create(...[body, principal, idempotency]: Parameters<Records["create"]>) {
    this.#assertObjective({ type: body.objectiveType, id: body.objectiveId });
    return this.#records.create(body, principal, idempotency);
  }

  async get(id: number): Promise<StoredIntervention> {
    return existing(id, await this.find(id));
  }

  /** The tombstone of a foreign record is none either. */
  async find(id: number): Promise<StoredIntervention | undefined> {
    const stored = await this.#records.find(id);
    if (!stored) return undefined;
    const { record, createdBy } = stored;
    const isCreator = createdBy === this.#principal.accountId;
    return isCreator || isOwnObjective(this.#principal, objectiveOf(record)) ? stored : undefined;
  }

  page(...[query, signal]: Parameters<Records["page"]>): ReturnType<Records["page"]> {
    const { objectives = [], accountId } = this.#principal;
    return this.#records.page({ ...query, scope: { objectives, accountId } }, signal);
  }

  async change(...[id, request, principal]: Parameters<Records["change"]>) {
    const { record } = await this.get(id);
    const asked = fieldsIn(request.body);
    const to = { type: asked.objectiveType ?? record.objectiveType, id: asked.objectiveId };
    // An invalid body is reported by the change itself.
    const moves = isRef(to) && (to.type !== record.objectiveType || to.id !== record.objectiveId);
    if (moves) this.#assertObjective(to);
    return this.#records.change(id, request, principal);
  }

  async remove(...[id, ifMatch, principal]: Parameters<Records["remove"]>): Promise<Intervention> {
    await this.get(id);
    return this.#records.remove(id, ifMatch, principal);
  }

  #assertObjective(ref: ObjectiveRef): void {
    if (!isOwnObjective(this.#principal, ref)) throw unknownObjective(ref);
  }
}

function objectiveOf({ objectiveType: type, objectiveId: id }: Intervention): ObjectiveRef {
  return { type, id };
}

function fieldsIn(body: unknown): { readonly objectiveType?: unknown; readonly objectiveId?: unknown } {
  return typeof body === "object" && body !== null ? body : {};
}

function isRef(given: { readonly type: unknown; readonly id: unknown }): given is ObjectiveRef {
  return OBJECTIVE_TYPES.some((type) => type === given.type) && Number.isSafeInteger(given.id);
}

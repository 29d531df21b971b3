import type { Intervention, InterventionCreate } from "../domain/intervention.ts";
import type { Principal } from "../domain/principal.ts";
import type { ListPage, ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import type { InterventionService } from "./interventions.ts";
import type { ChangeRequest, IdempotencyKey, Records } from "./records.ts";

/** The records in SQLite, in the calling thread. Writes of one event loop turn share a commit. */
export class SqliteRecords implements Records {
  readonly #interventions: InterventionService;
  readonly #lists: ListReader;

  constructor(interventions: InterventionService, lists: ListReader) {
    this.#interventions = interventions;
    this.#lists = lists;
  }

  create(
    body: InterventionCreate,
    principal: Principal,
    idempotency?: IdempotencyKey,
  ): Promise<{ record: Intervention; replayed: boolean }> {
    return this.#interventions.groupCommit(() => this.#interventions.create(body, principal, idempotency));
  }

  async get(id: number): Promise<StoredIntervention> {
    return this.#interventions.get(id);
  }

  page(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    return this.#lists.read(query, signal);
  }

  change(id: number, request: ChangeRequest, principal: Principal): Promise<StoredIntervention> {
    return this.#interventions.groupCommit(() => this.#interventions.change(id, request, principal));
  }

  remove(id: number, ifMatch: string | undefined, principal: Principal): Promise<Intervention> {
    return this.#interventions.groupCommit(() => this.#interventions.delete(id, principal, ifMatch));
  }
}

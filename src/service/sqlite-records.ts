import type { Intervention, InterventionCreate } from "../domain/intervention.ts";
import type { Principal } from "../domain/principal.ts";
import type { ListPage, ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import { type StoredIntervention, InterventionStore } from "../store/interventions.ts";
import type { InterventionService } from "./interventions.ts";
import {
  existing,
  type ChangeRequest,
  type CreatedRecord,
  type IdempotencyKey,
  type Preconditions,
  type Records,
} from "./records.ts";
import type { Remote } from "../domain/remote.ts";
import type { Database } from "../store/database.ts";

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
  ): Promise<CreatedRecord> {
    return this.#interventions.groupCommit(() => this.#interventions.create(body, principal, idempotency));
  }

  async get(id: number): Promise<StoredIntervention> {
    return this.#interventions.get(id);
  }

  async find(id: number): Promise<StoredIntervention | undefined> {
    return this.#interventions.find(id);
  }

  page(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    return this.#lists.read(query, signal);
  }

  change(id: number, request: ChangeRequest, principal: Principal): Promise<StoredIntervention> {
    return this.#interventions.groupCommit(() => this.#interventions.change(id, request, principal));
  }

  remove(id: number, match: Preconditions | undefined, principal: Principal): Promise<Intervention> {
    return this.#interventions.groupCommit(() => this.#interventions.delete(id, principal, match));
  }
}

/**
 * The records in SQLite, written by another thread and read here on a read-only connection. So reads never wait for a
 * write, and see only what is durable.
 */
export class ThreadedRecords implements Records {
  readonly create: Records["create"];
  readonly change: Records["change"];
  readonly remove: Records["remove"];
  readonly #interventions: InterventionStore;
  readonly #lists: ListReader;

  /** @param database a read-only connection */
  constructor(
    writer: Pick<Remote<Records>, "create" | "change" | "remove">,
    { database, lists }: { readonly database: Database; readonly lists: ListReader },
  ) {
    this.create = (...args) => writer.create(...args);
    this.change = (...args) => writer.change(...args);
    this.remove = (...args) => writer.remove(...args);
    this.#interventions = new InterventionStore(database);
    this.#lists = lists;
  }

  async get(id: number): Promise<StoredIntervention> {
    return existing(id, await this.find(id));
  }

  async find(id: number): Promise<StoredIntervention | undefined> {
    return this.#interventions.findStored(id);
  }

  page(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    return this.#lists.read(query, signal);
  }
}

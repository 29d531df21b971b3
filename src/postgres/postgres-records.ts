import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import {
  fieldsOf,
  instantsOf,
  newIntervention,
  type Intervention,
  type InterventionCreate,
} from "../domain/intervention.ts";
import type { ObjectiveRef } from "../domain/objective.ts";
import { actorOf, type Principal } from "../domain/principal.ts";
import {
  assertMatch,
  decideChange,
  existing,
  newObjectiveOf,
  unknownObjective,
  type ChangeRequest,
  type CreatedRecord,
  type IdempotencyKey,
  type Preconditions,
  type Records,
} from "../service/records.ts";
import { assertUsable, seenBy } from "../service/record-scope.ts";
import type { ListPage, ListReader } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import { FIRST_REV, type StoredIntervention } from "../store/interventions.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { sqlStateOf } from "./server-errors.ts";
import { FirstResponses } from "./first-responses.ts";
import { CREATE, createValues, recordOf, type NewRecord } from "./new-records.ts";
import { changeStatement, decidedChange, removeRecord } from "./record-changes.ts";
import { CONFIRM, OBJECTIVES, READ_RECORDS, toStoredIntervention, type StoredRow } from "./record-rows.ts";
import { assertStorable } from "./storable.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";
import { changedByMany, WriteTurns } from "./write-turns.ts";

/** Each failed attempt means that another writer succeeded; so many writers of one record are a fault elsewhere. */
const ATTEMPTS_MAX = 200;

/** SQLSTATE of a second key of one account. */
const UNIQUE_VIOLATION = "23505";

export interface PostgresRecordsOptions {
  readonly connections: PostgresConnections;
  readonly lists: ListReader;
  readonly clock: Clock;
  /** IANA time zone for date-times without an offset. */
  readonly timezone: string;
  /** Dispatch centre id of new records. */
  readonly dispeceratId: number;
  /** Generates a uid for a record without an idempotency key. */
  readonly newUid: () => string;
}

/** The records in PostgreSQL, written by any number of processes. Creates and reads of one turn share a round trip. */
export class PostgresRecords implements Records {
  readonly #options: PostgresRecordsOptions;
  readonly #writes: Queries;
  readonly #created: EventLoopBatch<NewRecord, number | undefined>;
  readonly #read: EventLoopBatch<number, StoredIntervention | undefined>;
  readonly #responses: FirstResponses;
  readonly #objectives: EventLoopBatch<ObjectiveRef, boolean>;
  readonly #confirmed: EventLoopBatch<null, true>;
  readonly #turns: WriteTurns;

  constructor(options: PostgresRecordsOptions) {
    const { connections: queries, clock } = options;
    this.#options = options;
    this.#writes = queries.writes;
    this.#turns = new WriteTurns(queries, clock);
    this.#created = new EventLoopBatch(clock, async (records) => {
      const values = createValues(records, clock.wallMs());
      const rows = await queries.writes.query<{ n: number; id: number }>(CREATE, values);
      const ids = new Map(rows.map(({ n, id }) => [n - 1, id]));
      return records.map((_record, index) => ids.get(index));
    });
    this.#read = new EventLoopBatch(clock, async (ids) => {
      const rows = await queries.query<StoredRow>(READ_RECORDS, [[...new Set(ids)]]);
      const found = new Map(rows.map((row) => [row.id, toStoredIntervention(row)]));
      return ids.map((id) => found.get(id));
    });
    this.#confirmed = new EventLoopBatch(clock, async (asked) => {
      await queries.writes.query(CONFIRM);
      return asked.map(() => true);
    });
    this.#objectives = new EventLoopBatch(clock, async (refs) => {
      const values = [refs.map(({ type }) => type), refs.map(({ id }) => id)];
      const rows = await queries.query<{ n: number }>(OBJECTIVES, values);
      const found = new Set(rows.map(({ n }) => n - 1));
      return refs.map((_ref, index) => found.has(index));
    });
    this.#responses = new FirstResponses(queries, clock, {
      read: (id) => this.#read.ask(id),
      confirm: () => this.#confirmed.ask(null),
    });
  }

  async create(
    body: InterventionCreate,
    principal: Principal,
    idempotency?: IdempotencyKey,
  ): Promise<CreatedRecord> {
    let record: NewRecord;
    try {
      record = this.#newRecord(body, principal, idempotency);
    } catch (refusal) {
      // As in SQLite, a repeated request gets its first response, and a key of another body its error, before this one.
      const earlier = idempotency && (await this.#responses.find(principal.accountId, idempotency));
      if (earlier) return earlier;
      throw refusal;
    }
    const id = await this.#create(record);
    if (id !== undefined) return created(id, record);
    return this.#createOrReplay(record, principal);
  }

  /** @throws AppError `invalid` for dates that are none, and for texts that PostgreSQL cannot store */
  #newRecord(body: InterventionCreate, by: Principal, idempotency: IdempotencyKey | undefined): NewRecord {
    const { dispeceratId, newUid, timezone } = this.#options;
    const fields = newIntervention(body);
    const instants = instantsOf(fields, timezone);
    assertStorable(fields);
    const own = { dispeceratId, createdBy: by.accountId, actor: actorOf(by), idempotency };
    return { ...own, fields, instants, uid: idempotency?.key ?? newUid() };
  }

  async get(id: number): Promise<StoredIntervention> {
    return existing(id, await this.find(id));
  }

  /** A site forgets a deleted record: like a response to a key, the deletion may be on this server only. */
  async find(id: number): Promise<StoredIntervention | undefined> {
    const stored = await this.#read.ask(id);
    if (stored?.deleted === true) await this.#confirmed.ask(null);
    return stored;
  }

  page(query: InterventionQuery, signal: AbortSignal): Promise<ListPage> {
    return this.#options.lists.read(query, signal);
  }

  async change(id: number, request: ChangeRequest, principal: Principal): Promise<StoredIntervention> {
    return this.#repeated(id, principal, async (stored) => {
      const changes = decideChange(stored, request);
      const current = fieldsOf(stored.record);
      const objective = newObjectiveOf(current, { ...current, ...changes }, changes);
      const decided = decidedChange(stored, changes, {
        timezone: this.#options.timezone,
        actor: actorOf(principal),
        nowMs: this.#options.clock.wallMs(),
      });
      if (objective) {
        assertUsable(principal, objective);
        await this.#assertObjective(objective);
      }
      if (!decided) {
        // The change may be there from a request that had no answer.
        await this.#confirmed.ask(null);
        return stored;
      }
      const [statement, values] = changeStatement(stored, decided);
      const write = () => this.#writes.query<StoredRow>(statement, values);
      const rows = await this.#turns.change(write);
      return rows[0] && toStoredIntervention(rows[0]);
    });
  }

  async remove(id: number, match: Preconditions | undefined, principal: Principal): Promise<Intervention> {
    const { record } = await this.#repeated(id, principal, async (stored) => {
      assertMatch(stored, match);
      const by = { actor: actorOf(principal), nowMs: this.#options.clock.wallMs() };
      const write = () => removeRecord(this.#options.connections, stored, by);
      return (await this.#turns.remove(write)) ? stored : undefined;
    });
    return record;
  }

  /**
   * Decides again from the newest revision until no other writer was faster; here one of a record waits for the other.
   * @param attempt undefined if one was
   */
  #repeated(
    id: number,
    principal: Principal,
    attempt: (stored: StoredIntervention) => Promise<StoredIntervention | undefined>,
  ): Promise<StoredIntervention> {
    const attempts = async (): Promise<StoredIntervention> => {
      for (let count = 0; count < ATTEMPTS_MAX; count += 1) {
        const changed = await attempt(existing(id, seenBy(principal, await this.find(id))));
        if (changed) return changed;
      }
      throw changedByMany(id);
    };
    return this.#turns.ofRecord(id, attempts);
  }

  /** Why a record was left out: its key exists, its objective does not, or another account used its key. */
  async #createOrReplay(record: NewRecord, principal: Principal): Promise<CreatedRecord> {
    const { fields, idempotency } = record;
    const earlier = idempotency && (await this.#responses.find(principal.accountId, idempotency));
    if (earlier) return earlier;
    await this.#assertObjective({ type: fields.objectiveType, id: fields.objectiveId });
    const again = { ...record, uid: this.#options.newUid() };
    const made = await this.#create(again);
    if (made !== undefined) return created(made, again);
    const other = idempotency && (await this.#responses.find(principal.accountId, idempotency));
    if (other) return other;
    throw new AppError("unavailable", "the record could not be created; try again", { retryAfterS: 1 });
  }

  /** @returns undefined for a record that was left out, or whose account has just used the key at another process */
  #create(record: NewRecord): Promise<number | undefined> {
    return this.#created.ask(record).catch((error: unknown) => {
      if (sqlStateOf(error) !== UNIQUE_VIOLATION) throw error;
      return undefined;
    });
  }

  /** @throws AppError `not-found` */
  async #assertObjective(ref: ObjectiveRef): Promise<void> {
    if (!(await this.#objectives.ask(ref))) throw unknownObjective(ref);
  }
}

function created(id: number, record: NewRecord): CreatedRecord {
  return { record: recordOf(id, record), rev: FIRST_REV, replayed: false };
}

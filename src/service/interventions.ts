import type { Clock } from "../domain/clock.ts";
import { AppError, diskError } from "../domain/errors.ts";
import {
  changedFields,
  differingFields,
  fieldsOf,
  instantsOf,
  newIntervention,
  type Intervention,
  type InterventionCreate,
  type InterventionFields,
  type InterventionUpdate,
} from "../domain/intervention.ts";
import { changedEntry, priorityOrderOf } from "../domain/outbox.ts";
import { DEFAULT_SYNC_TIMEOUTS } from "../domain/backoff.ts";
import type { EventDetail, EventName } from "../domain/event.ts";
import type { ObjectiveRef } from "../domain/objective.ts";
import { actorOf, DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { GroupCommit } from "../store/group-commit.ts";
import { EXPIRED_AT, IdempotencyStore } from "../store/idempotency.ts";
import { FIRST_REV, InterventionStore, type StoredIntervention } from "../store/interventions.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { OutboxStore } from "../store/outbox.ts";
import { storedJson } from "../store/stored-json.ts";
import { assertUsable, seenBy } from "./record-scope.ts";
import { EventService } from "./events.ts";
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
} from "./records.ts";

export interface InterventionServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** IANA time zone for date-times without an offset. */
  readonly timezone: string;
  /** Dispatch centre id of new records. */
  readonly dispeceratId: number;
  /** Generates a uid for a record without an idempotency key. */
  readonly newUid: () => string;
  /** Called after each committed change, to wake the sync. */
  readonly onChange: (change: { priority: Intervention["priority"] }) => void;
  /** Whether the rest of the disk is kept for alarms; without it, it never is. */
  readonly isDiskFull?: (() => boolean) | undefined;
}

/** Retention of responses to keyed requests, far longer than any device retries. */
const KEY_LIFETIME_MS = 30 * 86_400_000;
/** Maximum old responses removed by each keyed request. */
const KEYS_EXPIRED_MAX = 10;

/** Writes records, each with its outbox entry in one transaction. */
export class InterventionService {
  readonly #options: InterventionServiceOptions;
  readonly #interventions: InterventionStore;
  readonly #objectives: ObjectiveStore;
  readonly #outbox: OutboxStore;
  readonly #idempotency: IdempotencyStore;
  readonly #events: EventService;
  readonly #commits: GroupCommit;

  constructor(options: InterventionServiceOptions) {
    this.#options = options;
    this.#commits = new GroupCommit(options.database, options.clock);
    this.#interventions = new InterventionStore(options.database);
    this.#objectives = new ObjectiveStore(options.database);
    this.#outbox = new OutboxStore(options.database);
    this.#idempotency = new IdempotencyStore(options.database);
    this.#events = new EventService(options);
  }

  /**
   * Runs `work` in a group commit with concurrent writes.
   * @returns the result of `work` after fsync; rejects with its error
   */
  groupCommit<T>(work: () => T): Promise<T> {
    return this.#commits.write(work);
  }

  /**
   * Creates a record from a validated body.
   * @param idempotency as in `Records.create`
   * @throws AppError `invalid` (dates), `not-found` (objective), `key-reused` (other body), `unavailable` (full disk)
   */
  create(body: InterventionCreate, principal: Principal, idempotency?: IdempotencyKey): CreatedRecord {
    const fields = newIntervention(body);
    const result = transaction(this.#options.database, () => {
      const keyed = idempotency && this.#interventions.findByUid(idempotency.key);
      const earlier = idempotency && this.#replayedResponse(principal, idempotency, keyed);
      if (earlier) return { record: earlier.record, rev: earlier.rev, replayed: true };
      this.#assertSpace(fields, principal);
      // If another account or a deleted record has this key as its uid, a new one is generated.
      const uid = keyed ? undefined : idempotency?.key;
      const record = this.#insert(fields, principal, uid ?? this.#options.newUid());
      if (idempotency) {
        const answer = { fingerprint: idempotency.fingerprint, body: JSON.stringify(record) };
        const nowMs = this.#options.clock.wallMs();
        this.#idempotency.remember(principal.accountId, idempotency.key, answer, nowMs);
        this.#idempotency.expire(nowMs - KEY_LIFETIME_MS, KEYS_EXPIRED_MAX);
      }
      return { record, rev: FIRST_REV, replayed: false };
    });
    if (!result.replayed) this.#changed(result.record);
    return result;
  }

  /** @throws AppError `not-found` */
  get(id: number): StoredIntervention {
    return existing(id, this.find(id));
  }

  /** A record or its tombstone. */
  find(id: number): StoredIntervention | undefined {
    return this.#interventions.findStored(id);
  }

  /** Changes fields, as `Records.change` does with those it decides. */
  update(id: number, body: InterventionUpdate, principal: Principal): StoredIntervention {
    return this.#update(id, () => changedFields(body), principal, false);
  }

  /** As `Records.change`. */
  change(id: number, request: ChangeRequest, principal: Principal): StoredIntervention {
    const hasTripJoined = request.hasTripJoined === true && principal.email === DEVICE_EMAIL;
    return this.#update(id, (newest) => decideChange(newest, request), principal, hasTripJoined);
  }

  #update(
    id: number,
    decide: (newest: StoredIntervention) => Partial<InterventionFields>,
    principal: Principal,
    hasTripJoined: boolean,
  ): StoredIntervention {
    const updated = transaction(this.#options.database, () => {
      const stored = existing(id, seenBy(principal, this.find(id)));
      const changes = decide(stored);
      const current = fieldsOf(stored.record);
      const merged = { ...current, ...changes };
      const objective = newObjectiveOf(current, merged, changes);
      const instants = instantsOf(merged, this.#options.timezone, changes);
      if (objective) {
        assertUsable(principal, objective);
        this.#assertObjectiveExists(objective);
      }
      const after = differingFields(current, merged);
      const differs = Object.keys(after).length > 0;
      if (!differs) return { stored, differs };
      const before = differingFields(merged, current);
      this.#record("intervention-changed", id, principal, { before, after });
      const written = this.#interventions.update(id, changes, instants, this.#options.clock.wallMs());
      this.#enqueue(written, "edited", hasTripJoined);
      return { stored: written, differs };
    });
    if (updated.differs) this.#changed(updated.stored.record);
    return updated.stored;
  }

  /** Deletes a record permanently, as `Records.remove`. */
  delete(id: number, principal: Principal, match?: Preconditions): Intervention {
    const { record } = transaction(this.#options.database, () => {
      const stored = existing(id, seenBy(principal, this.find(id)));
      assertMatch(stored, match);
      this.#record("intervention-deleted", id, principal, { before: stored.record });
      this.#enqueue(this.#interventions.markDeleted(id, this.#options.clock.wallMs()), "deleted");
      return stored;
    });
    this.#changed(record);
    return record;
  }

  #changed(record: Intervention): void {
    this.#commits.afterCommit(() => this.#options.onChange(record));
  }

  /**
   * The first response to a key, or later its record.
   * @param keyed the record with this key as its uid
   * @returns undefined if there is none, or if its record is deleted: the key is free then
   */
  #replayedResponse(
    principal: Principal,
    { key, fingerprint }: IdempotencyKey,
    keyed: StoredIntervention | undefined,
  ): Pick<CreatedRecord, "record" | "rev"> | undefined {
    const isTrip = principal.email === DEVICE_EMAIL;
    const answer = this.#idempotency.find(principal.accountId, key);
    const first = answer && storedJson<Intervention | undefined>(answer.body, undefined);
    const hasExpired = answer?.created_at === EXPIRED_AT;
    // Without a response, it is the record that has the key: do not create a duplicate. Only this daemon makes keys of trips, and such
    // a record has another creator if it was read back from the dispatch centre or recovered.
    const isOwn = keyed?.createdBy === principal.accountId || isTrip;
    const kept =
      hasExpired && typeof first?.id === "number" ? this.find(first.id) : isOwn ? keyed : undefined;
    // A trip whose record someone has deleted must not come again.
    const current = kept?.deleted === true && !isTrip ? undefined : kept;
    if (hasExpired && !current) return undefined;
    if (answer && answer.fingerprint !== fingerprint)
      throw new AppError("key-reused", "Idempotency-Key was already used with a different body");
    if (!hasExpired && typeof first?.id === "number") return { record: first, rev: FIRST_REV };
    return current;
  }

  #insert(fields: InterventionFields, principal: Principal, uid: string): Intervention {
    const { clock, timezone, dispeceratId } = this.#options;
    const instants = instantsOf(fields, timezone);
    this.#assertObjectiveExists({ type: fields.objectiveType, id: fields.objectiveId });
    const made = { createdBy: principal.accountId, nowMs: clock.wallMs() };
    const { record } = this.#interventions.insert({ uid, fields, instants, dispeceratId, ...made });
    this.#outbox.insert(record.id, priorityOrderOf(record.priority));
    this.#record("intervention-created", record.id, principal, { after: record });
    return record;
  }

  /** Records of high priority and of trips may use the rest of a full disk. */
  #assertSpace({ priority }: InterventionFields, { email }: Principal): void {
    if (priority === "high" || email === DEVICE_EMAIL || this.#options.isDiskFull?.() !== true) return;
    const message = "the disk of this device is nearly full: only records with high priority are stored";
    throw diskError(message, "Free space on the disk, then repeat the request.");
  }

  #record(event: EventName, id: number, principal: Principal, detail: EventDetail): void {
    this.#events.record({ ...actorOf(principal), event, subject: `intervention ${id}`, detail });
  }

  #assertObjectiveExists(ref: ObjectiveRef): void {
    if (!this.#objectives.exists(ref)) throw unknownObjective(ref);
  }

  #enqueue({ record, rev }: StoredIntervention, event: "edited" | "deleted", hasTripJoined = false): void {
    const entry = this.#outbox.find(record.id);
    if (!entry) throw new Error(`intervention ${record.id} has no outbox entry`);
    const nowMs = this.#options.clock.wallMs();
    const firstSweepMs = nowMs + (DEFAULT_SYNC_TIMEOUTS.sweepDelaysMs[0] ?? 0);
    const change = { event, rev, priorityOrder: priorityOrderOf(record.priority), hasTripJoined, nowMs };
    this.#outbox.save(changedEntry(entry, { ...change, firstSweepMs }));
  }
}

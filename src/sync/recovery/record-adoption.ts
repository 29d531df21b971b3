import { fieldsOf, instantsOf, newIntervention, type Intervention } from "../../domain/intervention.ts";
import { ownKeyIn } from "../../domain/marker.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import { OBJECTIVE_TYPES } from "../../domain/objective.ts";
import { priorityOrderOf } from "../../domain/outbox.ts";
import type { MatchCandidate } from "../../domain/match-candidate.ts";
import { validateInterventionCreate, validateInterventionUpdate } from "../../generated/validators.js";
import type { SyncContext } from "../context.ts";

/**
 * Margin of ids skipped beyond the adopted records. Others may have been used for records that never reached the
 * dispatch centre, and ids must not be reused.
 */
const ID_MARGIN = 1_000;

/** Adopts records of this site that its database does not know, after a new storage card or an older backup. */
export class RecordAdoption {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** Adopts unknown records. Of several with one marker it adopts the oldest; the sweep deletes the others. */
  adopt(rows: readonly MatchCandidate[]): void {
    const { store, log } = this.#context;
    const found = new Map<string, MatchCandidate>();
    const repeated = new Set<string>();
    for (const row of [...rows].sort((a, b) => b.id - a.id)) {
      const uid = ownKeyIn(row, this.#context.siteRef);
      if (uid === undefined || store.interventions.findByUid(uid)) continue;
      if (found.has(uid)) repeated.add(uid);
      found.set(uid, row);
    }
    if (found.size === 0) return;
    store.write(() => {
      store.compared.skipIds(found.size + ID_MARGIN);
      for (const [uid, row] of [...found].toReversed()) this.#insert(uid, row, repeated.has(uid));
    });
    log.warn("records-read-back", { records: found.size });
  }

  /** @param isRepeated whether the centre has several: which requests were in doubt is no longer known */
  #insert(uid: string, row: MatchCandidate, isRepeated: boolean): void {
    const { store, clock, timeouts } = this.#context;
    if (store.outbox.findByUpstreamId(row.id)) return;
    const fields = this.#fieldsOf(store.unmarked(row, uid));
    if (!fields) return;
    const { objectiveType: type, objectiveId: id } = fields;
    if (!store.objectives.exists({ type, id })) store.objectives.put(type, { id, name: `#${id}` }, "import");
    const nowMs = clock.wallMs();
    const stored = store.interventions.insert({
      uid,
      fields,
      instants: instantsOf(fields, this.#context.timezone),
      dispeceratId: Number.isSafeInteger(row["dispeceratId"]) ? (row["dispeceratId"] as number) : 0,
      createdBy: 0,
      nowMs,
    });
    store.outbox.insert(stored.record.id, priorityOrderOf(fields.priority));
    const entry = store.entry(stored.record.id);
    store.outbox.save({
      ...entry,
      phase: "linked",
      upstreamId: row.id,
      arrivedAtMs: nowMs,
      base: JSON.stringify(row),
      agreed: JSON.stringify(fields),
      syncedRev: entry.wantRev,
      verifyAtMs: nowMs + timeouts.pullIntervalMs,
      // A centre with keys has created none twice.
      ...(isRepeated && !store.facts.honoursKeys ? { possiblyDuplicated: true, sweepAtMs: nowMs } : {}),
    });
    const event = { event: "intervention-created", who: "sync" } as const;
    store.recordEvent(event, stored.record.id, { after: stored.record });
  }

  /** The valid fields of an upstream record; undefined if it has no valid objective. */
  #fieldsOf(row: UpstreamRecord): ReturnType<typeof fieldsOf> | undefined {
    const { name, objectiveType, objectiveId, ...rest } = fieldsOf(row as unknown as Intervention);
    const body = { name, objectiveType, objectiveId };
    if (!OBJECTIVE_TYPES.includes(objectiveType) || !validateInterventionCreate(body)) return undefined;
    const valid = Object.fromEntries(
      Object.entries(rest).filter(([field, value]) => validateInterventionUpdate({ [field]: value })),
    );
    const fields = newIntervention({ ...body, ...valid });
    try {
      instantsOf(fields, this.#context.timezone);
      return fields;
    } catch {
      return { ...fields, dateStart: null, dateEnd: null };
    }
  }
}

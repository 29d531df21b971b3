import {
  instantsOf,
  INTERVENTION_FIELDS,
  newIntervention,
  type InterventionCreate,
  type InterventionFields,
} from "../../domain/intervention.ts";
import { ownKeyIn } from "../../domain/marker.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import { priorityOrderOf } from "../../domain/outbox.ts";
import type { MatchCandidate } from "../../domain/match-candidate.ts";
import { validateInterventionCreate } from "../../generated/validators.js";
import type { SyncContext } from "../context.ts";
import { invalidFields, nameObjective } from "../pull-changes.ts";

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
    const shown = store.unmarked(row, uid) as UpstreamRecord;
    const fields = this.#fieldsOf(shown);
    if (!fields) return;
    nameObjective(store.objectives, fields);
    const unpulled = INTERVENTION_FIELDS.filter(
      (field) => (shown[field] ?? fields[field]) !== fields[field],
    ).map((field) => ({ field, here: fields[field], there: shown[field], kept: "there" }));
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
      unpulled: unpulled.map(({ field }) => field),
      syncedRev: entry.wantRev,
      verifyAtMs: nowMs + timeouts.pullIntervalMs,
      // A centre with keys has created none twice.
      ...(isRepeated && !store.facts.honoursKeys ? { possiblyDuplicated: true, sweepAtMs: nowMs } : {}),
    });
    const event = { event: "intervention-created", who: "sync" } as const;
    store.recordEvent(event, stored.record.id, { after: stored.record });
    if (unpulled.length > 0) store.recordConflict(stored.record.id, "not-valid-here", { fields: unpulled });
  }

  /** The valid fields of an upstream record, without our marker; undefined if it has no valid objective. */
  #fieldsOf(row: UpstreamRecord): InterventionFields | undefined {
    const invalid = invalidFields(row);
    const valid = Object.fromEntries(
      INTERVENTION_FIELDS.filter((field) => row[field] !== undefined && !invalid.has(field)).map((field) => [
        field,
        row[field],
      ]),
    );
    const body = { name: `#${String(row["id"])}`, ...valid } as InterventionCreate;
    if (!validateInterventionCreate(body)) return undefined;
    const fields = newIntervention(body);
    try {
      instantsOf(fields, this.#context.timezone);
      return fields;
    } catch {
      return { ...fields, dateStart: null, dateEnd: null };
    }
  }
}

import type { Clock } from "../domain/clock.ts";
import { fieldsOf, instantsOf, type Intervention, type InterventionFields } from "../domain/intervention.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { validateInterventionUpdate } from "../generated/validators.js";
import type { StoredIntervention } from "../store/interventions.ts";
import type { SyncStore } from "./sync-store.ts";

/** Applies a dispatcher's changes to the local record. */
export class PullChanges {
  readonly #store: SyncStore;
  readonly #clock: Clock;
  /** IANA zone in which dates without an offset are read. */
  readonly #timezone: string;

  constructor(store: SyncStore, clock: Clock, timezone: string) {
    this.#store = store;
    this.#clock = clock;
    this.#timezone = timezone;
  }

  /**
   * Applies the changes that are valid here; the rules of the dispatch centre may be wider.
   * @param adopt fields whose upstream value won the merge
   * @returns the record after the change
   */
  work(
    stored: StoredIntervention,
    adopt: Partial<InterventionFields>,
    upstream: UpstreamRecord,
  ): StoredIntervention {
    const { id } = stored.record;
    const own = ownFields(stored.record, upstream);
    const possible = this.#possible(stored.record, adopt);
    if (Object.keys(possible).length === 0 && Object.keys(own).length === 0) return stored;
    const fields = { ...fieldsOf(stored.record), ...possible };
    const instants = instantsOf(fields, this.#timezone);
    const before = Object.fromEntries(
      Object.keys({ ...possible, ...own }).map((field) => [
        field,
        stored.record[field as keyof Intervention],
      ]),
    );
    this.#store.recordChange(id, { before, after: { ...possible, ...own } });
    return this.#store.interventions.update(id, possible, instants, this.#clock.wallMs(), own);
  }

  #possible(record: Intervention, adopt: Partial<InterventionFields>): Partial<InterventionFields> {
    const valid = Object.fromEntries(
      Object.entries(adopt).filter(([field, value]) => validateInterventionUpdate({ [field]: value })),
    ) as Partial<InterventionFields>;
    const target = { ...record, ...valid };
    const isKnown = this.#store.objectives.exists({ type: target.objectiveType, id: target.objectiveId });
    const { objectiveType: _type, objectiveId: _id, ...rest } = valid;
    const known = isKnown ? valid : rest;
    try {
      instantsOf({ ...fieldsOf(record), ...known }, this.#timezone);
      return known;
    } catch {
      const { dateStart: _start, dateEnd: _end, ...dateless } = known;
      return dateless;
    }
  }
}

/** The fields that only the dispatch centre sets: its number and the invoice. */
function ownFields(record: Intervention, upstream: UpstreamRecord): Partial<Pick<Intervention, OwnField>> {
  const { dispeceratId, invoicePdf } = upstream;
  return {
    ...(Number.isSafeInteger(dispeceratId) && dispeceratId !== record.dispeceratId
      ? { dispeceratId: dispeceratId as number }
      : {}),
    ...((typeof invoicePdf === "string" || invoicePdf === null) && invoicePdf !== record.invoicePdf
      ? { invoicePdf }
      : {}),
  };
}

type OwnField = "dispeceratId" | "invoicePdf";

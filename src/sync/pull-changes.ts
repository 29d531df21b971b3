import type { Clock } from "../domain/clock.ts";
import {
  fieldsOf,
  instantsOf,
  INTERVENTION_FIELDS,
  type Intervention,
  type InterventionFields,
} from "../domain/intervention.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { validateInterventionUpdate } from "../generated/validators.js";
import type { StoredIntervention } from "../store/interventions.ts";
import type { ObjectiveStore } from "../store/objectives.ts";
import type { SyncContext } from "./context.ts";
import { isInvoiceKept } from "./upstream-records.ts";

/** Applies a dispatcher's changes to the local record. */
export class PullChanges {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /**
   * Applies the changes that are valid here; the rules of the dispatch centre may be wider.
   * @param adopt fields whose upstream value won the merge
   * @returns the record after the change, and the fields whose value was not taken over
   */
  work(
    stored: StoredIntervention,
    adopt: Partial<InterventionFields>,
    upstream: UpstreamRecord,
  ): { readonly record: StoredIntervention; readonly dropped: readonly string[] } {
    const { id } = stored.record;
    const own = ownFields(stored.record, upstream);
    const possible = this.#possible(stored.record, adopt);
    const dropped = Object.keys(adopt).filter((field) => !(field in possible));
    if (Object.keys(possible).length === 0 && Object.keys(own).length === 0)
      return { record: stored, dropped };
    const fields = { ...fieldsOf(stored.record), ...possible };
    const instants = instantsOf(fields, this.#context.timezone, possible);
    const before = Object.fromEntries(
      Object.keys({ ...possible, ...own }).map((field) => [
        field,
        stored.record[field as keyof Intervention],
      ]),
    );
    const change = { event: "intervention-changed", who: "dispatcher" } as const;
    const { store, clock } = this.#context;
    store.recordEvent(change, id, { before, after: { ...possible, ...own } });
    const record = store.interventions.update(id, possible, instants, clock.wallMs(), own);
    return { record, dropped };
  }

  #possible(record: Intervention, adopt: Partial<InterventionFields>): Partial<InterventionFields> {
    const invalid = invalidFields(adopt);
    const known = Object.fromEntries(
      Object.entries(adopt).filter(([field]) => !invalid.has(field)),
    ) as Partial<InterventionFields>;
    if (known.objectiveId !== undefined || known.objectiveType !== undefined)
      nameObjective(this.#context.store.objectives, { ...record, ...known });
    try {
      instantsOf({ ...fieldsOf(record), ...known }, this.#context.timezone, known);
      return known;
    } catch {
      const { dateStart: _start, dateEnd: _end, ...dateless } = known;
      return dateless;
    }
  }
}

/**
 * The fields of a record of the centre whose values are not valid here. The two of the objective are one value.
 * @param record without our marker
 */
export function invalidFields(record: UpstreamRecord): ReadonlySet<string> {
  const invalid = INTERVENTION_FIELDS.filter(
    (field) => record[field] !== undefined && !validateInterventionUpdate({ [field]: record[field] }),
  );
  const isObjective = invalid.some((field) => field.startsWith("objective"));
  return new Set<string>(isObjective ? [...invalid, "objectiveType", "objectiveId"] : invalid);
}

/** Names an objective of a record that the lists do not have yet: a crew goes there whatever its name is. */
export function nameObjective(
  objectives: ObjectiveStore,
  { objectiveType: type, objectiveId: id }: Pick<Intervention, "objectiveType" | "objectiveId">,
): void {
  if (!objectives.exists({ type, id })) objectives.put(type, { id, name: `#${id}` }, "import");
}

/** The fields that only the dispatch centre sets: its number and the invoice. */
function ownFields(record: Intervention, upstream: UpstreamRecord): Partial<Pick<Intervention, OwnField>> {
  const { dispeceratId, invoicePdf } = upstream;
  return {
    ...(Number.isSafeInteger(dispeceratId) && dispeceratId !== record.dispeceratId
      ? { dispeceratId: dispeceratId as number }
      : {}),
    ...(isInvoice(invoicePdf) && invoicePdf !== record.invoicePdf ? { invoicePdf } : {}),
  };
}

/** Whether it can be stored here: a file instead of a link stays at the centre. */
function isInvoice(value: unknown): value is string | null {
  return value === null || (typeof value === "string" && isInvoiceKept(value));
}

type OwnField = "dispeceratId" | "invoicePdf";

/** Maximum replication lag: reads may come from a replica that shows a write only after this time. */
export const REPLICATION_LAG_MAX_MS = 60_000;

/** A value that an update of ours has replaced, and until when a replica may still show it, on the monotonic clock. */
interface ReplacedValue {
  readonly field: string;
  readonly value: unknown;
  readonly untilMs: number;
}

/** Of one record: more than a site changes in a minute. */
const REPLACED_MAX = 100;

/**
 * Values that our updates have just replaced. A lagging replica still returns them, which looks like a dispatcher's
 * change. Kept in memory only: a restart takes longer than the lag.
 */
export class StaleReads {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #replaced = new Map<number, readonly ReplacedValue[]>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /**
   * Stores the values replaced by an applied update.
   * @param shown the record as read before the update
   */
  note({ interventionId }: OutboxEntry, body: object, shown: UpstreamRecord): void {
    for (const id of this.#replaced.keys()) if (this.#of(id).length === 0) this.#replaced.delete(id);
    const untilMs = this.#clock.monotonicMs() + REPLICATION_LAG_MAX_MS;
    const added = Object.keys(body).map((field) => ({ field, value: shown[field] ?? null, untilMs }));
    this.#replaced.set(interventionId, [...this.#of(interventionId), ...added].slice(-REPLACED_MAX));
  }

  /**
   * The known values of fields that a read shows with a value that was just replaced. A replica may lag, or a dispatcher has
   * set them back: they keep these values until a later read tells which. Not for a value that may still arrive.
   * @param base the record as last known
   */
  heldBack(
    { interventionId, inFlightValues }: OutboxEntry,
    base: UpstreamRecord,
    shown: UpstreamRecord,
  ): UpstreamRecord {
    const held = this.#of(interventionId).filter(({ field, value }) => {
      const isChanged = base[field] !== undefined && (base[field] ?? null) !== value;
      const isInFlight = (inFlightValues[field] ?? []).includes(value);
      return isChanged && !isInFlight && (shown[field] ?? null) === value;
    });
    return Object.fromEntries(held.map(({ field }) => [field, base[field]]));
  }

  #of(interventionId: number): readonly ReplacedValue[] {
    const nowMs = this.#clock.monotonicMs();
    return (this.#replaced.get(interventionId) ?? []).filter(({ untilMs }) => untilMs >= nowMs);
  }
}

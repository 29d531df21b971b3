import { INTERVENTION_CREATE_DEFAULTS } from "../generated/defaults.ts";
import type {
  Intervention,
  InterventionCreate,
  InterventionUpdate,
  Priority,
  Status,
} from "../generated/types.ts";
import { parseDateTime } from "./calendar.ts";
import { AppError } from "./errors.ts";

/** The fields that a client may set. The service sets all others (`id`, `dispeceratId`, `invoicePdf`). */
export type InterventionFields = Required<Omit<InterventionCreate, ServiceField>>;
type ServiceField = "id" | "dispeceratId" | "invoicePdf";

export const INTERVENTION_FIELDS = [
  "name",
  "description",
  "dateStart",
  "dateEnd",
  "status",
  "priority",
  "type",
  "objectiveType",
  "objectiveId",
  "crews",
  "police",
  "ambulance",
  "firetruck",
  "notes",
] as const satisfies readonly (keyof InterventionFields)[];

/** Every field of a returned record, in the order of the API; lists may be sorted and filtered by them. */
export const RECORD_FIELDS = [
  "id",
  ...INTERVENTION_FIELDS,
  "dispeceratId",
  "invoicePdf",
] as const satisfies readonly (keyof Intervention)[];

/** The values that lists can be filtered by. */
export const STATUSES = ["planned", "in_progress", "done"] as const satisfies readonly Status[];
export const PRIORITIES = ["low", "medium", "high"] as const satisfies readonly Priority[];
export const TYPES = [
  "maintenance",
  "inspection",
  "repair",
  "other",
] as const satisfies readonly Intervention["type"][];

export type RecordField = (typeof RECORD_FIELDS)[number];
export type { Intervention, InterventionCreate, InterventionUpdate };

/** A validated body with defaults. Only known fields are copied, so prototype keys are dropped. */
export function newIntervention(body: InterventionCreate): InterventionFields {
  return pickFields({ ...INTERVENTION_CREATE_DEFAULTS, ...body }) as InterventionFields;
}

/** The fields that a validated update contains. */
export function changedFields(body: InterventionUpdate): Partial<InterventionFields> {
  return pickFields(body);
}

/** The settable fields of a record. */
export function fieldsOf(record: Intervention): InterventionFields {
  return pickFields(record) as InterventionFields;
}

/** The fields in which two versions differ, with the values of `to`. */
export function differingFields(
  from: InterventionFields,
  to: InterventionFields,
): Partial<InterventionFields> {
  return Object.fromEntries(
    INTERVENTION_FIELDS.filter((field) => from[field] !== to[field]).map((f) => [f, to[f]]),
  );
}

/** Instants of a record's dates, milliseconds since 1970; null for a missing date. */
export interface InterventionInstants {
  readonly dateStartMs: number | null;
  readonly dateEndMs: number | null;
}

type RecordDates = Pick<InterventionFields, "dateStart" | "dateEnd">;

/**
 * Reads and compares a record's dates.
 * @param changed what is new of it; a date that is stored already may be damaged, and keeps no other change back: it has no instant
 * @throws AppError `invalid` for a new date that is not a real one, and for an end before the start if one of them is new
 */
export function instantsOf(
  fields: RecordDates,
  timeZone: string,
  changed: Partial<RecordDates> = fields,
): InterventionInstants {
  const dateStartMs = instantOf("dateStart", fields, timeZone, changed);
  const dateEndMs = instantOf("dateEnd", fields, timeZone, changed);
  const isNew = changed.dateStart !== undefined || changed.dateEnd !== undefined;
  if (isNew && dateStartMs !== null && dateEndMs !== null && dateEndMs < dateStartMs)
    throw new AppError("invalid", `dateEnd (${fields.dateEnd}) is before dateStart (${fields.dateStart})`);
  return { dateStartMs, dateEndMs };
}

function instantOf(
  field: keyof RecordDates,
  { [field]: text }: RecordDates,
  timeZone: string,
  changed: Partial<RecordDates>,
): number | null {
  if (text === null) return null;
  const instant = parseDateTime(text, timeZone);
  if (instant === undefined && changed[field] === undefined) return null;
  if (instant === undefined)
    throw new AppError(
      "invalid",
      `${field} must be a real date and time such as 2026-11-20T23:30:00, with Z or an offset if it is not local`,
    );
  return instant;
}

function pickFields(
  from: Readonly<Partial<Record<keyof InterventionFields, unknown>>>,
): Partial<InterventionFields> {
  const picked: Partial<Record<keyof InterventionFields, unknown>> = {};
  for (const field of INTERVENTION_FIELDS) if (Object.hasOwn(from, field)) picked[field] = from[field];
  return picked as Partial<InterventionFields>;
}

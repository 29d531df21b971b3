import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { InterventionCreate } from "../generated/types.ts";
import type { RequestedServices, Timestamp, Trip, TripSignal } from "../domain/trip.ts";
import { storedJson } from "./stored-json.ts";
import { isConfirmWith } from "./stored-shapes.ts";

/** The columns of a trip, for `toTrip`. */
export const TRIP = `trips.seq, trips.key, trips.zone_id AS zoneId, source, about AS type, cause, subject,
  at_wall AS wallMs, boot AS bootId, at_monotonic AS monotonicMs, dated, earliest_wall AS earliestWallMs, body, line,
  signal, confirmed, state, reason, incident, attempts, last_error AS lastError, intervention_id AS interventionId,
  redelivered`;

/** A trip as stored. */
export type TripRow = Omit<Trip, "moment" | "isDated" | "body" | "signal" | "confirmed" | "isRedelivered"> &
  Timestamp & {
    readonly dated: 0 | 1;
    readonly body: string;
    readonly signal: string | null;
    readonly confirmed: string | null;
    readonly redelivered: number | null;
  };

/** Field by field: object rest and spread take longer than the query. */
export function toTrip(row: TripRow): Trip {
  return {
    seq: row.seq,
    key: row.key,
    zoneId: row.zoneId,
    source: row.source,
    type: row.type,
    cause: row.cause,
    subject: row.subject,
    moment: { wallMs: row.wallMs, bootId: row.bootId, monotonicMs: row.monotonicMs },
    isDated: row.dated === 1,
    earliestWallMs: row.earliestWallMs,
    body: bodyOf(row),
    line: row.line,
    signal: signalOf(row),
    confirmed: row.confirmed === null ? null : storedJson<RequestedServices | null>(row.confirmed, null),
    state: row.state,
    reason: row.reason,
    incident: row.incident,
    attempts: row.attempts,
    lastError: row.lastError,
    interventionId: row.interventionId,
    isRedelivered: row.redelivered === 1,
  };
}

/** The body of a trip. Of a damaged one its subject and zone are left: a crew with little information is better than none. */
function bodyOf({ body: text, subject, zoneId }: TripRow): InterventionCreate {
  const body = storedJson<Partial<InterventionCreate> | null>(text, null);
  const { name, objectiveType, objectiveId } = body ?? {};
  const isOfKnownType = OBJECTIVE_TYPES.some((one) => one === objectiveType);
  if (typeof name === "string" && isOfKnownType && typeof objectiveId === "number")
    return body as InterventionCreate;
  const type = OBJECTIVE_TYPES.find((one) => subject.includes(`${one}/`)) ?? "obiective/cladiri";
  return {
    name: zoneId,
    objectiveType: type,
    objectiveId: Number(/\d+$/.exec(subject)?.[0] ?? 0),
    priority: "high",
  };
}

/** The zone of a trip. A trip of an earlier release, and a damaged one, only has its id. */
function signalOf({ signal: text, zoneId }: TripRow): TripSignal {
  const signal = text === null ? null : storedJson<Partial<TripSignal> | null>(text, null);
  const { name, remark, device = null, confirmWith, isTest, isAfterAlarm } = signal ?? {};
  return typeof name === "string" && typeof remark === "string"
    ? {
        name,
        remark,
        device,
        confirmWith: isConfirmWith(confirmWith) ? confirmWith : null,
        ...(isTest ? { isTest } : {}),
        ...(isAfterAlarm ? { isAfterAlarm } : {}),
      }
    : { name: zoneId, remark: "", device: zoneId, confirmWith: null };
}

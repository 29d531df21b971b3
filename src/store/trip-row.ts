import type { InterventionCreate } from "../generated/types.ts";
import type { RequestedServices, Timestamp, Trip, TripSignal } from "../domain/trip.ts";

/** The columns of a trip, for `toTrip`. */
export const TRIP = `trips.seq, trips.key, trips.zone_id AS zoneId, source, about AS type, cause, subject,
  at_wall AS wallMs, boot AS bootId, at_monotonic AS monotonicMs, dated, earliest_wall AS earliestWallMs, body, line,
  signal, confirmed, state, reason, incident, attempts, last_error AS lastError, intervention_id AS interventionId`;

/** A trip as stored. */
export type TripRow = Omit<Trip, "moment" | "isDated" | "body" | "signal" | "confirmed"> &
  Timestamp & {
    readonly dated: 0 | 1;
    readonly body: string;
    readonly signal: string | null;
    readonly confirmed: string | null;
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
    body: JSON.parse(row.body) as InterventionCreate,
    line: row.line,
    // A trip of an earlier release only has the id of its zone.
    signal:
      row.signal === null
        ? { name: row.zoneId, remark: "", device: row.zoneId, confirmWith: null }
        : (JSON.parse(row.signal) as TripSignal),
    confirmed: row.confirmed === null ? null : (JSON.parse(row.confirmed) as RequestedServices),
    state: row.state,
    reason: row.reason,
    incident: row.incident,
    attempts: row.attempts,
    lastError: row.lastError,
    interventionId: row.interventionId,
  };
}

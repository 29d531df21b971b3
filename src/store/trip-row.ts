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

export function toTrip({
  wallMs,
  bootId,
  monotonicMs,
  dated,
  body,
  signal,
  confirmed,
  ...row
}: TripRow): Trip {
  return {
    ...row,
    moment: { wallMs, bootId, monotonicMs },
    isDated: dated === 1,
    body: JSON.parse(body) as InterventionCreate,
    // A trip of an earlier release only has the id of its zone.
    signal:
      signal === null
        ? { name: row.zoneId, remark: "", device: row.zoneId, confirmWith: null }
        : (JSON.parse(signal) as TripSignal),
    confirmed: confirmed === null ? null : (JSON.parse(confirmed) as RequestedServices),
  };
}

import type { InterventionCreate } from "../generated/types.ts";
import type { RequestedServices, Trip, TripType, TripSignal, TripSource, TripState } from "../domain/trip.ts";

interface TripRow {
  readonly seq: number;
  readonly key: string;
  readonly zone_id: string;
  readonly source: TripSource;
  readonly about: TripType;
  readonly cause: Trip["cause"];
  readonly subject: string;
  readonly at_wall: number;
  readonly boot: string;
  readonly at_monotonic: number;
  readonly dated: 0 | 1;
  readonly earliest_wall: number | null;
  readonly body: string;
  readonly line: string;
  readonly signal: string | null;
  readonly confirmed: string | null;
  readonly state: TripState;
  readonly reason: string | null;
  readonly incident: string | null;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly intervention_id: number | null;
}

/** Converts a row of the journal into a trip. */
export function toTrip(found: unknown): Trip {
  const row = found as TripRow;
  return {
    seq: row.seq,
    key: row.key,
    zoneId: row.zone_id,
    source: row.source,
    type: row.about,
    cause: row.cause,
    subject: row.subject,
    moment: { wallMs: row.at_wall, bootId: row.boot, monotonicMs: row.at_monotonic },
    isDated: row.dated === 1,
    earliestWallMs: row.earliest_wall,
    body: JSON.parse(row.body) as InterventionCreate,
    line: row.line,
    // A trip of an earlier release only has the id of its zone.
    signal:
      row.signal === null
        ? { name: row.zone_id, remark: "", device: row.zone_id, confirmWith: null }
        : (JSON.parse(row.signal) as TripSignal),
    confirmed: row.confirmed === null ? null : (JSON.parse(row.confirmed) as RequestedServices),
    state: row.state,
    reason: row.reason,
    incident: row.incident,
    attempts: row.attempts,
    lastError: row.last_error,
    interventionId: row.intervention_id,
  };
}

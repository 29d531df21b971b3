import { isoTime } from "../domain/clock.ts";
import { clippedIntervals, type Interval } from "../domain/interval.ts";
import type { EventLog } from "../store/event-log.ts";
import type { FaultStore } from "../store/faults.ts";
import type { PastTrip, PastTripStore } from "../store/past-trips.ts";
import type { ContactView, SpanView, ZoneHistoryView } from "./zone-view.ts";

/** More marks than a chart has points. */
const TRIPS_SHOWN = 500;
/** Maximum duration of a bypass; older ones have ended. */
const BYPASS_MS_MAX = 7 * 86_400_000;

export interface ZoneHistoryParts {
  readonly pastTrips: PastTripStore;
  readonly faults: FaultStore;
  readonly events: EventLog;
}

/** Trips, faults and bypasses of each zone in a period. The entries of a single one are read for it alone. */
export function zoneHistories(
  { pastTrips, faults, events }: ZoneHistoryParts,
  zoneIds: readonly string[],
  time: { readonly sinceMs: number; readonly untilMs: number },
): ZoneHistoryView[] {
  const rows = new Map(zoneIds.map((id): [string, PastTrip[]] => [id, []]));
  const past = pastTrips.between(time, zoneIds.length === 1 ? zoneIds[0] : undefined);
  for (const row of past.rows) rows.get(row.zoneId)?.push(row);
  // The row in which a fault that is still there began may be left out.
  const beganBeforeMs = past.leftOutMs === undefined ? time.sinceMs : past.leftOutMs + 1;
  const bypassEvents = events.between(
    ["zone-bypassed", "zone-restored"],
    time.sinceMs - BYPASS_MS_MAX,
    time.untilMs,
  );
  const open = faults.list();
  return zoneIds.map((id) => {
    const own = rows.get(id) ?? [];
    const trips = own.filter(({ type }) => type === "trip");
    const old = open.filter(({ zoneId, sinceWallMs }) => zoneId === id && sinceWallMs < beganBeforeMs);
    const oldFromMs = old.map(({ sinceWallMs }) => Math.max(sinceWallMs, time.sinceMs));
    const bypasses = bypassEvents
      .filter(({ subject }) => subject === `zone ${id}`)
      .map(({ at, event }) => ({ atMs: Date.parse(at), begins: event === "zone-bypassed" }));
    return {
      id,
      completeSince: past.leftOutMs === undefined ? null : isoTime(past.leftOutMs),
      trips: trips.slice(-TRIPS_SHOWN).map(({ wallMs }) => isoTime(wallMs)),
      contacts: own.flatMap(contactOf).slice(-TRIPS_SHOWN),
      faults: faultSpans(own, oldFromMs, time).map(viewOf),
      // An end without a start is the end of a swinger shutdown.
      bypasses: clippedIntervals(bypasses.slice(bypasses.findIndex(({ begins }) => begins)), time).map(
        viewOf,
      ),
    };
  });
}

/**
 * One span for each fault; spans of different faults may overlap.
 * @param oldFromMs beginnings of the faults that are still there and began before the rows
 */
function faultSpans(
  own: readonly PastTrip[],
  oldFromMs: readonly number[],
  time: { readonly sinceMs: number; readonly untilMs: number },
): Interval[] {
  const faults = own.filter(({ type }) => type === "fault" || type === "fault-over");
  const subjects = [...new Set(faults.map(({ subject }) => subject))];
  const spans = subjects.flatMap((subject) =>
    clippedIntervals(
      faults
        .filter((fault) => fault.subject === subject)
        .map(({ wallMs, type }) => ({ atMs: wallMs, begins: type === "fault" })),
      time,
    ),
  );
  return oldFromMs.length === 0 ? spans : [{ fromMs: Math.min(...oldFromMs), toMs: time.untilMs }, ...spans];
}

function contactOf({ wallMs, type, state, reason, interventionId }: PastTrip): ContactView[] {
  if (type !== "trip" && type !== "standing" && type !== "restore") return [];
  return [{ at: isoTime(wallMs), event: type, state, reason, interventionId }];
}

function viewOf({ fromMs, toMs }: Interval): SpanView {
  return { from: isoTime(fromMs), to: isoTime(toMs) };
}

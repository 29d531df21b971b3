import { spansOf, type Interval } from "../domain/interval.ts";
import type { Trip } from "../domain/trip.ts";
import type { ContactView, SpanView, ZoneHistoryView } from "../http/site/zone-port.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Journal } from "../store/journal.ts";
import { isoTime } from "./iso-time.ts";

/** More marks than a picture has points. */
const TRIPS_SHOWN = 500;
/** A bypass lasts seven days at most, so an older order has ended. */
const BYPASS_MS_MAX = 7 * 86_400_000;

export interface HistoryTables {
  readonly journal: Journal;
  readonly events: EventLog;
}

/** What has happened to each zone in a time: when it has tripped, had a fault, and was out of service. */
export function zoneHistories(
  { journal, events }: HistoryTables,
  zoneIds: readonly string[],
  time: { readonly sinceMs: number; readonly untilMs: number },
): ZoneHistoryView[] {
  const seen = journal.trips.between(time.sinceMs, time.untilMs);
  const orders = events.between(
    ["zone-bypassed", "zone-restored"],
    time.sinceMs - BYPASS_MS_MAX,
    time.untilMs,
  );
  const open = journal.faults.list();
  return zoneIds.map((id) => {
    const own = seen.filter(({ zoneId }) => zoneId === id);
    const trips = own.filter(({ type }) => type === "trip");
    const old = open.filter(({ zoneId, sinceWallMs }) => zoneId === id && sinceWallMs < time.sinceMs);
    const bypasses = orders
      .filter(({ subject }) => subject === `zone ${id}`)
      .map(({ at, event }) => ({ atMs: Date.parse(at), begins: event === "zone-bypassed" }));
    return {
      id,
      trips: trips.slice(-TRIPS_SHOWN).map(({ moment }) => isoTime(moment.wallMs)),
      contacts: own.flatMap(contactOf).slice(-TRIPS_SHOWN),
      faults: faultSpans(own, old.length > 0, time).map(viewOf),
      // An end alone is a shutdown that somebody has ended.
      bypasses: spansOf(bypasses.slice(bypasses.findIndex(({ begins }) => begins)), time).map(viewOf),
    };
  });
}

/** Faults of several kinds at once are one stretch for each kind; drawn over each other they are one. */
function faultSpans(
  own: readonly Trip[],
  hasOldOne: boolean,
  time: { readonly sinceMs: number; readonly untilMs: number },
): Interval[] {
  const faults = own.filter(({ type }) => type === "fault" || type === "fault-over");
  const subjects = [...new Set(faults.map(({ subject }) => subject))];
  const spans = subjects.flatMap((subject) =>
    spansOf(
      faults
        .filter((fault) => fault.subject === subject)
        .map(({ moment, type }) => ({ atMs: moment.wallMs, begins: type === "fault" })),
      time,
    ),
  );
  return hasOldOne ? [{ fromMs: time.sinceMs, toMs: time.untilMs }, ...spans] : spans;
}

function contactOf({ moment, type, state, reason, interventionId }: Trip): ContactView[] {
  if (type !== "trip" && type !== "standing" && type !== "restore") return [];
  return [{ at: isoTime(moment.wallMs), event: type, state, reason, interventionId }];
}

function viewOf({ fromMs, toMs }: Interval): SpanView {
  return { from: isoTime(fromMs), to: isoTime(toMs) };
}

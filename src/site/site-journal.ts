import type { LoggedEvent } from "../domain/event.ts";
import type { Trip } from "../domain/trip.ts";
import type { JournalPage, TimelineCursor, TimelinePort } from "../http/site/journal-port.ts";
import type { HistoryView, TimelineEntry } from "../http/site/journal-view.ts";
import type { EventLog } from "../store/event-log.ts";
import type { TripStore } from "../store/trips.ts";
import type { Journal } from "../store/journal.ts";
import { isoTime } from "./iso-time.ts";
import type { SiteSync } from "./site-sync.ts";

const ENTRIES_SHOWN = 200;

/** Trips and the timeline of the site. */
export class SiteTimeline implements TimelinePort {
  readonly #tables: { readonly events: EventLog; readonly trips: TripStore };
  readonly #sync: SiteSync;

  constructor(parts: { readonly events: EventLog; readonly journal: Journal; readonly sync: SiteSync }) {
    this.#tables = { events: parts.events, trips: parts.journal.trips };
    this.#sync = parts.sync;
  }

  trips(limit: number): readonly Trip[] {
    return this.#tables.trips.newestButRestores(limit);
  }

  page(limit: number, after: TimelineCursor | undefined): JournalPage {
    return journalPage(this.#tables, limit, after);
  }

  place(): TimelineCursor {
    return newestPlace(this.#tables);
  }

  history(interventionId: number): HistoryView {
    return {
      entries: historyOf(this.#tables, interventionId, ENTRIES_SHOWN),
      sync: this.#sync.recordOf(interventionId),
    };
  }
}

/**
 * Event log and trips merged by time, newest first. They are in two databases; each keeps its own order, and the wall clock
 * only determines how they are merged.
 */
export function journalPage(
  { events, trips }: { events: EventLog; trips: TripStore },
  limit: number,
  after: TimelineCursor = { event: Number.MAX_SAFE_INTEGER, trip: Number.MAX_SAFE_INTEGER },
): JournalPage {
  const eventEntries = events
    .newest(limit + 1, after.event)
    .map((event) => ({ event, entry: entryOfEvent(event) }));
  const tripEntries = trips.newest(limit + 1, after.trip).map((trip) => ({ trip, entry: entryOfTrip(trip) }));
  const entries: TimelineEntry[] = [];
  let place = after;
  while (entries.length < limit) {
    const [event] = eventEntries;
    const [trip] = tripEntries;
    if (event && (!trip || event.entry.at >= trip.entry.at)) {
      entries.push(event.entry);
      place = { ...place, event: event.event.seq };
      eventEntries.shift();
    } else if (trip) {
      entries.push(trip.entry);
      place = { ...place, trip: trip.trip.seq };
      tripEntries.shift();
    } else return { entries, next: null };
  }
  return { entries, next: eventEntries.length + tripEntries.length > 0 ? place : null };
}

/** Numbers of the newest entries; 0 if there are none. */
function newestPlace({ events, trips }: { events: EventLog; trips: TripStore }): TimelineCursor {
  return { event: events.newest(1)[0]?.seq ?? 0, trip: trips.newest(1)[0]?.seq ?? 0 };
}

/** Trips and events of one intervention, newest first. */
function historyOf(
  { events, trips }: { events: EventLog; trips: TripStore },
  interventionId: number,
  limit: number,
): TimelineEntry[] {
  return [
    ...events.about(`intervention ${interventionId}`, limit).map(entryOfEvent),
    ...trips.ofIntervention(interventionId, limit).map(entryOfTrip),
  ].sort((a, b) => (a.at < b.at ? 1 : -1));
}

function entryOfEvent({ seq: _seq, ...entry }: LoggedEvent): TimelineEntry {
  return entry;
}

function entryOfTrip({
  moment,
  zoneId,
  source,
  type,
  cause,
  state,
  reason,
  interventionId,
  lastError,
}: Trip) {
  return {
    at: isoTime(moment.wallMs),
    event: type,
    who: `zone ${zoneId}`,
    from: source,
    subject: interventionId === null ? "" : `intervention ${interventionId}`,
    detail: {
      cause,
      state,
      ...(reason === null ? {} : { reason }),
      ...(lastError === null ? {} : { lastError }),
    },
  } satisfies TimelineEntry;
}

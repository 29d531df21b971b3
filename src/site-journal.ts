import type { LoggedEvent } from "./domain/event.ts";
import type { Trip } from "./domain/trip.ts";
import type { JournalEntry, JournalPage, JournalPlace } from "./http/site/site-ports.ts";
import type { EventLog } from "./store/event-log.ts";
import type { TripStore } from "./store/trips.ts";

/**
 * The event log and the trips as one story, the newest first. They lie in two databases; each keeps its own order, and
 * the wall clock only says how the two are laid into each other.
 */
export function journalPage(
  { events, trips }: { events: EventLog; trips: TripStore },
  limit: number,
  after: JournalPlace = { event: Number.MAX_SAFE_INTEGER, trip: Number.MAX_SAFE_INTEGER },
): JournalPage {
  const told = events.newest(limit + 1, after.event).map((event) => ({ event, entry: entryOfEvent(event) }));
  const seen = trips.newest(limit + 1, after.trip).map((trip) => ({ trip, entry: entryOfTrip(trip) }));
  const entries: JournalEntry[] = [];
  let place = after;
  while (entries.length < limit) {
    const [event] = told;
    const [trip] = seen;
    if (event && (!trip || event.entry.at >= trip.entry.at)) {
      entries.push(event.entry);
      place = { ...place, event: event.event.seq };
      told.shift();
    } else if (trip) {
      entries.push(trip.entry);
      place = { ...place, trip: trip.trip.seq };
      seen.shift();
    } else return { entries, next: null };
  }
  return { entries, next: told.length + seen.length > 0 ? place : null };
}

/** Where the story ends now: the numbers of its newest entries, 0 where there is none. */
export function newestPlace({ events, trips }: { events: EventLog; trips: TripStore }): JournalPlace {
  return { event: events.newest(1)[0]?.seq ?? 0, trip: trips.newest(1)[0]?.seq ?? 0 };
}

/** What was written down about one intervention, the newest first: its trips and what was done to it. */
export function historyOf(
  { events, trips }: { events: EventLog; trips: TripStore },
  interventionId: number,
  limit: number,
): JournalEntry[] {
  return [
    ...events.about(`intervention ${interventionId}`, limit).map(entryOfEvent),
    ...trips.ofIntervention(interventionId, limit).map(entryOfTrip),
  ].sort((a, b) => (a.at < b.at ? 1 : -1));
}

function entryOfEvent({ seq: _seq, ...entry }: LoggedEvent): JournalEntry {
  return entry;
}

function entryOfTrip({
  moment,
  zoneId,
  source,
  about,
  cause,
  state,
  reason,
  interventionId,
  lastError,
}: Trip) {
  return {
    at: new Date(moment.wallMs).toISOString(),
    event: about,
    who: `zone ${zoneId}`,
    from: source,
    subject: interventionId === null ? "" : `intervention ${interventionId}`,
    detail: {
      cause,
      state,
      ...(reason === null ? {} : { reason }),
      ...(lastError === null ? {} : { lastError }),
    },
  } satisfies JournalEntry;
}

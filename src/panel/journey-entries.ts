import type { JourneyView } from "../site/journey-view.ts";
import type { TimelineEntry } from "../site/timeline-view.ts";

/**
 * The history of a record with what only its journey has: that its trip is in the trip journal, and, of a record that arrived
 * under an earlier release or whose event has been displaced, when it arrived at the dispatch centre.
 * @param entries newest first
 */
export function withJourney(
  entries: readonly TimelineEntry[],
  journey: JourneyView | null | undefined,
): readonly TimelineEntry[] {
  if (!journey) return entries;
  const whole = [...entries];
  const trips = entries.filter(isTrip);
  // The trip that made the record, which the journal dates by its contact; a signal test has none.
  const tripAt = journey.contactAt ?? trips[trips.length - 1]?.at;
  if (journey.isJournaled && tripAt !== undefined) {
    const trip = trips.filter(({ at }) => at === tripAt).pop();
    const place = trip ? whole.indexOf(trip) : placeAt(whole, tripAt);
    whole.splice(place, 0, entryOf("journaled", tripAt));
  }
  const { arrivedAt = null, upstreamId = null } = journey.centre ?? {};
  const isLogged = entries.some(
    ({ event, detail }) => event === "record-arrived" && detail["upstreamId"] === upstreamId,
  );
  if (arrivedAt !== null && upstreamId !== null && !isLogged) {
    const subject = `intervention ${journey.interventionId}`;
    const arrival = { ...entryOf("record-arrived", arrivedAt), subject, detail: { upstreamId } };
    whole.splice(placeAt(whole, arrivedAt), 0, arrival);
  }
  return whole;
}

function isTrip({ event, who }: TimelineEntry): boolean {
  return who.startsWith("zone ") && ["trip", "standing", "signal"].includes(event);
}

/** Where an entry of this time belongs: above those of the same time, and at the end if all are newer. */
function placeAt(entries: readonly TimelineEntry[], at: string): number {
  const place = entries.findIndex((entry) => entry.at <= at);
  return place === -1 ? entries.length : place;
}

function entryOf(event: string, at: string): TimelineEntry {
  return { at, event, who: "", from: "", subject: "", detail: {} };
}

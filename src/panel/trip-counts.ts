import type { ContactView } from "../site/zone-view.ts";
import { formatDay } from "./day-format.ts";
import { translateDaemonText, t, translateCode } from "./i18n.ts";

const HOUR_MS = 3_600_000;
/** A day has at least 23 hours, so that steps of half a day miss none. */
const STEP_MS = 12 * HOUR_MS;

/** One hour or day of a chart. */
export interface TripBar {
  /** Its beginning, or a moment in it for a day; milliseconds since 1970. */
  readonly atMs: number;
  readonly dispatched: number;
  readonly suppressed: number;
}

/** Which trips are counted. */
export type TripFilter = "all" | "dispatched" | "suppressed";

/** What became of some trips. */
export interface TripOutcome {
  readonly text: string;
  readonly isDispatched: boolean;
  readonly count: number;
}

/** Trips, without restores and contacts that were open when the zone was armed. */
export function tripsIn(
  contacts: readonly ContactView[],
  filter: TripFilter = "all",
): readonly ContactView[] {
  return contacts.filter(
    (contact) =>
      contact.event === "trip" && (filter === "all" || (filter === "dispatched") === isDispatched(contact)),
  );
}

/** Trips in each hour of a period, or in each day of the site's calendar for more than a day. */
export function tripBars(
  trips: readonly ContactView[],
  { beginMs, endMs }: { readonly beginMs: number; readonly endMs: number },
): readonly TripBar[] {
  const isByHour = endMs - beginMs <= 24 * HOUR_MS;
  const keyOf = (atMs: number): string =>
    isByHour ? String(Math.floor(atMs / HOUR_MS)) : formatDay(new Date(atMs).toISOString());
  const bars = new Map<string, { atMs: number; dispatched: number; suppressed: number }>();
  const begin = isByHour ? Math.floor(beginMs / HOUR_MS) * HOUR_MS : beginMs;
  for (let atMs = begin; atMs <= endMs; atMs += isByHour ? HOUR_MS : STEP_MS)
    if (!bars.has(keyOf(atMs))) bars.set(keyOf(atMs), { atMs, dispatched: 0, suppressed: 0 });
  for (const trip of trips) {
    const bar = bars.get(keyOf(Date.parse(trip.at)));
    if (bar) bar[isDispatched(trip) ? "dispatched" : "suppressed"] += 1;
  }
  return [...bars.values()];
}

/** How many trips were dispatched, and how many were suppressed for which reason; the most frequent first. */
export function tripOutcomes(trips: readonly ContactView[]): readonly TripOutcome[] {
  const counts = new Map<string, TripOutcome>();
  for (const trip of trips) {
    const text = outcomeText(trip);
    const count = (counts.get(text)?.count ?? 0) + 1;
    counts.set(text, { text, isDispatched: isDispatched(trip), count });
  }
  return [...counts.values()].sort(
    (a, b) => Number(b.isDispatched) - Number(a.isDispatched) || b.count - a.count,
  );
}

/** A schedule, a key and a message disarm for different reasons. The reason of a bypass has the words of a user. */
function outcomeText({ state, reason }: ContactView): string {
  const said = state === "gated" && reason !== null ? translateDaemonText(reason) : undefined;
  return said === undefined ? translateCode("outcome", state) : t("zoneTrips.suppressed", { reason: said });
}

function isDispatched({ state }: ContactView): boolean {
  return ["posted", "merged", "waiting", "refused"].includes(state);
}

import type { Request, Response, Router } from "express";
import type { Config } from "../config/config.ts";
import { isoTime, type Clock } from "../domain/clock.ts";
import { conflictKind } from "../domain/conflict.ts";
import { AppError } from "../domain/errors.ts";
import type { LoggedEvent } from "../domain/event.ts";
import type { Trip } from "../domain/trip.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { parametersOf } from "../http/lists.ts";
import { addResource, idFromPath, json } from "../http/resource.ts";
import { hoursOf } from "./request-parameters.ts";
import { dispatcherChanges } from "./dispatcher-changes.ts";
import type { RecordJourneys } from "./record-journeys.ts";
import type { SiteApi } from "./site-api.ts";
import type { SiteSync } from "./sync.ts";
import type { HistoryView, TimelineEntry } from "./timeline-view.ts";
import type { TripStore } from "../store/trips.ts";
import { zoneHistories, type ZoneHistoryParts } from "./zone-history.ts";
import type { ZoneHistoryView } from "./zone-view.ts";

const LIMIT_MAX = 1000;
/** Entries of each table in the history of an intervention. */
export const HISTORY_MAX = 200;

/** Position in the two tables: only entries with smaller numbers follow. */
export interface TimelineCursor {
  readonly event: number;
  readonly trip: number;
}

export interface TimelinePage {
  readonly entries: readonly TimelineEntry[];
  /** Start of the next page; null after the oldest entry. */
  readonly next: TimelineCursor | null;
}

/** Routes of the history: trips for all users, the timeline for operators and administrators. */
export function timelineRoutes(router: Router, guards: AuthGuards, timeline: SiteApi["timeline"]): void {
  addResource(router, "/site/zones/history", guards.signedIn, {
    get: json((request) => timeline.zones(hoursOf(request), zoneOf(request))),
  });
  addResource(router, "/site/trips", guards.signedIn, {
    get: json((request) => timeline.trips(limitOf(request))),
  });
  // Not for viewers: it contains sign-ins with their addresses.
  addResource(router, "/site/journal", guards.api, {
    get: (request, response) => sendPage(timeline, request, response),
  });
  addResource(router, "/site/interventions/:id/history", guards.api, {
    get: json((request) => timeline.history(idFromPath(request, "intervention"))),
  });
}

function zoneOf(request: Request): string | undefined {
  return parametersOf(request.originalUrl).get("zone") ?? undefined;
}

function limitOf(request: Request): number {
  const text = parametersOf(request.originalUrl).get("limit") ?? "100";
  if (!/^\d{1,4}$/.test(text) || Number(text) > LIMIT_MAX)
    throw new AppError("invalid", `limit must be a whole number from 0 to ${LIMIT_MAX}`);
  return Number(text);
}

async function sendPage(timeline: SiteApi["timeline"], request: Request, response: Response): Promise<void> {
  const limit = limitOf(request);
  const { entries, next } = await timeline.page(limit, cursorOf(request));
  if (next)
    response.set("Link", `</site/journal?limit=${limit}&after=${next.event}.${next.trip}>; rel="next"`);
  response.json(entries);
}

function cursorOf(request: Request): TimelineCursor | undefined {
  const text = parametersOf(request.originalUrl).get("after");
  if (text === null) return undefined;
  const [, event, trip] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (event === undefined || trip === undefined)
    throw new AppError("invalid", "after must be the value of the Link header of the previous page");
  return { event: Number(event), trip: Number(trip) };
}

const HOUR_MS = 3_600_000;

interface TimelineParts extends ZoneHistoryParts {
  readonly trips: TripStore;
  readonly config: Pick<Config, "zones">;
  readonly clock: Clock;
  readonly sync: Pick<SiteSync, "recordOf">;
  readonly journeys: Pick<RecordJourneys, "find">;
}

const NEWEST: TimelineCursor = { event: Number.MAX_SAFE_INTEGER, trip: Number.MAX_SAFE_INTEGER };

/**
 * Event log and trips of the site. They are in two databases; each keeps its own order, and the wall clock only determines
 * how they are merged.
 */
export class SiteTimeline {
  readonly #parts: TimelineParts;

  constructor(parts: TimelineParts) {
    this.#parts = parts;
  }

  /**
   * History of each zone over the last `hours`.
   * @param zone only of this one; nothing if it does not exist
   */
  zones(hours: number, zone?: string): readonly ZoneHistoryView[] {
    const { clock, config } = this.#parts;
    const untilMs = clock.wallMs();
    const ids = config.zones.map(({ id }) => id).filter((id) => zone === undefined || id === zone);
    return zoneHistories(this.#parts, ids, { sinceMs: untilMs - hours * HOUR_MS, untilMs });
  }

  /** Trips, newest first. */
  trips(limit: number): readonly Trip[] {
    return this.#parts.trips.newestButRestores(limit);
  }

  /**
   * Event log and trips merged by time, newest first.
   * @param after end of the previous page
   */
  page(limit: number, after = NEWEST): TimelinePage {
    const events = this.#parts.events.newest(limit + 1, after.event);
    const trips = this.#parts.trips.newest(limit + 1, after.trip);
    const entries: TimelineEntry[] = [];
    let place = after;
    while (entries.length < limit) {
      const [event] = events;
      const [trip] = trips;
      if (event && (!trip || event.at >= isoTime(trip.moment.wallMs))) {
        entries.push(entryOfEvent(event));
        place = { ...place, event: event.seq };
        events.shift();
      } else if (trip) {
        entries.push(entryOfTrip(trip));
        place = { ...place, trip: trip.seq };
        trips.shift();
      } else return { entries, next: null };
    }
    return { entries, next: events.length + trips.length > 0 ? place : null };
  }

  /** Position of the newest entries; 0 for an empty table. */
  place(): TimelineCursor {
    return {
      event: this.#parts.events.newest(1)[0]?.seq ?? 0,
      trip: this.#parts.trips.newest(1)[0]?.seq ?? 0,
    };
  }

  /** What has happened to an intervention, newest first; nothing if it does not exist. */
  async history(interventionId: number): Promise<HistoryView> {
    const { sync, journeys } = this.#parts;
    const events = this.#parts.events.about(`intervention ${interventionId}`, HISTORY_MAX);
    const trips = this.#parts.trips.ofIntervention(interventionId, HISTORY_MAX);
    return {
      entries: [...events.map(entryOfEvent), ...trips.map(entryOfTrip)].sort((a, b) =>
        a.at < b.at ? 1 : -1,
      ),
      sync: await sync.recordOf(interventionId),
      journey: journeys.find(interventionId),
      zones: this.#parts.trips.openedIn(interventionId),
      setThere: dispatcherChanges(events),
    };
  }
}

/** An event as an entry of the timeline. A conflict has its kind, also one that an earlier release has stored without. */
export function entryOfEvent({ seq: _seq, ...entry }: LoggedEvent): TimelineEntry {
  const { event, detail } = entry;
  return event === "sync-conflict"
    ? { ...entry, detail: { ...detail, conflict: conflictKind(detail) } }
    : entry;
}

function entryOfTrip(trip: Trip): TimelineEntry {
  const { moment, zoneId, source, type, cause, state, reason, interventionId, lastError, signal } = trip;
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
      ...(signal.isTest ? { isTest: true } : {}),
      ...(signal.isAfterAlarm ? { isAfterAlarm: true } : {}),
    },
  };
}

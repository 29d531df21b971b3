import { isShutDown } from "./domain/swinger.ts";
import type { OutboxEntry } from "./domain/outbox.ts";
import type { Trip } from "./domain/trip.ts";
import type { SignalTestView, WalkTestView, ZoneView } from "./http/site/site-ports.ts";
import type { WalkReport } from "./inputs/zone-orders.ts";
import type { ZoneWatch } from "./inputs/zone-watch.ts";
import type { Journal } from "./store/journal.ts";

/** Every zone as people see it: its contact, what becomes of a trip now, and what is wrong with it. */
export function zoneViews({ watch, journal }: { watch: ZoneWatch; journal: Journal }): ZoneView[] {
  const faults = journal.faults.list();
  const swingings = journal.swingers.all();
  return watch.monitor.zones().map(({ zone, contact, sinceWallMs }) => {
    const swinging = swingings.get(zone.id);
    const ordered = watch.orders.fateOf(zone);
    const isShut = ordered.state === "waiting" && isShutDown(zone, swinging);
    const bypass = watch.orders.bypassOf(zone.id);
    return {
      id: zone.id,
      name: zone.name,
      kind: zone.kind,
      source: zone.input.source,
      objective: zone.objective,
      contact,
      since: sinceWallMs === null ? null : isoTime(sinceWallMs),
      fate: isShut ? "swinger" : ordered.state,
      reason: isShut ? "shut down, because it tripped again and again" : ordered.reason,
      bypass: bypass ? { reason: bypass.reason, who: bypass.who, until: isoTime(bypass.untilWallMs) } : null,
      faults: faults
        .filter(({ zoneId }) => zoneId === zone.id)
        .map(({ fault, sinceWallMs: since }) => ({ fault, since: isoTime(since) })),
      trips: { recent: swinging?.trips ?? 0, counted: swinging?.counted ?? 0 },
    };
  });
}

/** A walk test as people see it. */
export function walkTestView(report: WalkReport): WalkTestView {
  return {
    running: report.isRunning,
    who: report.who,
    since: isoTime(report.sinceWallMs),
    until: isoTime(report.untilWallMs),
    ended: report.endedWallMs === null ? null : isoTime(report.endedWallMs),
    zones: report.zones.map(({ id, trips, lastWallMs }) => ({
      id,
      trips,
      last: lastWallMs === null ? null : isoTime(lastWallMs),
    })),
  };
}

/**
 * A signal test as people see it.
 * @param entry its record's entry in the outbox; undefined before it has a record, and where there is no centre
 */
export function signalTestView(test: Trip, entry: OutboxEntry | undefined): SignalTestView {
  const { key, zoneId, moment, state, interventionId, lastError } = test;
  const isHere = interventionId !== null;
  const hasArrived = entry !== undefined && entry.upstreamId !== null && entry.phase === "linked";
  const hereState = isHere ? "posted" : state === "refused" ? "refused" : "waiting";
  return {
    key,
    zone: zoneId,
    since: isoTime(moment.wallMs),
    state: hasArrived ? "arrived" : hereState,
    isOver: hasArrived || state === "refused" || (isHere && entry === undefined),
    interventionId,
    upstreamId: entry?.upstreamId ?? null,
    reason: entry?.lastError ?? lastError,
  };
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

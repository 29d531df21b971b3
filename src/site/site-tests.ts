import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { Trip } from "../domain/trip.ts";
import type { SignalTestView, FieldTestPort, WalkTestView } from "../http/site/field-test-port.ts";
import type { WalkReport } from "../inputs/zone-overrides.ts";
import type { ZoneService } from "../inputs/zone-service.ts";
import type { Journal } from "../store/journal.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { Sync } from "../sync/sync.ts";
import { isoTime } from "./iso-time.ts";

export interface SiteTestParts {
  readonly watch: ZoneService;
  readonly journal: Journal;
  readonly outbox: OutboxStore;
  /** Undefined for a standalone daemon; a signal test then ends at the local records. */
  readonly sync: Sync | undefined;
  /** Life-safety zones whose trips are currently suppressed. */
  readonly lifeSafetyHeld: () => readonly LifeSafetyHeld[];
}

/** Walk tests and signal tests for the /site routes. */
export class SiteTests implements FieldTestPort {
  readonly #parts: SiteTestParts;

  constructor(parts: SiteTestParts) {
    this.#parts = parts;
  }

  walk(): WalkTestView | null {
    const report = this.#parts.watch.orders.walkReport();
    return report ? this.#viewOf(report) : null;
  }

  startWalk(minutes: number | undefined, actor: Actor): WalkTestView {
    return this.#viewOf(this.#parts.watch.orders.startWalkTest(minutes, actor));
  }

  endWalk(actor: Actor): WalkTestView | null {
    this.#parts.watch.orders.endWalkTest(actor);
    return this.walk();
  }

  #viewOf(report: WalkReport): WalkTestView {
    return { ...walkTestView(report), lifeSafetyHeld: report.isRunning ? this.#parts.lifeSafetyHeld() : [] };
  }

  startSignal(zoneId: string | undefined, actor: Actor): SignalTestView {
    return this.signal(this.#parts.watch.signalTest(zoneId, actor));
  }

  signal(key: string): SignalTestView {
    const { journal, outbox, sync } = this.#parts;
    const test = journal.trips.find(key);
    if (test?.type !== "signal") throw new AppError("not-found", "unknown signal test");
    const { interventionId } = test;
    return signalTestView(test, sync && interventionId !== null ? outbox.find(interventionId) : undefined);
  }
}

function walkTestView(report: WalkReport): Omit<WalkTestView, "lifeSafetyHeld"> {
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

/** @param entry outbox entry of its record; undefined before it has a record and for a standalone daemon */
function signalTestView(test: Trip, entry: OutboxEntry | undefined): SignalTestView {
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

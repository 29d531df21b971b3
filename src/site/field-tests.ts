import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { Trip } from "../domain/trip.ts";
import type { WalkReport, WalkTests } from "../inputs/walk-tests.ts";
import { dispatchedAfterTest } from "./dispatched-after-test.ts";
import { RecordJourneys } from "./record-journeys.ts";
import type { SignalTestView, WalkTestView } from "./zone-view.ts";
import type { SiteParts } from "./site-parts.ts";

/** Walk tests of the zones and signal tests to the dispatch centre. */
export class SiteTests {
  readonly #parts: SiteParts;
  readonly #lifeSafetySuppressed: () => readonly LifeSafetyHeld[];
  readonly #journeys: RecordJourneys;

  /** @param lifeSafetySuppressed life-safety zones whose trips are currently suppressed */
  constructor(parts: SiteParts, lifeSafetySuppressed: () => readonly LifeSafetyHeld[]) {
    this.#parts = parts;
    this.#lifeSafetySuppressed = lifeSafetySuppressed;
    this.#journeys = new RecordJourneys({ ...parts, trips: parts.journal.trips });
  }

  /** The running or last walk test; null before the first. */
  walk(): WalkTestView | null {
    const report = this.#walkTests.report();
    return report ? this.#viewOf(report) : null;
  }

  /** @throws AppError `invalid` for a duration out of range, `conflict` while one is running */
  startWalk(minutes: number | undefined, actor: Actor): WalkTestView {
    return this.#viewOf(this.#walkTests.begin(minutes, actor));
  }

  /** @throws AppError `invalid` for a duration out of range, `conflict` without a running test and beyond its maximum */
  extendWalk(minutes: number | undefined, actor: Actor): WalkTestView {
    return this.#viewOf(this.#walkTests.extend(minutes, actor));
  }

  endWalk(actor: Actor): WalkTestView | null {
    this.#walkTests.end(actor);
    return this.walk();
  }

  get #walkTests(): WalkTests {
    return this.#parts.zoneService.zoneOverrides.walkTests;
  }

  #viewOf({ isRunning, ...report }: WalkReport): WalkTestView {
    return {
      ...report,
      running: isRunning,
      lifeSafetySuppressed: isRunning ? this.#lifeSafetySuppressed() : [],
      dispatchedAtEnd: isRunning ? dispatchedAfterTest(this.#parts) : [],
    };
  }

  /**
   * Sends a test along the alarm path for the objective of a zone; default: the first zone.
   * @throws AppError `not-found`
   */
  startSignal(zoneId: string | undefined, actor: Actor): SignalTestView {
    return this.signal(this.#parts.zoneService.signalTest(zoneId, actor));
  }

  /** State of a signal test; it ends at the local records of a standalone daemon. @throws AppError `not-found` */
  signal(key: string): SignalTestView {
    const { journal, outbox, config } = this.#parts;
    const test = journal.trips.find(key);
    if (test?.type !== "signal") throw new AppError("not-found", "unknown signal test");
    const { interventionId } = test;
    const hasEntry = config.upstream && interventionId !== null;
    return {
      ...signalTestView(test, hasEntry ? outbox.find(interventionId) : undefined),
      journey:
        interventionId === null ? this.#journeys.ofTrip(test).view : this.#journeys.find(interventionId),
    };
  }
}

/** @param entry outbox entry of its record; undefined before it has a record and for a standalone daemon */
function signalTestView(test: Trip, entry: OutboxEntry | undefined): Omit<SignalTestView, "journey"> {
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

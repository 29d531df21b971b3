import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { SiteIdentity, WalkTestProgress, WalkTestResult, WalkTestZone } from "../domain/walk-test.ts";
import { sensorOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import { isIntact, type WalkTest } from "../store/walk-tests.ts";
import { afterClockChange, runningTest, type RunningTest } from "./running-test.ts";
import type { ClockChange } from "./clock-changes.ts";
import { assertMinutes, isFromFuture } from "./time-limit.ts";
import type { ZoneContext } from "./zone-context.ts";

export interface WalkTestsOptions extends Pick<ZoneContext, "zones" | "journal" | "clock" | "record"> {
  /** How the site is called now: a reload changes its name. */
  readonly identity: () => SiteIdentity;
  /** Whether a zone is out of service at a time of the wall clock, now or a moment ago. */
  readonly isBypassed: (zoneId: string, wallMs: number) => boolean;
  /** Called when a test has ended. */
  readonly onChange: () => void;
  /** Called when the result of a test is on disk; a hint for what copies it. */
  readonly onWalkTestResult?: () => void;
}

/** The running walk test, or the last one. */
export interface WalkReport extends WalkTestProgress {
  readonly isRunning: boolean;
  /** Null until it has ended. */
  readonly ended: string | null;
  /** Who ended it; null while it runs, and for one that ended with an earlier release. */
  readonly endedBy: string | null;
  /** Hash of its stored result; null as `endedBy`. */
  readonly sha256: string | null;
}

/** Minutes. A test ends automatically, because a forgotten one suppresses alarms. */
const MIN_DEFAULT = 30;
const MIN_MAX = 240;
const EXTENSION_MIN_DEFAULT = 15;
const MINUTE_MS = 60_000;

const DAEMON: Actor = { who: "santinela", from: "itself" };

/** Walk tests: a period in which trips show that their zones work, and are not dispatched. */
export class WalkTests {
  readonly #options: WalkTestsOptions;
  #running: RunningTest | undefined;
  /** The last test, once it was read or has ended. */
  #ended: WalkReport | undefined;
  #zones: readonly Zone[];

  constructor(options: WalkTestsOptions) {
    this.#options = options;
    this.#zones = options.zones;
  }

  /** Numbers further tests from here, so that each number is of one test. */
  continueAfter(number: number): void {
    this.#options.journal.walkTests.continueAfter(number);
  }

  /** Resumes the running test; one that is over ends with the next `tick`. */
  start(): void {
    const { journal, clock } = this.#options;
    const test = journal.walkTests.latest();
    if (test?.endedWallMs === null)
      this.#running = runningTest(clock, test, { endedBy: DAEMON, isResumed: true });
  }

  exchange(zones: readonly Zone[]): void {
    this.#zones = zones;
  }

  /** Ends a test whose time is over; to be called at intervals. */
  tick(): void {
    const running = this.#running;
    if (running && running.endsAtMs <= this.#options.clock.monotonicMs()) this.#end(running);
  }

  /**
   * To be called after a change of the wall clock, see `afterClockChange`.
   * @throws any error of the journal; the call should then be repeated
   */
  followClock(change: ClockChange): void {
    const { clock, journal } = this.#options;
    if (!this.#running) return;
    this.#running = afterClockChange(clock, this.#running, change);
    if (!this.#running.isResumed || change === "set") journal.walkTests.date(this.#running.test);
  }

  /** Dates a test that begins in the future. @throws as `followClock` */
  dateFuture(): void {
    if (this.#running && isFromFuture(this.#options.clock, this.#running.test)) this.followClock("set");
  }

  /** Who has started the test that runs now; undefined without one. */
  get by(): string | undefined {
    const running = this.#running;
    return running && running.endsAtMs > this.#options.clock.monotonicMs() ? running.test.who : undefined;
  }

  get isRunning(): boolean {
    return this.by !== undefined;
  }

  /** @throws AppError `invalid` for a time out of range, `conflict` while one is running */
  begin(minutes: number = MIN_DEFAULT, actor: Actor): WalkReport {
    assertMinutes(minutes, MIN_MAX);
    this.tick();
    if (this.#running) throw new AppError("conflict", "a walk test is running already");
    const { clock, journal } = this.#options;
    const sinceWallMs = clock.wallMs();
    const test = journal.walkTests.start({
      who: actor.who,
      afterSeq: journal.trips.lastSeq(),
      sinceWallMs,
      untilWallMs: sinceWallMs + minutes * MINUTE_MS,
      zones: this.#zones,
    });
    this.#running = runningTest(clock, test, { endedBy: DAEMON, isResumed: false });
    this.#record("walk-test-started", actor, { minutes });
    return this.#reportOf(test);
  }

  /**
   * Lets the running test end later, at most `MIN_MAX` minutes after its start.
   * @throws AppError `invalid` for a time out of range, `conflict` without a running test and for one that has the maximum
   */
  extend(minutes: number = EXTENSION_MIN_DEFAULT, actor: Actor): WalkReport {
    assertMinutes(minutes, MIN_MAX);
    this.tick();
    const running = this.#running;
    if (!running) throw new AppError("conflict", "no walk test is running");
    const { sinceWallMs, untilWallMs: formerly } = running.test;
    const untilWallMs = Math.min(formerly + minutes * MINUTE_MS, sinceWallMs + MIN_MAX * MINUTE_MS);
    const gainedMs = untilWallMs - formerly;
    if (gainedMs <= 0) throw new AppError("conflict", `a walk test lasts at most ${MIN_MAX} minutes`);
    this.#options.journal.walkTests.extend(running.test.id, untilWallMs);
    const test = { ...running.test, untilWallMs };
    this.#running = { ...running, test, endsAtMs: running.endsAtMs + gainedMs };
    this.#record("walk-test-extended", actor, { minutes: gainedMs / MINUTE_MS });
    return this.#reportOf(test);
  }

  /**
   * Ends the running test and stores its result; does nothing without one.
   * @throws any error of the journal: the test is over all the same, and `tick` stores its result
   */
  end(actor: Actor): void {
    this.tick();
    const running = this.#running;
    if (!running) return;
    // First: a disk that rejects the result must not keep back the alarms of a building whose user has gone.
    const test = { ...running.test, endedWallMs: this.#endOf(running.test) };
    const endsAtMs = this.#options.clock.monotonicMs();
    this.#end((this.#running = { ...running, test, endsAtMs, endedBy: actor }));
  }

  /** The time of its end. One whose time was over while the daemon was stopped has ended then. */
  #endOf({ sinceWallMs, untilWallMs, endedWallMs }: WalkTest): number {
    return endedWallMs ?? Math.max(sinceWallMs, Math.min(this.#options.clock.wallMs(), untilWallMs));
  }

  #end({ test, endedBy: actor }: RunningTest): void {
    const { journal, onChange, onWalkTestResult } = this.#options;
    // Trips that the disk has rejected would be missing in the result.
    journal.earlierFirst();
    const endedWallMs = this.#endOf(test);
    const result: WalkTestResult = {
      ...this.#progressOf(test, endedWallMs),
      ended: isoTime(endedWallMs),
      endedBy: actor.who,
    };
    const sha256 = journal.walkTests.end(endedWallMs, result);
    if (onWalkTestResult) journal.afterCommit(onWalkTestResult);
    this.#running = undefined;
    this.#ended = { ...result, isRunning: false, sha256 };
    const missing = result.zones.filter(({ passed }) => !passed).map(({ id }) => id);
    const tripped = result.zones.length - missing.length;
    // With the hash in the audit trail, a result that is changed afterwards is detected.
    this.#record("walk-test-ended", actor, { report: test.id, tripped, missing, sha256 });
    onChange();
  }

  /** The running test, or the result of the last one; undefined before the first. */
  report(): WalkReport | undefined {
    if (this.#running) return this.#reportOf(this.#running.test);
    const test = this.#options.journal.walkTests.latest();
    return (this.#ended ??= this.#storedReport()) ?? (test && this.#reportOf(test));
  }

  /** The stored result of the last test; undefined if the disk has altered it, or if the test ended with an earlier release. */
  #storedReport(): WalkReport | undefined {
    const { walkTests } = this.#options.journal;
    const stored = walkTests.result(walkTests.latest()?.id ?? 0);
    if (!stored || !isIntact(stored)) return undefined;
    return { ...(JSON.parse(stored.text) as WalkTestResult), isRunning: false, sha256: stored.sha256 };
  }

  #reportOf(test: WalkTest): WalkReport {
    return {
      ...this.#progressOf(test, test.endedWallMs ?? this.#options.clock.wallMs()),
      isRunning: this.isRunning,
      ended: test.endedWallMs === null ? null : isoTime(test.endedWallMs),
      endedBy: null,
      sha256: null,
    };
  }

  /** @param atWallMs for the bypasses */
  #progressOf({ id: number, who, afterSeq, zones, ...test }: WalkTest, atWallMs: number): WalkTestProgress {
    const { journal, identity, isBypassed } = this.#options;
    const { name, ref, timezone } = identity();
    const tripped = new Map(journal.walkTests.tripsAfter(afterSeq).map((zone) => [zone.zoneId, zone]));
    const sensors = new Map(this.#zones.map((zone) => [zone.id, sensorOf(zone)]));
    const testedBy = new Map(journal.zoneOverrides.testedZones().map((zone) => [zone.zoneId, zone.sensor]));
    // The trips of a sensor that was replaced during the test say nothing about the present one.
    const isOfFormer = (id: string): boolean =>
      sensors.has(id) && testedBy.get(id) !== null && testedBy.get(id) !== sensors.get(id);
    // A zone that was removed during the test is still a part of it, tested or not.
    const all = [...this.#zones, ...zones.filter(({ id }) => !sensors.has(id))];
    const zoneOf = ({ id, name: zoneName, kind }: (typeof all)[number]): WalkTestZone => {
      const seen = tripped.get(id);
      return {
        id,
        name: zoneName,
        kind,
        first: seen ? isoTime(seen.firstWallMs) : null,
        last: seen ? isoTime(seen.lastWallMs) : null,
        trips: seen?.trips ?? 0,
        bypassed: isBypassed(id, atWallMs),
        passed: seen !== undefined && !isOfFormer(id),
        sensor: sensors.get(id) ?? null,
      };
    };
    return {
      number,
      site: { name, ref, timezone },
      who,
      since: isoTime(test.sinceWallMs),
      until: isoTime(test.untilWallMs),
      zones: all.map(zoneOf),
    };
  }

  #record(event: NewEvent["event"], actor: Actor, detail: NewEvent["detail"]): void {
    this.#options.record({ ...actor, event, subject: "", detail });
  }
}

import type { Clock, TrustedTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { GateState } from "../domain/gate.ts";
import type { Log } from "../domain/log.ts";
import type { TripHold } from "../domain/trip.ts";
import { gateReadingOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { Bypass, WalkTest } from "../store/overrides.ts";
import { GateStates } from "./gate-states.ts";
import { walkReportOf, type WalkReport } from "./walk-report.ts";

export interface ZoneOrdersOptions {
  readonly zones: readonly Zone[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly timezone: string;
  readonly log: Log;
  /** Called when what holds trips back may have begun or ended. */
  readonly onChange: () => void;
  /** Takes an entry for the event log. */
  readonly record: (event: NewEvent) => void;
}

/** Whether a trip is dispatched, and if not, why. */
export interface Disposition {
  readonly state: TripHold | "waiting";
  readonly reason: string | null;
}

/** Minutes. A forgotten bypass or walk test is no alarm, so both end by themselves. */
const BYPASS_MIN_DEFAULT = 480;
const BYPASS_MIN_MAX = 7 * 24 * 60;
const WALK_TEST_MIN_DEFAULT = 30;
const WALK_TEST_MIN_MAX = 240;

const DAEMON: Actor = { who: "santinela", from: "itself" };

/** What people and schedules have ordered for the zones: bypasses, walk tests and gates. */
export class ZoneOverrides {
  readonly #options: ZoneOrdersOptions;
  readonly #bypasses = new Map<string, { readonly bypass: Bypass; readonly endsAtMs: number }>();
  readonly gates: GateStates;
  #wasTrusted = true;
  #walkTest: { readonly test: WalkTest; readonly endsAtMs: number } | undefined;
  #zones: readonly Zone[];

  constructor(options: ZoneOrdersOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.gates = new GateStates(options);
  }

  /** Takes up what was ordered before the daemon was started. */
  start(): void {
    const { orders } = this.#options.journal;
    this.#wasTrusted = this.#options.time.isTrusted();
    for (const bypass of orders.bypasses())
      this.#bypasses.set(bypass.zoneId, { bypass, endsAtMs: this.#endOf(bypass) });
    const test = orders.latestWalkTest();
    if (test?.endedWallMs === null) this.#walkTest = { test, endsAtMs: this.#endOf(test) };
  }

  /**
   * Goes on with other zones. The bypasses of those that are gone are over, and a gate that is new, or read in another
   * way, is unknown until it says something.
   * @returns the zones that are gone and were bypassed
   */
  exchange(zones: readonly Zone[]): readonly string[] {
    const readings = new Set(this.#zones.map(({ gate }) => gateReadingOf(gate)));
    const kept = new Set(
      zones.flatMap(({ gate }) => (readings.has(gateReadingOf(gate)) && "id" in gate ? [gate.id] : [])),
    );
    this.gates.keep(kept);
    const ended = [...this.#bypasses.keys()].filter((of) => !zones.some(({ id }) => id === of));
    for (const id of ended) this.#bypasses.delete(id);
    this.#zones = zones;
    return ended;
  }

  /** Ends what has run out; to be called now and then. What has run out counts no more even before. */
  tick(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#shortenOnceTrusted();
    for (const { bypass, endsAtMs } of this.#bypasses.values())
      if (endsAtMs <= nowMs) this.#endBypass(bypass.zoneId, DAEMON);
    if (this.#walkTest && this.#walkTest.endsAtMs <= nowMs) this.endWalkTest(DAEMON);
  }

  /** What becomes of a trip of this zone now. */
  dispositionOf(zone: Zone): Disposition {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.isWalkTest) return { state: "test", reason: `walk test by ${this.#walkTest?.test.who}` };
    const bypassed = this.#bypasses.get(zone.id);
    if (bypassed && bypassed.endsAtMs > nowMs)
      return { state: "bypassed", reason: `${bypassed.bypass.reason} (${bypassed.bypass.who})` };
    if (this.gates.isClosed(zone)) return { state: "gated", reason: `the gate is closed (${zone.gate.by})` };
    if (this.gates.isExit(zone)) return { state: "gated", reason: `exit delay (${zone.gate.by})` };
    return { state: "waiting", reason: null };
  }

  get isWalkTest(): boolean {
    return this.#walkTest !== undefined && this.#walkTest.endsAtMs > this.#options.clock.monotonicMs();
  }

  /** Takes what a gate's switch or message says. */
  setGate(gateId: string, state: GateState): void {
    this.gates.set(gateId, state);
    this.#options.onChange();
  }

  bypassOf(zoneId: string): Bypass | undefined {
    const found = this.#bypasses.get(zoneId);
    return found && found.endsAtMs > this.#options.clock.monotonicMs() ? found.bypass : undefined;
  }

  /**
   * Takes a zone out of service: its trips are written down and not dispatched.
   * @throws AppError `not-found` for an unknown zone, `invalid` for a missing reason or a time out of range
   */
  bypass(zoneId: string, { reason, minutes = BYPASS_MIN_DEFAULT }: BypassRequest, actor: Actor): Bypass {
    this.#assertZone(zoneId);
    if (typeof reason !== "string" || reason.trim() === "" || reason.length > 200)
      throw new AppError("invalid", "a bypass needs a reason of 1 to 200 characters");
    assertMinutes(minutes, BYPASS_MIN_MAX);
    const sinceWallMs = this.#options.clock.wallMs();
    const untilWallMs = sinceWallMs + minutes * 60_000;
    const bypass = { zoneId, reason: reason.trim(), who: actor.who, sinceWallMs, untilWallMs };
    this.#options.journal.orders.saveBypass(bypass);
    this.#bypasses.set(zoneId, { bypass, endsAtMs: this.#endOf(bypass) });
    this.#record("zone-bypassed", actor, `zone ${zoneId}`, { reason: bypass.reason, minutes });
    return bypass;
  }

  /** Puts a zone back into service: ends its bypass and its shutdown. @throws AppError `not-found` */
  restore(zoneId: string, actor: Actor): void {
    this.#assertZone(zoneId);
    this.#options.journal.swingers.forget(zoneId);
    this.#endBypass(zoneId, actor);
  }

  /** @throws AppError `invalid` for a time out of range, `conflict` while one is running */
  startWalkTest(minutes: number | undefined = WALK_TEST_MIN_DEFAULT, actor: Actor): WalkReport {
    assertMinutes(minutes, WALK_TEST_MIN_MAX);
    this.tick();
    if (this.#walkTest) throw new AppError("conflict", "a walk test is running already");
    const { clock, journal } = this.#options;
    const sinceWallMs = clock.wallMs();
    const untilWallMs = sinceWallMs + minutes * 60_000;
    journal.orders.startWalkTest({
      who: actor.who,
      afterSeq: journal.trips.lastSeq(),
      sinceWallMs,
      untilWallMs,
    });
    const test = journal.orders.latestWalkTest();
    if (test) this.#walkTest = { test, endsAtMs: this.#endOf(test) };
    this.#record("walk-test-started", actor, "", { minutes });
    return this.#report(test);
  }

  /** Ends the running walk test; without one nothing happens. */
  endWalkTest(actor: Actor): void {
    const running = this.#walkTest;
    if (!running) return;
    const { clock, journal } = this.#options;
    journal.orders.endWalkTest(running.test.id, clock.wallMs());
    this.#walkTest = undefined;
    const { zones } = this.#report(journal.orders.latestWalkTest());
    const missing = zones.filter(({ trips }) => trips === 0).map(({ id }) => id);
    this.#record("walk-test-ended", actor, "", { tripped: zones.length - missing.length, missing });
    this.#options.onChange();
  }

  /** What the running or last walk test has seen; undefined before the first. */
  walkReport(): WalkReport | undefined {
    const test = this.#options.journal.orders.latestWalkTest();
    return test && this.#report(test);
  }

  #report(test: WalkTest | undefined): WalkReport {
    return walkReportOf(test, {
      isRunning: this.isWalkTest,
      zones: this.#zones,
      trips: this.#options.journal.trips,
    });
  }

  /** By the monotonic clock; a wall clock that has gone back makes nothing longer than it was ordered. */
  #endOf({ sinceWallMs, untilWallMs }: Pick<Bypass, "sinceWallMs" | "untilWallMs">): number {
    const { clock } = this.#options;
    const leftMs = Math.min(untilWallMs - clock.wallMs(), untilWallMs - sinceWallMs);
    return clock.monotonicMs() + Math.max(0, leftMs);
  }

  /** A clock that was behind at the start has made orders longer than they are; what it made shorter stays so. */
  #shortenOnceTrusted(): void {
    const isTrusted = this.#options.time.isTrusted();
    const isNews = isTrusted && !this.#wasTrusted;
    this.#wasTrusted = isTrusted;
    if (!isNews) return;
    for (const [id, { bypass, endsAtMs }] of this.#bypasses)
      this.#bypasses.set(id, { bypass, endsAtMs: Math.min(endsAtMs, this.#endOf(bypass)) });
    if (!this.#walkTest) return;
    const { test, endsAtMs } = this.#walkTest;
    this.#walkTest = { test, endsAtMs: Math.min(endsAtMs, this.#endOf(test)) };
  }

  #endBypass(zoneId: string, actor: Actor): void {
    this.#options.journal.orders.deleteBypass(zoneId);
    this.#bypasses.delete(zoneId);
    this.#record("zone-restored", actor, `zone ${zoneId}`, {});
    this.#options.onChange();
  }

  #assertZone(zoneId: string): void {
    const zones = this.#zones;
    if (!zones.some(({ id }) => id === zoneId))
      throw new AppError(
        "not-found",
        `there is no zone ${JSON.stringify(zoneId)}. Zones here: ${zones.map(({ id }) => id).join(", ") || "none"}`,
      );
  }

  #record(event: NewEvent["event"], actor: Actor, subject: string, detail: NewEvent["detail"]): void {
    this.#options.record({ ...actor, event, subject, detail });
  }
}

/** What is asked for with a bypass. */
export interface BypassRequest {
  readonly reason?: unknown;
  readonly minutes?: number | undefined;
}

function assertMinutes(minutes: number, max: number): void {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > max)
    throw new AppError("invalid", `minutes must be a whole number from 1 to ${max}`);
}

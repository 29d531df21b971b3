import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { GateState } from "../domain/gate.ts";
import type { SuppressionCause } from "../domain/trip.ts";
import { gateReadingOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import type { Bypass, WalkTest } from "../store/overrides.ts";
import { GateStates } from "./gate-states.ts";
import type { ZoneContext } from "./zone-context.ts";

interface ZoneOverridesOptions extends ZoneContext {
  /** Called when a suppression may have begun or ended. */
  readonly onChange: () => void;
}

/** Whether a trip is dispatched, and if not, why. */
export interface Disposition {
  readonly state: SuppressionCause | "waiting";
  readonly reason: string | null;
}

/** Result of a walk test. */
export interface WalkReport {
  readonly isRunning: boolean;
  readonly who: string;
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
  readonly endedWallMs: number | null;
  /** All zones with the number of their trips; `lastWallMs` is null for a zone that has not tripped. */
  readonly zones: readonly {
    readonly id: string;
    readonly trips: number;
    readonly lastWallMs: number | null;
  }[];
}

/** Minutes. Both end automatically, because a forgotten bypass or walk test suppresses alarms. */
const BYPASS_MIN_DEFAULT = 480;
const BYPASS_MIN_MAX = 7 * 24 * 60;
const WALK_TEST_MIN_DEFAULT = 30;
const WALK_TEST_MIN_MAX = 240;

const DAEMON: Actor = { who: "santinela", from: "itself" };

/** Overrides of the zones: bypasses, walk tests and gates. */
export class ZoneOverrides {
  readonly #options: ZoneOverridesOptions;
  readonly #bypasses = new Map<string, { readonly bypass: Bypass; readonly endsAtMs: number }>();
  readonly gates: GateStates;
  #wasTrusted = true;
  #walkTest: { readonly test: WalkTest; readonly endsAtMs: number } | undefined;
  #zones: readonly Zone[];

  constructor(options: ZoneOverridesOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.gates = new GateStates(options);
  }

  /** Resumes the stored overrides. */
  start(): void {
    const { zoneOverrides } = this.#options.journal;
    this.#wasTrusted = this.#options.time.isTrusted();
    this.gates.start();
    for (const bypass of zoneOverrides.bypasses())
      this.#bypasses.set(bypass.zoneId, { bypass, endsAtMs: this.#endOf(bypass) });
    const test = zoneOverrides.latestWalkTest();
    if (test?.endedWallMs === null) this.#walkTest = { test, endsAtMs: this.#endOf(test) };
  }

  /**
   * Uses other zones. The bypasses of removed zones end. A gate that is new or read differently is unknown until it
   * reports.
   * @returns the removed zones that were bypassed
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

  /** Ends expired overrides; to be called at intervals. An expired override has no effect even before. */
  tick(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#shortenOnceTrusted();
    for (const { bypass, endsAtMs } of this.#bypasses.values())
      if (endsAtMs <= nowMs) this.#endBypass(bypass.zoneId, DAEMON);
    if (this.#walkTest && this.#walkTest.endsAtMs <= nowMs) this.endWalkTest(DAEMON);
  }

  /** Disposition of a trip of this zone now. */
  dispositionOf(zone: Zone): Disposition {
    const nowMs = this.#options.clock.monotonicMs();
    if (this.isWalkTest) return { state: "test", reason: `walk test by ${this.#walkTest?.test.who}` };
    const bypassed = this.#bypasses.get(zone.id);
    if (bypassed && bypassed.endsAtMs > nowMs)
      return { state: "bypassed", reason: `${bypassed.bypass.reason} (${bypassed.bypass.who})` };
    if (this.gates.isClosed(zone)) return { state: "gated", reason: `disarmed (${zone.gate.by})` };
    if (this.gates.isExit(zone)) return { state: "gated", reason: `exit delay (${zone.gate.by})` };
    return { state: "waiting", reason: null };
  }

  get isWalkTest(): boolean {
    return this.#walkTest !== undefined && this.#walkTest.endsAtMs > this.#options.clock.monotonicMs();
  }

  /** Processes the state of a gate. @throws see `GateStates.set` */
  setGate(gateId: string, state: GateState, options?: { readonly mustStore: boolean }): void {
    this.gates.set(gateId, state, options);
    this.#options.onChange();
  }

  bypassOf(zoneId: string): Bypass | undefined {
    const found = this.#bypasses.get(zoneId);
    return found && found.endsAtMs > this.#options.clock.monotonicMs() ? found.bypass : undefined;
  }

  /**
   * Takes a zone out of service: its trips are recorded but not dispatched.
   * @throws AppError `not-found` for an unknown zone, `invalid` for a missing reason or a time out of range
   */
  bypass(zoneId: string, { reason, minutes = BYPASS_MIN_DEFAULT }: BypassRequest, actor: Actor): Bypass {
    this.#assertZone(zoneId);
    if (typeof reason !== "string" || reason.trim() === "" || reason.length > 200)
      throw new AppError("invalid", "reason must have 1 to 200 characters");
    assertMinutes(minutes, BYPASS_MIN_MAX);
    const sinceWallMs = this.#options.clock.wallMs();
    const untilWallMs = sinceWallMs + minutes * 60_000;
    const bypass = { zoneId, reason: reason.trim(), who: actor.who, sinceWallMs, untilWallMs };
    this.#options.journal.zoneOverrides.saveBypass(bypass);
    this.#bypasses.set(zoneId, { bypass, endsAtMs: this.#endOf(bypass) });
    this.#record("zone-bypassed", actor, `zone ${zoneId}`, { reason: bypass.reason, minutes });
    return bypass;
  }

  /** Returns a zone to service: ends its bypass and its swinger shutdown. @throws AppError `not-found` */
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
    journal.zoneOverrides.startWalkTest({
      who: actor.who,
      afterSeq: journal.trips.lastSeq(),
      sinceWallMs,
      untilWallMs,
    });
    const test = journal.zoneOverrides.latestWalkTest();
    if (!test) throw new Error("a recorded walk test is missing");
    this.#walkTest = { test, endsAtMs: this.#endOf(test) };
    this.#record("walk-test-started", actor, "", { minutes });
    return this.#report(test);
  }

  /** Ends the running walk test; does nothing without one. */
  endWalkTest(actor: Actor): void {
    const running = this.#walkTest;
    if (!running) return;
    const { clock, journal } = this.#options;
    journal.zoneOverrides.endWalkTest(running.test.id, clock.wallMs());
    this.#walkTest = undefined;
    const { zones } = this.#report(running.test);
    const missing = zones.filter(({ trips }) => trips === 0).map(({ id }) => id);
    this.#record("walk-test-ended", actor, "", { tripped: zones.length - missing.length, missing });
    this.#options.onChange();
  }

  /** Report of the running or last walk test; undefined before the first. */
  walkReport(): WalkReport | undefined {
    const test = this.#options.journal.zoneOverrides.latestWalkTest();
    return test && this.#report(test);
  }

  #report({ afterSeq, who, sinceWallMs, untilWallMs, endedWallMs }: WalkTest): WalkReport {
    const { trips } = this.#options.journal;
    const tested = new Map(trips.tested(afterSeq).map((zone) => [zone.zoneId, zone]));
    const zones = this.#zones.map(({ id }) => {
      const { trips = 0, lastWallMs = null } = tested.get(id) ?? {};
      return { id, trips, lastWallMs };
    });
    return { isRunning: this.isWalkTest, who, sinceWallMs, untilWallMs, endedWallMs, zones };
  }

  /** End by the monotonic clock; a wall clock that was set back does not make an override longer. */
  #endOf({ sinceWallMs, untilWallMs }: Pick<Bypass, "sinceWallMs" | "untilWallMs">): number {
    const { clock } = this.#options;
    const remainingMs = Math.min(untilWallMs - clock.wallMs(), untilWallMs - sinceWallMs);
    return clock.monotonicMs() + Math.max(0, remainingMs);
  }

  /** A clock that was behind at the start made overrides too long; those that it made too short are not extended. */
  #shortenOnceTrusted(): void {
    const isTrusted = this.#options.time.isTrusted();
    const hasBecomeTrusted = isTrusted && !this.#wasTrusted;
    this.#wasTrusted = isTrusted;
    if (!hasBecomeTrusted) return;
    for (const [id, { bypass, endsAtMs }] of this.#bypasses)
      this.#bypasses.set(id, { bypass, endsAtMs: Math.min(endsAtMs, this.#endOf(bypass)) });
    if (!this.#walkTest) return;
    const { test, endsAtMs } = this.#walkTest;
    this.#walkTest = { test, endsAtMs: Math.min(endsAtMs, this.#endOf(test)) };
  }

  #endBypass(zoneId: string, actor: Actor): void {
    this.#options.journal.zoneOverrides.deleteBypass(zoneId);
    this.#bypasses.delete(zoneId);
    this.#record("zone-restored", actor, `zone ${zoneId}`, {});
    this.#options.onChange();
  }

  #assertZone(zoneId: string): void {
    const zones = this.#zones;
    if (!zones.some(({ id }) => id === zoneId))
      throw new AppError(
        "not-found",
        `unknown zone ${JSON.stringify(zoneId)}. Known: ${zones.map(({ id }) => id).join(", ") || "none"}`,
      );
  }

  #record(event: NewEvent["event"], actor: Actor, subject: string, detail: NewEvent["detail"]): void {
    this.#options.record({ ...actor, event, subject, detail });
  }
}

/** Body of a bypass request. */
export interface BypassRequest {
  readonly reason?: unknown;
  readonly minutes?: number | undefined;
}

function assertMinutes(minutes: number, max: number): void {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > max)
    throw new AppError("invalid", `minutes must be a whole number from 1 to ${max}`);
}

import { nextHour } from "../domain/calendar.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { GateState } from "../domain/gate.ts";
import { isLifeSafety } from "../domain/incident.ts";
import type { SuppressionCause, Timestamp } from "../domain/trip.ts";
import { gateReadingOf } from "../domain/zone-changes.ts";
import type { SiteIdentity } from "../domain/walk-test.ts";
import type { Zone } from "../domain/zone.ts";
import type { Bypass } from "../store/overrides.ts";
import { ClockChanges, type ClockChange } from "./clock-changes.ts";
import { GateStates } from "./gate-states.ts";
import { assertMinutes, datedPeriod, isFromFuture, monotonicEndOf } from "./time-limit.ts";
import { WalkTests } from "./walk-tests.ts";
import type { ZoneContext } from "./zone-context.ts";

interface ZoneOverridesOptions extends ZoneContext {
  readonly identity: () => SiteIdentity;
  /** Called when a suppression may have begun or ended. */
  readonly onChange: () => void;
  readonly onWalkTestResult?: () => void;
}

/** Whether a trip is dispatched, and if not, why. */
export interface Disposition {
  readonly state: SuppressionCause | "waiting";
  readonly reason: string | null;
}

/** Minutes. A bypass ends automatically, because a forgotten one suppresses alarms. */
const BYPASS_MIN_DEFAULT = 480;
const BYPASS_MIN_MAX = 7 * 24 * 60;
const MINUTE_MS = 60_000;

const DAEMON: Actor = { who: "santinela", from: "itself" };

interface ActiveBypass {
  readonly bypass: Bypass;
  /** By the monotonic clock. It is over then, even if its end is not stored yet. */
  readonly endsAtMs: number;
  /** Whether it was read from the journal at the start, so that only the wall clock tells its end. */
  readonly isResumed: boolean;
  /** The user who has ended it; undefined if its time ends it. */
  readonly endedBy?: Actor;
}

/** Overrides of the zones: bypasses, walk tests and gates. */
export class ZoneOverrides {
  readonly #options: ZoneOverridesOptions;
  readonly #bypasses = new Map<string, ActiveBypass>();
  readonly gates: GateStates;
  readonly walkTests: WalkTests;
  #clockChanges: ClockChanges;
  #zones: readonly Zone[];

  constructor(options: ZoneOverridesOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#clockChanges = new ClockChanges(options.clock, options.time);
    this.gates = new GateStates(options);
    this.walkTests = new WalkTests({
      ...options,
      isBypassed: (zoneId, wallMs) => {
        const { sinceWallMs = wallMs, untilWallMs = wallMs } = this.#bypasses.get(zoneId)?.bypass ?? {};
        return sinceWallMs <= wallMs && untilWallMs > wallMs;
      },
    });
  }

  /** Resumes the stored overrides. */
  start(): void {
    this.#clockChanges = new ClockChanges(this.#options.clock, this.#options.time);
    this.gates.start();
    for (const bypass of this.#options.journal.zoneOverrides.bypasses())
      this.#bypasses.set(bypass.zoneId, { bypass, endsAtMs: this.#endOf(bypass), isResumed: true });
    this.walkTests.start();
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
    this.walkTests.exchange(zones);
    return ended;
  }

  /** Ends expired overrides; to be called at intervals. An expired override has no effect even before. */
  tick(): void {
    this.#clockChanges.look((change) => this.#followClock(change));
    this.#dateFuture();
    // Before the bypasses: its result names the zones that were bypassed at its end.
    this.walkTests.tick();
    for (const { bypass, endsAtMs, endedBy = DAEMON } of this.#bypasses.values())
      if (endsAtMs <= this.#options.clock.monotonicMs()) this.#endBypass(bypass.zoneId, endedBy);
  }

  /** Disposition of a trip of this zone now. */
  dispositionOf(zone: Zone): Disposition {
    const { by } = this.walkTests;
    if (by !== undefined) return { state: "test", reason: `walk test by ${by}` };
    return this.dispositionAfterTest(zone);
  }

  /** The same without the walk test. */
  dispositionAfterTest(zone: Zone): Disposition {
    const bypass = this.bypassOf(zone.id);
    if (bypass) return { state: "bypassed", reason: `${bypass.reason} (${bypass.who})` };
    if (this.gates.isClosed(zone)) return { state: "gated", reason: `disarmed (${zone.gate.by})` };
    if (this.gates.isExit(zone)) return { state: "gated", reason: `exit delay (${zone.gate.by})` };
    return { state: "waiting", reason: null };
  }

  /** Whether a person suppresses the trips of this zone now. A schedule follows the time, and not a person. */
  isSilenced(zone: Zone): boolean {
    const { state } = this.dispositionOf(zone);
    return state !== "waiting" && (state !== "gated" || zone.gate.by !== "schedule");
  }

  /** Whether a person has disarmed a zone, or armed it again, after this time. @throws any error of the journal */
  isSwitchedSince({ kind, gate }: Zone, { bootId, monotonicMs, wallMs }: Timestamp): boolean {
    if (!("id" in gate) || isLifeSafety(kind)) return false;
    const since = this.#options.journal.zoneOverrides.gateState(gate.id)?.since;
    if (!since) return false;
    return since.bootId === bootId ? since.monotonicMs > monotonicMs : since.wallMs > wallMs;
  }

  get isWalkTest(): boolean {
    return this.walkTests.isRunning;
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
  bypass(zoneId: string, order: BypassRequest, actor: Actor): Bypass {
    this.#assertZone(zoneId);
    const { reason } = order;
    if (typeof reason !== "string" || reason.trim() === "" || reason.length > 200)
      throw new AppError("invalid", "reason must have 1 to 200 characters");
    const sinceWallMs = this.#options.clock.wallMs();
    const untilWallMs = this.#endOfOrder(order, sinceWallMs);
    const minutes = Math.ceil((untilWallMs - sinceWallMs) / MINUTE_MS);
    const bypass = { zoneId, reason: reason.trim(), who: actor.who, sinceWallMs, untilWallMs };
    this.#options.journal.zoneOverrides.saveBypass(bypass);
    this.#bypasses.set(zoneId, { bypass, endsAtMs: this.#endOf(bypass), isResumed: false });
    this.#record("zone-bypassed", actor, `zone ${zoneId}`, { reason: bypass.reason, minutes });
    return bypass;
  }

  /**
   * Returns a zone to service: ends its bypass and its swinger shutdown.
   * @throws AppError `not-found`; any error of the journal: the bypass is over all the same, and `tick` stores its end
   */
  restore(zoneId: string, actor: Actor): void {
    this.#assertZone(zoneId);
    const active = this.#bypasses.get(zoneId);
    // First, as the end of a walk test.
    if (active)
      this.#bypasses.set(zoneId, { ...active, endsAtMs: this.#options.clock.monotonicMs(), endedBy: actor });
    this.#options.journal.swingers.forget(zoneId);
    this.#endBypass(zoneId, actor);
  }

  /** By the clock and in the time zone of the site: those of a user's phone may be others. */
  #endOfOrder({ minutes = BYPASS_MIN_DEFAULT, untilHour }: BypassRequest, nowMs: number): number {
    assertMinutes(minutes, BYPASS_MIN_MAX);
    if (untilHour === undefined) return nowMs + minutes * MINUTE_MS;
    return nextHour(nowMs, untilHour, this.#options.identity().timezone);
  }

  #endOf(bypass: Bypass): number {
    return monotonicEndOf(this.#options.clock, bypass);
  }

  /**
   * A clock that was behind at the start made resumed overrides too long; those that it made too short are not extended.
   * @throws any error of the journal; the next call repeats it
   */
  #followClock(change: ClockChange): void {
    for (const [id, active] of this.#bypasses) {
      const endMs = active.isResumed ? this.#endOf(active.bypass) : active.endsAtMs;
      const followed = { ...active, endsAtMs: Math.min(active.endsAtMs, endMs) };
      if (active.isResumed && change === "trusted") this.#bypasses.set(id, followed);
      else this.#date(followed);
    }
    this.walkTests.followClock(change);
  }

  /** With the times of a clock that was ahead, an override would begin again at each restart. */
  #dateFuture(): void {
    if (!this.#options.time.isTrusted()) return;
    for (const active of this.#bypasses.values())
      if (isFromFuture(this.#options.clock, active.bypass)) this.#date(active);
    this.walkTests.dateFuture();
  }

  #date(active: ActiveBypass): void {
    const bypass = datedPeriod(this.#options.clock, active.bypass, active.endsAtMs);
    this.#bypasses.set(bypass.zoneId, { ...active, bypass });
    this.#options.journal.zoneOverrides.saveBypass(bypass);
  }

  #endBypass(zoneId: string, actor: Actor): void {
    this.#options.journal.zoneOverrides.deleteBypass(zoneId);
    this.#bypasses.delete(zoneId);
    this.#record("zone-restored", actor, `zone ${zoneId}`, {});
    this.#options.onChange();
  }

  #assertZone(zoneId: string): void {
    const ids = this.#zones.map(({ id }) => id);
    if (ids.includes(zoneId)) return;
    const known = ids.join(", ") || "none";
    throw new AppError("not-found", `unknown zone ${JSON.stringify(zoneId)}. Known: ${known}`);
  }

  #record(event: NewEvent["event"], actor: Actor, subject: string, detail: NewEvent["detail"]): void {
    this.#options.record({ ...actor, event, subject, detail });
  }
}

/** Body of a bypass request. */
export interface BypassRequest {
  readonly reason?: unknown;
  readonly minutes?: number | undefined;
  /** Instead of `minutes`: it ends when the site next has this full hour, 0 to 23. */
  readonly untilHour?: number | undefined;
}

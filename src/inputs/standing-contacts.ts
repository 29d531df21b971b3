import type { CancelTimer, Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { decideStanding, type StandingDecision } from "../domain/standing.ts";
import { newStanding } from "../domain/trip-rows.ts";
import type { Trip, TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { TripRegister } from "./trip-register.ts";
import type { ZoneMonitor, ZoneSnapshot } from "./zone-monitor.ts";
import type { ZoneOrders } from "./zone-orders.ts";

export interface StandingContactsOptions {
  readonly monitor: ZoneMonitor;
  readonly orders: ZoneOrders;
  readonly register: TripRegister;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly bootId: string;
  readonly time: TrustedTime;
  readonly site: TripSite;
  /** How long a contact that saves lives may stand open after its intervention was done, in milliseconds. */
  readonly standingAgainMs: number;
  readonly newKey: () => string;
  readonly conditions: Conditions;
  readonly log: Log;
  /** Whether work on an intervention goes on: it is there and not done. */
  readonly isUnfinished: (interventionId: number) => boolean;
  /** Called after something was committed that is to be dispatched. */
  readonly onTrip: () => void;
}

/** What is kept of a zone while it is open. */
interface Standing {
  /** Its trips have been held back since it opened, and what follows has not been decided. */
  wasHeld: boolean;
  /** Since when its intervention has been done, monotonic. */
  finishedMs: number | undefined;
}

/** A zone that is bypassed, in a walk test or in an exit delay is looked at this often: within the 5 s that it may stand untold. */
const LOOK_HELD_MS = 4_000;
/** One that a record or condition names is looked at this often; what ends that mostly calls for a look at once. */
const LOOK_NAMED_MS = 60_000;
/** What the journal says of a contact before the restart counts once its sensor has had this long to say otherwise. */
const CARRIED_OVER_MS = 5_000;

/**
 * Looks at contacts that stand open: whatever held their trips back (a closed gate, a bypass, a walk test, a shutdown) ends
 * without an edge, and so does the work on an intervention. No zone is open while armed without a record or a condition
 * that names it.
 */
export class StandingContacts {
  readonly #options: StandingContactsOptions;
  readonly #standing = new Map<string, Standing>();
  readonly #conditions = new Set<string>();
  #cancel: CancelTimer | undefined;
  #isSoon = false;
  #startedMs = 0;
  #isStopped = true;

  constructor(options: StandingContactsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#startedMs = this.#options.clock.monotonicMs();
    this.soon();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isSoon = false;
  }

  /**
   * Looks at open zones as soon as this turn is over; to be called when a zone may have opened or closed, or when a hold or
   * the work on a record may have ended.
   */
  soon(): void {
    if (this.#isStopped || this.#isSoon) return;
    this.#isSoon = true;
    this.#cancel?.();
    this.#cancel = this.#options.clock.after(0, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    this.#isSoon = false;
    const open = this.#openZones();
    const isOpen = new Set(open.map(({ zone }) => zone.id));
    for (const id of this.#standing.keys()) if (!isOpen.has(id)) this.#standing.delete(id);
    for (const id of this.#conditions) if (!isOpen.has(id)) this.#clear(id);
    const listed: ZoneSnapshot[] = [];
    let nextMs = Infinity;
    for (const snapshot of open) {
      try {
        const { decision, againMs } = this.#decide(snapshot);
        if (this.#act(snapshot, decision) === "record") listed.push(snapshot);
        nextMs = Math.min(nextMs, againMs);
      } catch (error) {
        this.#options.log.error("standing-look-failed", { zone: snapshot.zone.id, error });
        nextMs = Math.min(nextMs, LOOK_HELD_MS);
      }
    }
    if (!this.#list(listed)) nextMs = LOOK_HELD_MS;
    if (Number.isFinite(nextMs)) this.#cancel = this.#options.clock.after(nextMs, () => this.#look());
  }

  /** What follows for an open zone (undefined while that is not known), and in how many milliseconds it is to be asked again. */
  #decide({ zone, isCarriedOver }: ZoneSnapshot): {
    decision: StandingDecision | undefined;
    againMs: number;
  } {
    const { register, orders, journal, clock, isUnfinished, standingAgainMs } = this.#options;
    const nowMs = clock.monotonicMs();
    const standing = this.#standing.get(zone.id) ?? { wasHeld: false, finishedMs: undefined };
    this.#standing.set(zone.id, standing);
    const sinceStartMs = nowMs - this.#startedMs;
    if (isCarriedOver && sinceStartMs < CARRIED_OVER_MS)
      return { decision: "nothing", againMs: CARRIED_OVER_MS - sinceStartMs };
    if (register.fateOf(zone).state !== "waiting") {
      standing.wasHeld = true;
      standing.finishedMs = undefined;
      return { decision: undefined, againMs: this.#heldMs(zone) };
    }
    if (orders.gates.isUnknown(zone)) return { decision: undefined, againMs: LOOK_NAMED_MS };
    const opening = journal.restores.currentOpening(zone.id);
    const interventionId = opening?.interventionId ?? null;
    const isGoingOn = interventionId !== null && isUnfinished(interventionId);
    standing.finishedMs = isFinished(opening, isGoingOn) ? (standing.finishedMs ?? nowMs) : undefined;
    const finishedForMs = nowMs - (standing.finishedMs ?? nowMs);
    const decision = decideStanding(
      { zone, opening, isUnfinished: isGoingOn, wasHeld: standing.wasHeld, finishedForMs },
      standingAgainMs,
    );
    const leftMs = standingAgainMs - finishedForMs;
    return { decision, againMs: leftMs > 0 ? Math.min(leftMs, LOOK_NAMED_MS) : LOOK_NAMED_MS };
  }

  /** A gate by a schedule opens at whole minutes, a shutdown ends after hours; all other holds are looked at often. */
  #heldMs(zone: Zone): number {
    const { orders, clock } = this.#options;
    const isSlow = !orders.isWalkTest && orders.bypassOf(zone.id) === undefined && !orders.gates.isExit(zone);
    return isSlow ? LOOK_NAMED_MS - (clock.wallMs() % LOOK_NAMED_MS) : LOOK_HELD_MS;
  }

  #act({ zone, sinceWallMs }: ZoneSnapshot, decision: StandingDecision | undefined): typeof decision {
    const { register, journal, log, onTrip } = this.#options;
    if (decision === "condition") this.#raise(zone, sinceWallMs);
    else this.#clear(zone.id);
    if (decision !== "trip") return decision;
    journal.commit({ zoneId: zone.id, trips: [register.standingTrip(zone, sinceWallMs)] });
    this.#decided(zone.id);
    log.info("zone-standing", { zone: zone.id, as: "trip" });
    onTrip();
    return decision;
  }

  /** One record for each objective lists the zones that stand open there. @returns whether all of it is in the journal */
  #list(found: readonly ZoneSnapshot[]): boolean {
    let isWhole = true;
    const { journal, clock, bootId, time, site, newKey, log, onTrip } = this.#options;
    const moment = { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs: clock.monotonicMs() };
    const objectives = new Set(found.map(objectiveOf));
    for (const objective of objectives) {
      const zones = found
        .filter((snapshot) => objectiveOf(snapshot) === objective)
        .map(({ zone, sinceWallMs }) => ({ zone, sinceWallMs, key: newKey() }));
      try {
        journal.commitStanding(newStanding({ zones, moment, isDated: time.isTrusted() }, site));
      } catch (error) {
        // The zones are still open at the next look.
        log.error("standing-look-failed", { zones: zones.map(({ zone }) => zone.id), error });
        isWhole = false;
        continue;
      }
      for (const { zone } of zones) this.#decided(zone.id);
      log.info("zones-standing", { zones: zones.map(({ zone }) => zone.id), as: "record" });
      onTrip();
    }
    return isWhole;
  }

  #decided(zoneId: string): void {
    this.#standing.set(zoneId, { wasHeld: false, finishedMs: undefined });
  }

  #raise(zone: Zone, sinceWallMs: number | null): void {
    this.#conditions.add(zone.id);
    const since = sinceWallMs === null ? "?" : new Date(sinceWallMs).toISOString();
    this.#options.conditions.raise("zone-open", { zone: zone.name, since }, zone.id);
  }

  #clear(zoneId: string): void {
    if (this.#conditions.delete(zoneId)) this.#options.conditions.clear("zone-open", zoneId);
  }

  #openZones(): ZoneSnapshot[] {
    return this.#options.monitor.zones().filter(({ contact }) => contact === "open");
  }
}

function isFinished(opening: Trip | undefined, isGoingOn: boolean): boolean {
  return !isGoingOn && (opening?.state === "posted" || opening?.state === "merged");
}

function objectiveOf({ zone }: ZoneSnapshot): string {
  return `${zone.objective.type}/${zone.objective.id}`;
}

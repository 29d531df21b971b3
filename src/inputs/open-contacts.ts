import type { CancelTimer, Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { cleanText } from "../domain/intervention-text.ts";
import {
  decideStanding,
  type RecordCover,
  type StandingDecision,
  type ZoneInRecord,
} from "../domain/standing.ts";
import { newStanding } from "../domain/trip-rows.ts";
import type { Trip, TripSite } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { TripRegister } from "./trip-register.ts";
import type { ZoneEngine, ZoneSnapshot } from "./zone-engine.ts";
import type { ZoneOverrides } from "./zone-overrides.ts";

export interface StandingContactsOptions {
  readonly monitor: ZoneEngine;
  readonly orders: ZoneOverrides;
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
  /** What an intervention says of a zone, by the zone's name as it stands in texts. */
  readonly zoneInRecord: (interventionId: number, zoneName: string) => ZoneInRecord;
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
/** Looks follow each other no faster: a flapping contact must not have two hundred others looked at each time. */
const LOOKS_APART_MS = 250;
/** An opening that was only counted, because there were too many, is reported once it has lasted this long. */
const COUNTED_MS = 3_000;
/** What the journal says of a contact before the restart counts once its sensor has had this long to say otherwise. */
const CARRIED_OVER_MS = 5_000;
const NO_RECORD: ZoneInRecord = { cover: "finished", changedWallMs: null };

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
  #lookedMs = -Infinity;
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
    const { clock } = this.#options;
    const waitMs = Math.max(0, this.#lookedMs + LOOKS_APART_MS - clock.monotonicMs());
    this.#cancel = clock.after(waitMs, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    this.#isSoon = false;
    this.#lookedMs = this.#options.clock.monotonicMs();
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
  #decide({ zone, sinceWallMs, isCarriedOver }: ZoneSnapshot): {
    decision: StandingDecision | undefined;
    againMs: number;
  } {
    const { register, orders, journal, clock, zoneInRecord, standingAgainMs } = this.#options;
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
    if (register.isUnstored(zone.id) && clock.wallMs() - (sinceWallMs ?? 0) < COUNTED_MS)
      return { decision: "nothing", againMs: COUNTED_MS };
    const opening = journal.restores.currentOpening(zone.id);
    const interventionId = opening?.interventionId ?? null;
    const { cover, changedWallMs } =
      interventionId === null ? NO_RECORD : zoneInRecord(interventionId, cleanText(zone.name));
    standing.finishedMs = isFinished(opening, cover)
      ? (standing.finishedMs ?? nowMs - this.#sinceChangeMs(changedWallMs))
      : undefined;
    const finishedForMs = nowMs - (standing.finishedMs ?? nowMs);
    const decision = decideStanding(
      {
        zone,
        opening,
        record: cover,
        wasHeld: standing.wasHeld || register.isUnstored(zone.id),
        finishedForMs,
      },
      standingAgainMs,
    );
    // Without knowing that the gate is open nothing is sent out, but the contact is not kept quiet.
    if (orders.gates.isUnknown(zone) && decision !== "nothing")
      return { decision: "condition", againMs: LOOK_NAMED_MS };
    const leftMs = standingAgainMs - finishedForMs;
    return { decision, againMs: leftMs > 0 ? Math.min(leftMs, LOOK_NAMED_MS) : LOOK_NAMED_MS };
  }

  /** How long ago a record was set done, as far as the clock can say: a restart does not begin the wait again. */
  #sinceChangeMs(changedWallMs: number | null): number {
    const { clock, time, standingAgainMs } = this.#options;
    if (changedWallMs === null || !time.isTrusted()) return 0;
    return Math.min(Math.max(0, clock.wallMs() - changedWallMs), standingAgainMs);
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
    this.#options.register.markStored(zoneId);
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

function isFinished(opening: Trip | undefined, cover: RecordCover): boolean {
  return cover === "finished" && (opening?.state === "posted" || opening?.state === "merged");
}

function objectiveOf({ zone }: ZoneSnapshot): string {
  return `${zone.objective.type}/${zone.objective.id}`;
}

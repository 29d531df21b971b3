import { isoTime, type CancelTimer } from "../domain/clock.ts";
import { cleanText } from "../domain/intervention-text.ts";
import {
  decideOpenContact,
  isFinished,
  type FindZoneInRecord,
  type OpenContactDecision,
  type ZoneInRecord,
} from "../domain/open-contact.ts";
import { refText } from "../domain/objective.ts";
import { newOpenContactRows } from "../domain/trip-rows.ts";
import type { OpenContactsCause } from "../domain/trip-text.ts";
import type { Trip } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { TripRegister } from "./trip-register.ts";
import type { ZoneContext } from "./zone-context.ts";
import type { ZoneEngine } from "./zone-engine.ts";
import type { ZoneOverrides } from "./zone-overrides.ts";
import type { ZoneSnapshot } from "./zone-reload.ts";

export interface OpenContactsOptions extends ZoneContext {
  readonly monitor: ZoneEngine;
  readonly zoneOverrides: ZoneOverrides;
  readonly register: TripRegister;
  readonly zoneInRecord: FindZoneInRecord;
}

/** What is known of a zone while it is open. */
interface OpenZoneMemory {
  /** Its trips have been suppressed since it opened, and no decision was made since. */
  wasSuppressed: boolean;
  /** Time at which its intervention was done, monotonic. */
  finishedMs: number | undefined;
}

/** A zone to list in a record. */
type ListedZone = ZoneSnapshot & { readonly cause: OpenContactsCause };
type Decided = { decision: OpenContactDecision | undefined; againMs: number; cause?: OpenContactsCause };

/** Check interval for a zone in a bypass, walk test or exit delay; an open zone must be reported within 5 s. */
const CHECK_SUPPRESSED_MS = 4_000;
/** Check interval for a zone that a record or condition names; most changes request a check at once. */
const CHECK_NAMED_MS = 60_000;
/** Minimum time between checks, because a chattering contact would check all other zones each time. */
const CHECK_SPACING_MS = 250;
/** The same as a multiple of what a check takes: in a burst with hundreds of open zones, trips would wait for it. */
const CHECK_SPACING_RATIO = 20;
/** An opening that was only counted, because there were too many, is reported after this time, or once the clock was set. */
const COUNTED_MS = 3_000;
/** Time after the start before a stored contact state counts, so that its sensor can report first. */
const STORED_STATE_MS = 5_000;
const NO_RECORD: ZoneInRecord = { cover: "finished", changedWallMs: null };

/**
 * Checks open contacts. What suppressed their trips (a closed gate, a bypass, a walk test, a swinger shutdown) ends
 * without an edge, and so does the work on an intervention. Every zone that is open while armed must be named by a record
 * or a condition.
 */
export class OpenContacts {
  readonly #options: OpenContactsOptions;
  readonly #open = new Map<string, OpenZoneMemory>();
  readonly #conditions = new Set<string>();
  /** The names of all zones, as in texts. */
  #names: readonly string[] = [];
  #cancel: CancelTimer | undefined;
  #isRequested = false;
  #checkedMs = -Infinity;
  #spacingMs = CHECK_SPACING_MS;
  #startedMs = 0;
  #isStopped = true;
  /** How long a life safety contact may stay open after its intervention is done. */
  readonly #standingAgainMs: number;

  constructor(options: OpenContactsOptions) {
    this.#options = options;
    this.#standingAgainMs = options.site.standingAgainS * 1000;
  }

  start(): void {
    this.#isStopped = false;
    this.#startedMs = this.#options.clock.monotonicMs();
    this.requestCheck();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isRequested = false;
  }

  /** Requests a check of open zones; to be called when a zone, a suppression or an intervention may have changed. */
  requestCheck(): void {
    if (this.#isStopped || this.#isRequested) return;
    this.#isRequested = true;
    this.#cancel?.();
    const { clock } = this.#options;
    const waitMs = Math.max(0, this.#checkedMs + this.#spacingMs - clock.monotonicMs());
    this.#cancel = clock.after(waitMs, () => this.#check());
  }

  #check(): void {
    const { clock } = this.#options;
    this.#cancel = undefined;
    this.#isRequested = false;
    this.#checkedMs = clock.monotonicMs();
    const nextMs = this.#checkAll();
    const slowMs = CHECK_SPACING_RATIO * (clock.monotonicMs() - this.#checkedMs);
    this.#spacingMs = Math.min(Math.max(CHECK_SPACING_MS, slowMs), CHECK_SUPPRESSED_MS);
    if (Number.isFinite(nextMs)) this.#cancel = clock.after(nextMs, () => this.#check());
  }

  /** @returns the milliseconds until the next check; infinite if none is needed */
  #checkAll(): number {
    const zones = this.#options.monitor.zones();
    this.#names = zones.map(({ zone }) => cleanText(zone.name));
    const open = zones.filter(({ contact }) => contact === "open");
    const isOpen = new Set(open.map(({ zone }) => zone.id));
    for (const id of this.#open.keys()) if (!isOpen.has(id)) this.#open.delete(id);
    for (const id of this.#conditions) if (!isOpen.has(id)) this.#clear(id);
    const listed: ListedZone[] = [];
    let nextMs = Infinity;
    for (const snapshot of open) {
      try {
        const { decision, againMs, cause = "armed" } = this.#decide(snapshot);
        if (this.#act(snapshot, decision) === "record") listed.push({ ...snapshot, cause });
        nextMs = Math.min(nextMs, againMs);
      } catch (error) {
        this.#options.log.error("open-contacts-check-failed", { zone: snapshot.zone.id, error });
        this.#options.journal.noteError(error);
        nextMs = Math.min(nextMs, CHECK_SUPPRESSED_MS);
      }
    }
    return this.#list(listed) ? nextMs : CHECK_SUPPRESSED_MS;
  }

  /** The decision for an open zone (undefined while suppressed) with its cause, and the milliseconds until its next check. */
  #decide({ zone, sinceWallMs, isCarriedOver }: ZoneSnapshot): Decided {
    const { register, zoneOverrides, journal, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const standing = this.#open.get(zone.id) ?? { wasSuppressed: false, finishedMs: undefined };
    this.#open.set(zone.id, standing);
    const sinceStartMs = nowMs - this.#startedMs;
    if (isCarriedOver && sinceStartMs < STORED_STATE_MS)
      return { decision: "nothing", againMs: STORED_STATE_MS - sinceStartMs };
    if (register.dispositionOf(zone).state !== "waiting") {
      standing.wasSuppressed = true;
      standing.finishedMs = undefined;
      return { decision: undefined, againMs: this.#suppressedCheckMs(zone) };
    }
    if (register.isUnstored(zone.id) && Math.abs(clock.wallMs() - (sinceWallMs ?? 0)) < COUNTED_MS)
      return { decision: "nothing", againMs: COUNTED_MS };
    const opening = journal.restores.currentOpening(zone.id);
    const { cover, changedWallMs } = this.#inRecord(zone, opening);
    standing.finishedMs = isFinished(opening, cover)
      ? (standing.finishedMs ?? nowMs - this.#sinceChangeMs(changedWallMs))
      : undefined;
    const finishedForMs = nowMs - (standing.finishedMs ?? nowMs);
    const wasSuppressed = standing.wasSuppressed || register.isUnstored(zone.id);
    const contact = { zone, opening, record: cover, wasSuppressed, finishedForMs };
    const decision = decideOpenContact(contact, this.#standingAgainMs);
    // If it is unknown whether the gate is open, a condition is raised and nothing is dispatched.
    if (zoneOverrides.gates.isUnknown(zone) && decision !== "nothing")
      return { decision: "condition", againMs: CHECK_NAMED_MS };
    const remainingMs = this.#standingAgainMs - finishedForMs;
    const againMs = remainingMs > 0 ? Math.min(remainingMs, CHECK_NAMED_MS) : CHECK_NAMED_MS;
    const isAfterAlarm = isFinished(opening, cover) && !wasSuppressed;
    return { decision, againMs, cause: isAfterAlarm ? "after-alarm" : "armed" };
  }

  /** What the record of an opening says about the zone; by the name that it had then, if it was renamed since. */
  #inRecord(zone: Zone, opening: Trip | undefined): ZoneInRecord {
    const { interventionId = null, signal } = opening ?? {};
    if (interventionId === null) return NO_RECORD;
    const now = this.#options.zoneInRecord(interventionId, cleanText(zone.name), this.#names);
    return now.cover === "unnamed" && signal?.name
      ? this.#options.zoneInRecord(interventionId, signal.name, this.#names)
      : now;
  }

  /** Time since a record was changed, if the clock is trusted, so that a restart does not restart the wait. */
  #sinceChangeMs(changedWallMs: number | null): number {
    const { clock, time } = this.#options;
    if (changedWallMs === null || !time.isTrusted()) return 0;
    return Math.min(Math.max(0, clock.wallMs() - changedWallMs), this.#standingAgainMs);
  }

  /** A scheduled gate opens at whole minutes and a swinger shutdown lasts hours; other suppressions are checked often. */
  #suppressedCheckMs(zone: Zone): number {
    const { zoneOverrides, clock } = this.#options;
    const isBypassed = zoneOverrides.bypassOf(zone.id) !== undefined;
    const isSlow = !zoneOverrides.isWalkTest && !isBypassed && !zoneOverrides.gates.isExit(zone);
    return isSlow ? CHECK_NAMED_MS - (clock.wallMs() % CHECK_NAMED_MS) : CHECK_SUPPRESSED_MS;
  }

  #act({ zone, sinceWallMs }: ZoneSnapshot, decision: OpenContactDecision | undefined): typeof decision {
    const { register, journal, log, onTrip } = this.#options;
    if (decision === "condition") this.#raise(zone, sinceWallMs);
    else this.#clear(zone.id);
    if (decision !== "trip") return decision;
    journal.commit({ zoneId: zone.id, trips: [register.openContactTrip(zone, sinceWallMs)] });
    this.#decided(zone.id);
    log.info("zone-standing", { zone: zone.id, as: "trip" });
    onTrip();
    return decision;
  }

  /** Creates one record for each objective and cause, with its open zones. @returns whether all of them were stored */
  #list(found: readonly ListedZone[]): boolean {
    let isComplete = true;
    const { journal, clock, bootId, time, site, newKey, log, onTrip } = this.#options;
    const moment = { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs: clock.monotonicMs() };
    const when = { moment, isDated: time.isTrusted() };
    const recordOf = ({ zone, cause }: ListedZone): string => `${cause} ${refText(zone.objective)}`;
    for (const record of new Set(found.map(recordOf))) {
      const listed = found.filter((one) => recordOf(one) === record);
      const zones = listed.map(({ zone, sinceWallMs }) => ({ zone, sinceWallMs, key: newKey() }));
      const cause = listed[0]?.cause ?? "armed";
      try {
        journal.commitOpenContacts(newOpenContactRows({ zones, cause, ...when }, site));
      } catch (error) {
        // The zones are still open at the next check.
        log.error("open-contacts-check-failed", { zones: zones.map(({ zone }) => zone.id), error });
        isComplete = false;
        continue;
      }
      for (const { zone } of zones) this.#decided(zone.id);
      log.info("zones-standing", { zones: zones.map(({ zone }) => zone.id), as: "record", cause });
      onTrip();
    }
    return isComplete;
  }

  #decided(zoneId: string): void {
    this.#open.set(zoneId, { wasSuppressed: false, finishedMs: undefined });
    this.#options.register.markStored(zoneId);
  }

  #raise(zone: Zone, sinceWallMs: number | null): void {
    this.#conditions.add(zone.id);
    const since = sinceWallMs === null ? "?" : isoTime(sinceWallMs);
    this.#options.conditions.raise("zone-open", { zone: zone.name, since }, zone.id);
  }

  #clear(zoneId: string): void {
    if (this.#conditions.delete(zoneId)) this.#options.conditions.clear("zone-open", zoneId);
  }
}

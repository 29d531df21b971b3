import {
  HEADLINE_ITEMS_MAX,
  headlineOf,
  type Headline,
  type HeadlineFacts,
  type HeadlineZone,
} from "../domain/headline.ts";
import { isLifeSafetySubject } from "../domain/incident.ts";
import { waitingForMs, type OutboxSummary } from "../domain/outbox.ts";
import type { Trip } from "../domain/trip.ts";
import { byUrgency } from "../domain/urgency.ts";
import {
  NEWEST_ALARMS_MAX,
  NOTHING_UNFINISHED,
  type NewestAlarm,
  type UnfinishedCounts,
  type UnfinishedRecord,
} from "../store/unfinished-records.ts";
import type { ReadOr } from "./damaged-pages.ts";
import type { SiteParts } from "./site-parts.ts";

type OtherFacts = Pick<HeadlineFacts, "isRead" | "sites" | "isWalkTest" | "delayed"> & {
  readonly zones: readonly HeadlineZone[];
  readonly outbox: OutboxSummary;
};

/** Tolerance for starts in the future: clocks of two machines may differ. */
export const STARTED_TOLERANCE_MS = 3_600_000;
/** Maximum records of a group that are read, most urgent first. */
const CHECKED_MAX = 1_000;
/** Maximum unrecorded trips that are counted: a long outage of the local API leaves thousands. */
const UNRECORDED_MAX = 1_000;

/** Whether a local trip created a record, and of which kind. */
type TripOfRecord = "none" | "life-safety" | "other";

/** Collects the facts for the headline. */
export class SiteHeadline {
  readonly #parts: SiteParts;
  readonly #readOr: ReadOr;
  /** The local trip that created a record, by uid; this never changes. */
  readonly #trips = new Map<string, TripOfRecord>();

  constructor(parts: SiteParts, readOr: ReadOr) {
    this.#parts = parts;
    this.#readOr = readOr;
  }

  read({ outbox, ...others }: OtherFacts): Headline {
    const { clock, journal, health } = this.#parts;
    const { waiting, blocked, rejected, gone, doubtful } = outbox;
    const oldestMs = waitingForMs(outbox, clock.wallMs());
    const records = this.#records();
    const unrecorded = this.#readOr(() => journal.trips.unrecordedZones(UNRECORDED_MAX), [], "journal.db");
    return headlineOf({
      ...others,
      ...records,
      // Afterwards: the records may be on a damaged page.
      conditions: health.list(),
      stuck: blocked + rejected + gone + doubtful,
      unrecorded,
      backlog: { waiting, oldestMs },
    });
  }

  /** Unfinished records that are an alarm by their fields or made by a local trip; at most 1,000 of each. */
  alarmRecords(): UnfinishedRecord[] {
    const startedMs = this.#startedMs();
    const worst = (group: keyof UnfinishedCounts): UnfinishedRecord[] =>
      this.#worst(group, startedMs, CHECKED_MAX);
    const own = worst("work").filter((record) => this.#isMadeByTrip(record));
    return [...worst("alarms"), ...own, ...this.#ownAhead(worst)];
  }

  /**
   * The newest unfinished alarms, newest first, however urgent they are; null while they cannot be read.
   * @param alarms those of `alarmRecords`, which has alarms that only their trips make one
   */
  newestAlarms(alarms: readonly UnfinishedRecord[]): readonly NewestAlarm[] | null {
    const newest = this.#readOr(() => this.#parts.unfinished.newestAlarms(this.#startedMs()), null);
    if (!newest) return null;
    const byId = new Map([...alarms, ...newest].map(({ id, name }) => [id, { id, name }]));
    return [...byId.values()].toSorted((a, b) => b.id - a.id).slice(0, NEWEST_ALARMS_MAX);
  }

  /** Starts up to this time count as started, milliseconds since 1970. */
  #startedMs(): number {
    const { clock, host } = this.#parts;
    // With a clock in the past, all starts are in the future; count them as started rather than miss an alarm.
    return host.time.isTrusted() ? clock.wallMs() + STARTED_TOLERANCE_MS : Number.MAX_SAFE_INTEGER;
  }

  /** Unfinished records: alarms by their fields, and records created by a local trip. */
  #records(): Pick<HeadlineFacts, "alarms" | "work" | "planned"> {
    const { unfinished } = this.#parts;
    const startedMs = this.#startedMs();
    const counts = this.#readOr(() => unfinished.counts(startedMs), NOTHING_UNFINISHED);
    const worst = (group: keyof UnfinishedCounts, limit: number): UnfinishedRecord[] =>
      counts[group] === 0 ? [] : this.#worst(group, startedMs, limit);
    const work = worst("work", CHECKED_MAX);
    const ownWork = work.filter((record) => this.#isMadeByTrip(record));
    const own = [...ownWork, ...this.#ownAhead(worst)];
    const alarms = this.#mostUrgent([...own, ...worst("alarms", CHECKED_MAX)]);
    const others = work.filter((record) => !ownWork.includes(record));
    return {
      alarms: { count: counts.alarms + own.length, worst: alarms },
      work: {
        count: counts.work - ownWork.length,
        worst: others.toSorted((a, b) => this.#byPlace(a, b)).slice(0, HEADLINE_ITEMS_MAX),
      },
      planned: counts.alarmsAhead + counts.workAhead - (own.length - ownWork.length),
    };
  }

  /** The most urgent records of a group; without those on a damaged page, which the counts still have. */
  #worst(group: keyof UnfinishedCounts, startedMs: number, limit: number): UnfinishedRecord[] {
    const { unfinished } = this.#parts;
    return (
      this.#readOr(() => unfinished.worst(group, startedMs, limit), undefined) ??
      this.#readOr(() => unfinished.readable(group, startedMs, limit), [])
    );
  }

  /** Records of trips count as started even with a start in the future: the clock may have been set back. */
  #ownAhead(worst: (group: keyof UnfinishedCounts, limit: number) => UnfinishedRecord[]): UnfinishedRecord[] {
    return (["alarmsAhead", "workAhead"] as const)
      .flatMap((group) => worst(group, CHECKED_MAX))
      .filter((record) => this.#isMadeByTrip(record));
  }

  /** The newest first at a site; a dispatch centre keeps the order in which they were read, which has sites and priorities. */
  #byPlace(a: UnfinishedRecord, b: UnfinishedRecord): number {
    return this.#parts.config.role === "centre" ? 0 : b.id - a.id;
  }

  /** Life safety first, then what the dispatch centre does not have, then by `#byPlace`. */
  #mostUrgent(records: readonly UnfinishedRecord[]): readonly UnfinishedRecord[] {
    const { config, unfinished } = this.#parts;
    const isKnownThere = ({ id }: UnfinishedRecord): boolean =>
      this.#readOr(() => unfinished.isArrivedOrClosed(id), false);
    return records
      .map((record) => ({
        record,
        isLifeSafety: record.isRescue === 1 || this.#tripOf(record) === "life-safety",
        isUndelivered: config.upstream !== null && !isKnownThere(record),
      }))
      .toSorted((a, b) => byUrgency(a, b) || this.#byPlace(a.record, b.record))
      .slice(0, HEADLINE_ITEMS_MAX)
      .map(({ record }) => record);
  }

  #isMadeByTrip(record: UnfinishedRecord): boolean {
    return this.#tripOf(record) !== "none";
  }

  #tripOf({ uid }: UnfinishedRecord): TripOfRecord {
    const known = this.#trips.get(uid);
    if (known !== undefined) return known;
    if (this.#trips.size > CACHED_MAX) this.#trips.clear();
    const { trips } = this.#parts.journal;
    const trip = this.#readOr<Trip | undefined | null>(() => trips.find(uid), null, "journal.db");
    // It may be found after the recovery of the journal.
    if (trip === null) return "none";
    const found =
      trip?.type !== "trip" ? "none" : isLifeSafetySubject(trip.subject) ? "life-safety" : "other";
    this.#trips.set(uid, found);
    return found;
  }
}

/** Cache size; several times one read. */
const CACHED_MAX = 8 * CHECKED_MAX;

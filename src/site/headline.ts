import {
  HEADLINE_ITEMS_MAX,
  headlineOf,
  type Headline,
  type HeadlineFacts,
  type HeadlineZone,
} from "../domain/headline.ts";
import type { OutboxSummary } from "../domain/outbox.ts";
import type { UnfinishedCounts, UnfinishedRecord } from "../store/unfinished-records.ts";
import type { SiteParts } from "./site-parts.ts";

/** Facts from other components of the site. */
type OtherFacts = Pick<HeadlineFacts, "isRead" | "isSite" | "conditions" | "isWalkTest"> & {
  readonly zones: readonly HeadlineZone[];
  readonly outbox: OutboxSummary;
};

/** Tolerance for starts in the future: clocks of two machines may differ. */
export const STARTED_TOLERANCE_MS = 3_600_000;
/** Maximum records without an alarm priority that are checked for a trip in the journal, newest first. */
const CHECKED_MAX = 1_000;
/** Maximum unrecorded trips that are counted: a long outage of the local API leaves thousands. */
const UNRECORDED_MAX = 1_000;

/** Collects the facts for the headline. */
export class SiteHeadline {
  readonly #parts: SiteParts;
  /** Whether a local trip created the record, by uid; this never changes. */
  readonly #madeByTrip = new Map<string, boolean>();

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  read({ outbox, ...others }: OtherFacts): Headline {
    const { clock, journal } = this.#parts;
    const { waiting, blocked, rejected, gone, oldestWaitingMs } = outbox;
    const oldestMs = oldestWaitingMs === null ? 0 : Math.max(0, clock.wallMs() - oldestWaitingMs);
    return headlineOf({
      ...others,
      ...this.#records(),
      stuck: blocked + rejected + gone,
      unrecorded: journal.trips.unrecordedZones(UNRECORDED_MAX),
      backlog: { waiting, oldestMs },
    });
  }

  /** Unfinished records that are an alarm by their fields or made by a local trip; the newest, at most 1,000 of each. */
  alarmRecords(): UnfinishedRecord[] {
    const startedMs = this.#startedMs();
    const newest = (group: keyof UnfinishedCounts): UnfinishedRecord[] =>
      this.#parts.unfinished.newest(group, startedMs, CHECKED_MAX);
    const own = newest("work").filter((record) => this.#isMadeByTrip(record));
    return [...newest("alarms"), ...own, ...this.#ownAhead(newest)];
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
    const counts = unfinished.counts(startedMs);
    const newest = (group: keyof UnfinishedCounts, limit: number): UnfinishedRecord[] =>
      counts[group] === 0 ? [] : unfinished.newest(group, startedMs, limit);
    const work = newest("work", CHECKED_MAX);
    const ownWork = work.filter((record) => this.#isMadeByTrip(record));
    const own = [...ownWork, ...this.#ownAhead(newest)];
    const alarms = [...own, ...newest("alarms", HEADLINE_ITEMS_MAX)].toSorted((a, b) => b.id - a.id);
    const others = work.filter((record) => !ownWork.includes(record));
    return {
      alarms: { count: counts.alarms + own.length, newest: alarms.slice(0, HEADLINE_ITEMS_MAX) },
      work: { count: counts.work - ownWork.length, newest: others.slice(0, HEADLINE_ITEMS_MAX) },
      planned: counts.alarmsAhead + counts.workAhead - (own.length - ownWork.length),
    };
  }

  /** Records of trips count as started even with a start in the future: the clock may have been set back. */
  #ownAhead(
    newest: (group: keyof UnfinishedCounts, limit: number) => UnfinishedRecord[],
  ): UnfinishedRecord[] {
    return (["alarmsAhead", "workAhead"] as const)
      .flatMap((group) => newest(group, CHECKED_MAX))
      .filter((record) => this.#isMadeByTrip(record));
  }

  #isMadeByTrip({ uid }: UnfinishedRecord): boolean {
    const known = this.#madeByTrip.get(uid);
    if (known !== undefined) return known;
    if (this.#madeByTrip.size > CACHED_MAX) this.#madeByTrip.clear();
    const isTrip = this.#parts.journal.trips.find(uid)?.type === "trip";
    this.#madeByTrip.set(uid, isTrip);
    return isTrip;
  }
}

/** Cache size; several times one read. */
const CACHED_MAX = 8 * CHECKED_MAX;

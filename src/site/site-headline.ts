import type { Clock, TrustedTime } from "../domain/clock.ts";
import {
  HEADLINE_ITEMS_MAX,
  headlineOf,
  type Headline,
  type HeadlineFacts,
  type HeadlineZone,
} from "../domain/headline.ts";
import type { Journal } from "../store/journal.ts";
import type {
  UnfinishedCounts,
  UnfinishedInterventions,
  UnfinishedRecord,
} from "../store/unfinished-records.ts";

export interface SiteHeadlineParts {
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly unfinished: UnfinishedInterventions;
  readonly journal: Pick<Journal, "trips" | "unrecorded">;
}

/** What the rest of the site says of itself. */
export type OtherFacts = Pick<HeadlineFacts, "isRead" | "conditions" | "isWalkTest" | "stuck"> & {
  readonly zones: readonly HeadlineZone[];
  readonly waiting: number;
  /** Wall clock of the oldest waiting record's last change, milliseconds since 1970; null when none waits. */
  readonly oldestWaitingMs: number | null;
};

/** A start so close ahead is now: clocks of two machines are minutes apart. */
const CLOCKS_APART_MS = 3_600_000;
/** Records that ask for work alone are looked up in the journal, the newest first: a leak's record is one of them. */
const LOOKED_UP_MAX = 1_000;
/** Trips without a record that are counted: a local API that is away for long leaves thousands. */
const UNRECORDED_MAX = 1_000;

/** Collects the facts that the headline is made of. */
export class SiteHeadline {
  readonly #parts: SiteHeadlineParts;
  /** Whether a trip of ours made the record of that identity, which never changes. */
  readonly #madeByTrip = new Map<string, boolean>();

  constructor(parts: SiteHeadlineParts) {
    this.#parts = parts;
  }

  read({ waiting, oldestWaitingMs, ...others }: OtherFacts): Headline {
    const { clock, journal } = this.#parts;
    const oldestMs = oldestWaitingMs === null ? 0 : Math.max(0, clock.wallMs() - oldestWaitingMs);
    return headlineOf({
      ...others,
      ...this.#records(),
      unrecorded: journal.unrecorded.zones(UNRECORDED_MAX),
      backlog: { waiting, oldestMs },
    });
  }

  /** The unfinished records: those that are an alarm by their own fields, and those that a trip of ours made. */
  #records(): Pick<HeadlineFacts, "alarms" | "work" | "planned"> {
    const { clock, time, unfinished } = this.#parts;
    // By a clock in the past every start lies ahead; an alarm too many is better than one too few.
    const startedMs = time.isTrusted() ? clock.wallMs() + CLOCKS_APART_MS : Number.MAX_SAFE_INTEGER;
    const counts = unfinished.counts(startedMs);
    const newest = (group: keyof UnfinishedCounts, limit: number): UnfinishedRecord[] =>
      counts[group] === 0 ? [] : unfinished.newest(group, startedMs, limit);
    const work = newest("work", LOOKED_UP_MAX);
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

  /** What a trip has made is now, whatever its date says: the clock may have been set back since. */
  #ownAhead(
    newest: (group: keyof UnfinishedCounts, limit: number) => UnfinishedRecord[],
  ): UnfinishedRecord[] {
    return (["alarmsAhead", "workAhead"] as const)
      .flatMap((group) => newest(group, LOOKED_UP_MAX))
      .filter((record) => this.#isMadeByTrip(record));
  }

  #isMadeByTrip({ uid }: UnfinishedRecord): boolean {
    const known = this.#madeByTrip.get(uid);
    if (known !== undefined) return known;
    if (this.#madeByTrip.size > REMEMBERED_MAX) this.#madeByTrip.clear();
    const isIt = this.#parts.journal.trips.find(uid)?.type === "trip";
    this.#madeByTrip.set(uid, isIt);
    return isIt;
  }
}

/** More than is looked up at once, so that a look does not ask the journal again. */
const REMEMBERED_MAX = 8 * LOOKED_UP_MAX;

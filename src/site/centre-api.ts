import { isoTime, type Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { LoggedEvent } from "../domain/event.ts";
import {
  HEADLINE_ITEMS_MAX,
  headlineOf,
  SITES_UNKNOWN,
  type Headline,
  type KnownSites,
} from "../domain/headline.ts";
import { Instant } from "../domain/instant.ts";
import { STANDALONE } from "../domain/link-status.ts";
import type { Config } from "../config/config.ts";
import { VERSION } from "../generated/version.ts";
import type { ConditionRegistry } from "../ops/condition-registry.ts";
import {
  NOTHING_UNFINISHED,
  type NewestAlarm,
  type UnfinishedCounts,
  type UnfinishedRecord,
} from "../store/unfinished-records.ts";
import { centreJourneys, type UnfinishedAtCentre } from "./centre-journeys.ts";
import { STARTED_TOLERANCE_MS } from "./headline.ts";
import type { JourneyView } from "./journey-view.ts";
import { unfinishedOf } from "./journeys.ts";
import type { SiteApi } from "./site-api.ts";
import type { StatusView } from "./status-view.ts";
import { EMPTY_SUMMARY } from "./sync-queue.ts";
import { entryOfEvent, HISTORY_MAX, type TimelineCursor, type TimelinePage } from "./timeline.ts";
import { SiteUtcOffset } from "./utc-offset.ts";

/** The unfinished interventions, in whatever database they are. */
export interface UnfinishedReader {
  /** @param startedMs starts up to this time count as started, milliseconds since 1970 */
  counts(startedMs: number): Promise<UnfinishedCounts>;
  worst(group: "alarms" | "work", startedMs: number, limit: number): Promise<readonly UnfinishedRecord[]>;
  newestAlarms(startedMs: number): Promise<readonly NewestAlarm[]>;
  /** Those of these records that exist, in any order. */
  details(ids: readonly number[]): Promise<readonly UnfinishedAtCentre[]>;
}

/** The event log, in whatever database it is. */
interface EventReader {
  newest(limit: number, before?: number): Promise<LoggedEvent[]>;
  about(subject: string, limit: number): Promise<LoggedEvent[]>;
  /** Changes with each event that is stored, and again when it is shown; `recent` is less than `RECENT_MAX`. */
  place(): Promise<{ readonly newest: number; readonly stored: number; readonly recent: number }>;
}

interface CentreApiParts {
  readonly config: Pick<Config, "site" | "role">;
  readonly clock: Clock;
  readonly health: ConditionRegistry;
  readonly unfinished: UnfinishedReader;
  /** The sites that have an account or a report, in whatever database they are. */
  readonly sites: { read(): Promise<KnownSites> };
  readonly events: EventReader;
}

/** The site API of a dispatch centre with a shared database: status and history; it has no zones and no upstream. */
export function centreApi(parts: CentreApiParts): SiteApi {
  const status = new CentreStatus(parts);
  const history = new CentreTimeline(parts.events);
  const objectives = { centre: null, lists: [], reading: null, differences: [] };
  return {
    status: () => status.read(),
    zones: without<SiteApi["zones"]>({ list: async () => [], lifeSafetySuppressed: async () => [] }),
    tests: without<SiteApi["tests"]>({ walk: async () => null }),
    walkTests: without<SiteApi["walkTests"]>({ list: async () => [] }),
    outputs: without<SiteApi["outputs"]>({ list: async () => [] }),
    sync: without<SiteApi["sync"]>({
      recordOf: async () => null,
      recordsOf: async () => [],
      view: async () => NOTHING_QUEUED,
      attention: async () => NOTHING_QUEUED,
    }),
    monitoring: without<SiteApi["monitoring"]>({ ofRecord: async () => [] }),
    objectives: without<SiteApi["objectives"]>({ view: async () => objectives }),
    timeline: without<SiteApi["timeline"]>({
      zones: async () => [],
      trips: async () => [],
      page: (limit: number, after?: TimelineCursor) => history.page(limit, after),
      place: () => history.place(),
      history: (id: number) => history.about(id),
    }),
  };
}

/** The given methods; all others of the port answer that a dispatch centre does not have what they are about. */
function without<Port extends object>(methods: { readonly [Name in keyof Port]?: unknown }): Port {
  const missing = async (): Promise<never> => {
    throw new AppError("not-found", "a dispatch centre has no zones, no trips and no upstream");
  };
  return new Proxy(methods, {
    get: (target, name) => (target as Record<PropertyKey, unknown>)[name] ?? missing,
  }) as Port;
}

const NOTHING_QUEUED = {
  link: STANDALONE,
  summary: EMPTY_SUMMARY,
  comparison: null,
  records: [],
  isComplete: true,
};

class CentreStatus {
  readonly #parts: CentreApiParts;
  readonly #started: Instant;
  readonly #utcOffset = new SiteUtcOffset();

  constructor(parts: CentreApiParts) {
    this.#parts = parts;
    this.#started = new Instant(parts.clock);
  }

  async read(): Promise<StatusView> {
    const { clock, config } = this.#parts;
    const { name, ref, timezone } = config.site;
    const startedMs = clock.wallMs() + STARTED_TOLERANCE_MS;
    // Null without the database: of alarms that cannot be read, none is over.
    const newest = orWithoutDatabase<readonly NewestAlarm[] | null>(
      this.#parts.unfinished.newestAlarms(startedMs),
      null,
    );
    const [headline, newestAlarms] = await Promise.all([this.#headline(startedMs), newest]);
    return {
      version: VERSION,
      role: config.role,
      site: { name, ref, timezone },
      utcOffset: this.#utcOffset.at(clock.wallMs(), timezone),
      startedAt: isoTime(this.#started.wallMs),
      headline,
      journeys: await this.#journeys(headline),
      newestAlarms,
      alarmZones: [],
      lastAlarm: null,
      centrePhone: null,
      lifeSafetySuppressed: [],
      conditions: this.#parts.health.list(),
      trips: { waiting: 0, refused: 0 },
      messages: [],
      outbox: EMPTY_SUMMARY,
      link: STANDALONE,
      comparison: null,
      monitoring: null,
      brokerPort: null,
      supply: null,
    };
  }

  async #journeys(headline: Headline): Promise<readonly JourneyView[]> {
    const ids = unfinishedOf(headline).map(({ id }) => id);
    if (ids.length === 0) return [];
    return centreJourneys(headline, await orWithoutDatabase(this.#parts.unfinished.details(ids), []));
  }

  /** @param startedMs starts up to this time count as started, milliseconds since 1970 */
  async #headline(startedMs: number): Promise<Headline> {
    const { health, unfinished, sites } = this.#parts;
    // At once: without the database each of them waits for it.
    const [known, counts] = await Promise.all([
      orWithoutDatabase(sites.read(), SITES_UNKNOWN),
      orWithoutDatabase(unfinished.counts(startedMs), NOTHING_UNFINISHED),
    ]);
    const group = async (name: "alarms" | "work") => ({
      count: counts[name],
      worst:
        counts[name] === 0
          ? []
          : await orWithoutDatabase(unfinished.worst(name, startedMs, HEADLINE_ITEMS_MAX), []),
    });
    return headlineOf({
      isRead: true,
      sites: known,
      alarms: await group("alarms"),
      work: await group("work"),
      planned: counts.alarmsAhead + counts.workAhead,
      unrecorded: [],
      zones: [],
      delayed: new Set(),
      conditions: health.list(),
      isWalkTest: false,
      stuck: 0,
      backlog: { waiting: 0, oldestMs: 0 },
    });
  }
}

/** Without the database the condition is all there is to say. */
async function orWithoutDatabase<Value>(reading: Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return otherwise;
    throw error;
  }
}

/** More than an event log counts among its last numbers. */
const RECENT_MAX = 1_000;

/** The event log as a timeline; a centre has no trips. */
class CentreTimeline {
  readonly #events: EventReader;

  constructor(events: EventReader) {
    this.#events = events;
  }

  /** @param after end of the previous page */
  async page(limit: number, after?: TimelineCursor): Promise<TimelinePage> {
    const events = await this.#events.newest(limit + 1, after?.event);
    const shown = events.slice(0, limit);
    const last = shown.at(-1);
    return {
      entries: shown.map(entryOfEvent),
      next: events.length > limit && last ? { event: last.seq, trip: 0 } : null,
    };
  }

  /** In the place of trips, what changes when an event is stored, or is shown after its successors. */
  async place(): Promise<TimelineCursor> {
    const { newest, stored, recent } = await this.#events.place();
    return { event: newest, trip: stored * RECENT_MAX + recent };
  }

  async about(interventionId: number) {
    const events = await this.#events.about(`intervention ${interventionId}`, HISTORY_MAX);
    return { entries: events.map(entryOfEvent), sync: null, journey: null, zones: [], setThere: [] };
  }
}

import type { Request, Router } from "express";
import { URGENT_PRIORITY_ORDER, type OutboxEntry } from "../domain/outbox.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import { shownPhase } from "../domain/shown-phase.ts";
import { shownLink } from "../domain/link-status.ts";
import { linkStretches, SAMPLE_EVERY_MS } from "../domain/link-history.ts";
import { CHANGE_WAITS_TEXT, PHASE_TEXTS } from "../domain/outbox-phase-text.ts";
import type { Remote } from "../domain/remote.ts";
import type { Config } from "../config/config.ts";
import { isoTime, type Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { idsOf } from "../http/list-filters.ts";
import { parametersOf } from "../http/lists.ts";
import { addResource, idFromPath, json } from "../http/resource.ts";
import type { LinkSampleStore } from "../store/link-samples.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { SyncPort } from "../sync/sync-port.ts";
import { hoursOf } from "./request-parameters.ts";
import type { SiteApi } from "./site-api.ts";
import { SyncQueue } from "./sync-queue.ts";
import type {
  CentreTrialView,
  LinkHistoryView,
  LinkView,
  SyncAction,
  SyncRecordStatus,
  SyncRecordView,
  SyncView,
} from "./sync-view.ts";

const ACTIONS: readonly SyncAction[] = ["retry", "drop", "reassert"];

/** Routes of the sync: all users may read, operators and administrators may act. */
export function syncRoutes(router: Router, guards: AuthGuards, sync: SiteApi["sync"]): void {
  addResource(router, "/site/sync", guards.signedIn, {
    get: json((request) => (isAttentionOnly(request) ? sync.attention() : sync.view())),
  });
  addResource(router, "/site/sync/history", guards.signedIn, {
    get: json((request) => sync.history(hoursOf(request))),
  });
  addResource(router, "/site/sync/records", guards.api, {
    get: json((request) => sync.recordsOf(idsOf(request))),
  });
  addResource(router, "/site/sync/now", guards.api, { post: json(() => sync.now()) });
  addResource(router, "/site/sync/try-centre", guards.api, { post: json(() => sync.tryCentre()) });
  for (const action of ACTIONS)
    addResource(router, `/site/sync/:id/${action}`, guards.api, {
      post: json((request) => sync.act(idFromPath(request, "intervention"), action)),
    });
}

const RECORDS_SHOWN = 200;
/** More than a site has: its records are read in less than a second, and only on request of a user. */
const ATTENTION_MAX = 10_000;
/** Five minutes each for a day, two and a half hours for a month. */
const INTERVALS = 288;
const HOUR_MS = 3_600_000;

interface SiteSyncParts {
  readonly config: Pick<Config, "upstream" | "zones">;
  readonly clock: Clock;
  readonly outbox: OutboxStore;
  readonly linkSamples: LinkSampleStore;
  readonly sync: Remote<SyncPort>;
}

/** State of the sync and actions on it. */
export class SiteSync {
  readonly #parts: SiteSyncParts;
  readonly #queue: SyncQueue;

  constructor(parts: SiteSyncParts) {
    this.#parts = parts;
    this.#queue = new SyncQueue(parts);
  }

  async view(): Promise<SyncView> {
    return this.#viewWith(() => this.#queue.pending(RECORDS_SHOWN));
  }

  /** As `view`, with all records that need attention and no others. */
  async attention(): Promise<SyncView> {
    return this.#viewWith(() => ({
      entries: this.#queue.needingAttention(ATTENTION_MAX),
      isComplete: false,
    }));
  }

  /** Link states and waiting times of the last `hours`. */
  history(hours: number): LinkHistoryView {
    const untilMs = this.#parts.clock.wallMs();
    const sinceMs = untilMs - hours * HOUR_MS;
    const samples = this.#parts.linkSamples.between(sinceMs - SAMPLE_EVERY_MS, untilMs);
    const intervals = linkStretches(samples, { sinceMs, untilMs, count: INTERVALS });
    return {
      since: isoTime(sinceMs),
      until: isoTime(untilMs),
      intervals: intervals.map(({ up, down, oldestUnsentS }) => ({
        up: Math.round(up * 1000) / 1000,
        down: Math.round(down * 1000) / 1000,
        oldestUnsentS,
      })),
    };
  }

  /** Sync state of one record; null for a standalone daemon or without an outbox entry. */
  async recordOf(interventionId: number): Promise<SyncRecordStatus | null> {
    const [record = null] = await this.recordsOf([interventionId]);
    return record;
  }

  /** Sync states of these records, without those that have no outbox entry. */
  async recordsOf(interventionIds: readonly number[]): Promise<readonly SyncRecordStatus[]> {
    const link = await this.#parts.sync.link();
    return interventionIds
      .flatMap((id) => this.#queue.find(id) ?? [])
      .map((entry) => ({ ...this.#viewOf(entry, link), isSynced: isSynced(entry) }));
  }

  /** Retries everything now. */
  async now(): Promise<SyncView> {
    await this.#parts.sync.now();
    return this.view();
  }

  /** Tests the dispatch centre, as `SyncPort.tryCentre`. */
  async tryCentre(): Promise<CentreTrialView> {
    const { sync, config, clock } = this.#parts;
    const findings = await sync.tryCentre(config.zones);
    return { at: isoTime(clock.wallMs()), findings };
  }

  /** Runs an action on one record that needs attention, as `SyncPort.act`. @returns a view that has the record unless it is synced */
  async act(interventionId: number, action: SyncAction): Promise<SyncView> {
    await this.#parts.sync.act(interventionId, action);
    const view = await this.view();
    const entry = this.#queue.find(interventionId);
    const isListed = view.records.some((record) => record.interventionId === interventionId);
    if (view.isComplete || isListed || !entry || isSynced(entry)) return view;
    return { ...view, records: [...view.records, this.#viewOf(entry, await this.#parts.sync.link())] };
  }

  async #viewWith(read: () => ReturnType<SyncQueue["pending"]>): Promise<SyncView> {
    const link = await this.#parts.sync.link();
    const summary = this.#queue.summary();
    const { entries, isComplete } = read();
    const records = entries.map((entry) => this.#viewOf(entry, link));
    return {
      link: shownLink(link, summary),
      summary,
      comparison: this.#queue.comparison(),
      records,
      isComplete,
    };
  }

  #viewOf(entry: OutboxEntry, link: LinkView): SyncRecordView {
    const { interventionId, upstreamId, attempts, lastError } = entry;
    const phase = shownPhase(entry);
    return {
      interventionId,
      name: this.#parts.outbox.nameOf(entry),
      phase,
      text: phase === "linked" && !isSynced(entry) ? CHANGE_WAITS_TEXT : PHASE_TEXTS[phase],
      upstreamId,
      attempts,
      nextAttemptAt: nextAttemptAt(entry, link, this.#parts.clock.wallMs()),
      lastResponse: lastError,
    };
  }
}

/** When a record is sent again: not before the link is tried, which an alarm does sooner than the others. */
function nextAttemptAt(entry: OutboxEntry, link: LinkView, nowMs: number): string | null {
  const own = entry.nextAtMs > nowMs ? isoTime(entry.nextAtMs) : null;
  if (isSynced(entry) || UNSENT_PHASES.has(entry.phase)) return own;
  const isAlarm = entry.priorityOrder === URGENT_PRIORITY_ORDER;
  const ofLink = isAlarm ? link.alarmNextAttemptAt : link.nextAttemptAt;
  return own !== null && ofLink !== null && own > ofLink ? own : (ofLink ?? own);
}

/** Phases in which nothing is sent before a person decides. */
const UNSENT_PHASES: ReadonlySet<OutboxPhase> = new Set(["rejected", "gone"]);

function isSynced(entry: OutboxEntry): boolean {
  const { phase, wantRev, syncedRev } = entry;
  return phase === "closed" || (shownPhase(entry) === "linked" && wantRev <= syncedRev);
}

/** The `records` of a request. @throws AppError `invalid` */
function isAttentionOnly(request: Request): boolean {
  const wanted = parametersOf(request.originalUrl).get("records");
  if (wanted !== null && wanted !== "attention") throw new AppError("invalid", "records must be attention");
  return wanted !== null;
}

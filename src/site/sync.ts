import type { Router } from "express";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { OutboxEntry, OutboxSummary } from "../domain/outbox.ts";
import { shownPhase } from "../domain/shown-phase.ts";
import { linkStretches, SAMPLE_EVERY_MS } from "../domain/link-history.ts";
import { DIFFERENCE_WORDS, PHASE_WORDS } from "../domain/outbox-phase-text.ts";
import { objectiveOf } from "../domain/test-record.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { addResource, idOf, json } from "../http/resource.ts";
import type { Sync } from "../sync/sync.ts";
import { hoursOf } from "./request-parameters.ts";
import type { SiteParts } from "./site-parts.ts";
import type {
  CentreTrialView,
  ComparisonView,
  LinkHistoryView,
  LinkView,
  SyncAction,
  SyncRecordStatus,
  SyncRecordView,
  SyncView,
} from "./sync-view.ts";

const ACTIONS: readonly SyncAction[] = ["retry", "drop", "reassert"];

/** Routes of the sync: all users may read, operators and administrators may act. */
export function syncRoutes(router: Router, guards: AuthGuards, sync: SiteSync): void {
  addResource(router, "/site/sync", guards.signedIn, { get: json(() => sync.view()) });
  addResource(router, "/site/sync/history", guards.signedIn, {
    get: json((request) => sync.history(hoursOf(request))),
  });
  addResource(router, "/site/sync/now", guards.api, { post: json(() => sync.now()) });
  addResource(router, "/site/sync/try-centre", guards.api, { post: json(() => sync.tryCentre()) });
  for (const action of ACTIONS)
    addResource(router, `/site/sync/:id/${action}`, guards.api, {
      post: json((request) => sync.act(idOf(request, "intervention"), action)),
    });
}

const RECORDS_SHOWN = 200;
/** Five minutes each for a day, two and a half hours for a month. */
const INTERVALS = 288;
const HOUR_MS = 3_600_000;
const EMPTY_SUMMARY: OutboxSummary = {
  waiting: 0,
  blocked: 0,
  rejected: 0,
  gone: 0,
  doubtful: 0,
  rejectedAlarms: 0,
  oldestWaitingMs: null,
};

/** State of the sync and actions on it. */
export class SiteSync {
  readonly #parts: SiteParts;

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  get #sync(): Sync | undefined {
    return this.#parts.sync;
  }

  view(): SyncView {
    const entries = this.#sync ? this.#parts.outbox.pending(RECORDS_SHOWN) : [];
    return {
      link: this.link(),
      summary: this.summary(),
      comparison: this.comparison(),
      records: entries.map((entry) => this.#viewOf(entry)),
    };
  }

  /** Link states and waiting times of the last `hours`. */
  history(hours: number): LinkHistoryView {
    const untilMs = this.#parts.clock.wallMs();
    const sinceMs = untilMs - hours * HOUR_MS;
    const samples = this.#parts.journal.linkSamples.between(sinceMs - SAMPLE_EVERY_MS, untilMs);
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

  /** Empty for a standalone daemon, although the outbox keeps entries for a later dispatch centre. */
  summary(): OutboxSummary {
    return this.#sync ? this.#parts.outbox.summary() : EMPTY_SUMMARY;
  }

  /** Sync state of one record; null for a standalone daemon or without an outbox entry. */
  recordOf(interventionId: number): SyncRecordStatus | null {
    const entry = this.#sync && this.#parts.outbox.find(interventionId);
    if (!entry) return null;
    const { phase, wantRev, syncedRev } = entry;
    const isSynced = phase === "closed" || (shownPhase(entry) === "linked" && wantRev <= syncedRev);
    return { ...this.#viewOf(entry), isSynced };
  }

  /** Retries everything now. */
  async now(): Promise<SyncView> {
    await this.#sync?.now();
    return this.view();
  }

  /**
   * Tests the dispatch centre with records that are removed again.
   * @throws AppError `conflict` for a standalone daemon
   */
  async tryCentre(): Promise<CentreTrialView> {
    if (!this.#sync)
      throw new AppError("conflict", "standalone mode: no dispatch centre configured", {
        hint: "Set upstream in the configuration.",
      });
    const { findings } = await this.#sync.trials.run(objectiveOf(this.#parts.config.zones));
    return { at: isoTime(this.#parts.clock.wallMs()), findings };
  }

  /**
   * Runs an action on one record that needs attention.
   * @throws AppError `not-found`; `conflict` if the action does not apply or the dispatch centre cannot be read now
   */
  async act(interventionId: number, action: SyncAction): Promise<SyncView> {
    if (!this.#sync) throw new AppError("conflict", "standalone mode: no dispatch centre configured");
    await this.#sync[action](interventionId);
    return this.view();
  }

  /** Last comparison with the dispatch centre. */
  comparison(): ComparisonView | null {
    const compared = this.#sync ? this.#parts.outbox.comparison() : null;
    if (!compared) return null;
    const { atMs, differences, ...counts } = compared;
    return {
      at: isoTime(atMs),
      ...counts,
      differences: differences.map((difference) => ({
        ...difference,
        text: DIFFERENCE_WORDS[difference.kind],
      })),
    };
  }

  link(): LinkView {
    if (!this.#sync) return { state: "none", reason: null, nextAttemptAt: null, answeredAt: null };
    const { state, reason, waitMs, answeredAgoMs } = this.#sync.link;
    // Rounded to seconds, so that repeated requests return the same time.
    const nextAttemptMs = Math.round((this.#parts.clock.wallMs() + waitMs) / 1000) * 1000;
    const nowMs = this.#parts.clock.wallMs();
    const answeredAt =
      answeredAgoMs === null ? null : isoTime(Math.floor((nowMs - answeredAgoMs) / 10_000) * 10_000);
    return { state, reason, nextAttemptAt: waitMs > 0 ? isoTime(nextAttemptMs) : null, answeredAt };
  }

  /** Current link state and age of the oldest queued record; undefined for a standalone daemon. */
  linkSample(): { state: Exclude<LinkView["state"], "none">; oldestWaitingMs: number | null } | undefined {
    const { state } = this.link();
    return state === "none" ? undefined : { state, oldestWaitingMs: this.summary().oldestWaitingMs };
  }

  #viewOf(entry: OutboxEntry): SyncRecordView {
    const { interventionId, upstreamId, attempts, nextAtMs, lastError } = entry;
    const phase = shownPhase(entry);
    return {
      interventionId,
      name: this.#parts.outbox.nameOf(entry),
      phase,
      text: PHASE_WORDS[phase],
      upstreamId,
      attempts,
      nextAttemptAt: nextAtMs > this.#parts.clock.wallMs() ? isoTime(nextAtMs) : null,
      lastResponse: lastError,
    };
  }
}

import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { OutboxEntry, OutboxSummary } from "../domain/outbox.ts";
import { shownPhase } from "../domain/shown-phase.ts";
import { linkStretches, SAMPLE_EVERY_MS } from "../domain/link-history.ts";
import { DIFFERENCE_WORDS, PHASE_WORDS } from "../domain/outbox-phase-text.ts";
import type {
  CentreTrialView,
  ComparisonView,
  LinkHistoryView,
  LinkView,
  SyncRecordStatus,
  SyncAction,
  SyncPort,
  SyncRecordView,
  SyncView,
} from "../http/site/sync-port.ts";
import type { Zone } from "../domain/zone.ts";
import type { LinkSampleStore } from "../store/link-samples.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { Sync } from "../sync/sync.ts";
import { objectiveOf } from "../domain/test-record.ts";
import { isoTime } from "./iso-time.ts";

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

/** Data and actions of the sync for the /site routes. */
export class SiteSync implements SyncPort {
  readonly #outbox: OutboxStore;
  readonly #parts: { readonly sync: Sync | undefined };
  readonly #clock: Clock;
  readonly #samples: LinkSampleStore;
  readonly #zones: readonly Pick<Zone, "objective">[];

  /** @param parts `sync` is undefined for a standalone daemon */
  constructor(parts: {
    readonly outbox: OutboxStore;
    readonly sync: Sync | undefined;
    readonly clock: Clock;
    readonly journal: { readonly linkSamples: LinkSampleStore };
    readonly config: { readonly zones: readonly Pick<Zone, "objective">[] };
  }) {
    this.#outbox = parts.outbox;
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#samples = parts.journal.linkSamples;
    this.#zones = parts.config.zones;
  }

  /** Read on each use: a reload may replace it. */
  get #sync(): Sync | undefined {
    return this.#parts.sync;
  }

  view(): SyncView {
    const entries = this.#sync ? this.#outbox.pending(RECORDS_SHOWN) : [];
    return {
      link: this.link(),
      summary: this.summary(),
      comparison: this.comparison(),
      records: entries.map((entry) => this.#viewOf(entry)),
    };
  }

  history(hours: number): LinkHistoryView {
    const untilMs = this.#clock.wallMs();
    const sinceMs = untilMs - hours * HOUR_MS;
    const samples = this.#samples.between(sinceMs - SAMPLE_EVERY_MS, untilMs);
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
    return this.#sync ? this.#outbox.summary() : EMPTY_SUMMARY;
  }

  /** Sync state of one record; null for a standalone daemon or without an outbox entry. */
  recordOf(interventionId: number): SyncRecordStatus | null {
    const entry = this.#sync && this.#outbox.find(interventionId);
    if (!entry) return null;
    const { phase, wantRev, syncedRev } = entry;
    const isSynced = phase === "closed" || (shownPhase(entry) === "linked" && wantRev <= syncedRev);
    return { ...this.#viewOf(entry), isSynced };
  }

  async now(): Promise<SyncView> {
    await this.#sync?.now();
    return this.view();
  }

  async tryCentre(): Promise<CentreTrialView> {
    if (!this.#sync)
      throw new AppError("conflict", "standalone mode: no dispatch centre configured", {
        hint: "Set upstream in the configuration.",
      });
    const { findings } = await this.#sync.trials.run(objectiveOf(this.#zones));
    return { at: isoTime(this.#clock.wallMs()), findings };
  }

  async act(interventionId: number, action: SyncAction): Promise<SyncView> {
    if (!this.#sync) throw new AppError("conflict", "standalone mode: no dispatch centre configured");
    await this.#sync[action](interventionId);
    return this.view();
  }

  /** Last comparison with the dispatch centre. */
  comparison(): ComparisonView | null {
    const compared = this.#sync ? this.#outbox.comparison() : null;
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
    const nextAttemptMs = Math.round((this.#clock.wallMs() + waitMs) / 1000) * 1000;
    const nowMs = this.#clock.wallMs();
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
      name: this.#outbox.nameOf(entry),
      phase,
      text: PHASE_WORDS[phase],
      upstreamId,
      attempts,
      nextAttemptAt: nextAtMs > this.#clock.wallMs() ? isoTime(nextAtMs) : null,
      lastResponse: lastError,
    };
  }
}

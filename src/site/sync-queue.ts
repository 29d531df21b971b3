import type { Config } from "../config/config.ts";
import { isoTime } from "../domain/clock.ts";
import type { OutboxEntry, OutboxSummary } from "../domain/outbox.ts";
import { DIFFERENCE_TEXTS } from "../domain/outbox-phase-text.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { ComparisonView } from "./sync-view.ts";

/** Without a dispatch centre. */
export const EMPTY_SUMMARY: OutboxSummary = {
  waiting: 0,
  waitingAlarms: 0,
  blocked: 0,
  rejected: 0,
  gone: 0,
  doubtful: 0,
  rejectedAlarms: 0,
  oldestWaitingMs: null,
};

/** The queue of records for the dispatch centre; empty for a standalone daemon, although entries are kept for a later one. */
export class SyncQueue {
  readonly #config: Pick<Config, "upstream">;
  readonly #outbox: OutboxStore;

  constructor(parts: { readonly config: Pick<Config, "upstream">; readonly outbox: OutboxStore }) {
    this.#config = parts.config;
    this.#outbox = parts.outbox;
  }

  summary(): OutboxSummary {
    return this.#config.upstream ? this.#outbox.summary() : EMPTY_SUMMARY;
  }

  pending(limit: number): ReturnType<OutboxStore["pending"]> {
    return this.#config.upstream ? this.#outbox.pending(limit) : { entries: [], isComplete: true };
  }

  needingAttention(limit: number): OutboxEntry[] {
    return this.#config.upstream ? this.#outbox.needingAttention(limit) : [];
  }

  /** Undefined for a standalone daemon or without an outbox entry. */
  find(interventionId: number): OutboxEntry | undefined {
    return this.#config.upstream ? this.#outbox.find(interventionId) : undefined;
  }

  /** Last comparison with the dispatch centre. */
  comparison(): ComparisonView | null {
    const compared = this.#config.upstream ? this.#outbox.comparison() : null;
    if (!compared) return null;
    const { atMs, differences, ...counts } = compared;
    return {
      at: isoTime(atMs),
      ...counts,
      differences: differences.map((difference) => ({
        ...difference,
        text: DIFFERENCE_TEXTS[difference.kind],
      })),
    };
  }
}

import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { PHASE_WORDS } from "../domain/outbox-words.ts";
import type { LinkView, SyncAction, SyncPort, SyncRecordView, SyncView } from "../http/site/sync-port.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { Sync } from "../sync/sync.ts";
import { isoTime } from "./iso-time.ts";

const RECORDS_SHOWN = 200;

/** The way to the centre as people see it. */
export class SiteSync implements SyncPort {
  readonly #outbox: OutboxStore;
  readonly #sync: Sync | undefined;
  readonly #clock: Clock;

  /** @param parts `sync` is undefined for a daemon that stands alone */
  constructor(parts: {
    readonly outbox: OutboxStore;
    readonly sync: Sync | undefined;
    readonly clock: Clock;
  }) {
    this.#outbox = parts.outbox;
    this.#sync = parts.sync;
    this.#clock = parts.clock;
  }

  view(): SyncView {
    const outbox = this.#outbox;
    const records = outbox
      .pending(RECORDS_SHOWN)
      .map((entry) => recordView(entry, outbox.nameOf(entry), this.#clock.wallMs()));
    return { link: this.link(), summary: outbox.summary(), records };
  }

  async now(): Promise<SyncView> {
    await this.#sync?.now();
    return this.view();
  }

  async act(interventionId: number, action: SyncAction): Promise<SyncView> {
    if (!this.#sync)
      throw new AppError("conflict", "this daemon stands alone: it has no centre to bring records to");
    await this.#sync[action](interventionId);
    return this.view();
  }

  link(): LinkView {
    if (!this.#sync) return { state: "none", reason: null, nextTryAt: null };
    const { state, reason, waitMs } = this.#sync.link;
    // In whole seconds: whoever asks again meanwhile must see the same moment.
    const nextTryMs = Math.round((this.#clock.wallMs() + waitMs) / 1000) * 1000;
    return { state, reason, nextTryAt: waitMs > 0 ? isoTime(nextTryMs) : null };
  }
}

/** An outbox entry as people see it. */
export function recordView(entry: OutboxEntry, name: string, nowMs: number): SyncRecordView {
  const { interventionId, phase, upstreamId, attempts, nextAtMs, lastError } = entry;
  return {
    interventionId,
    name,
    phase,
    text: PHASE_WORDS[phase],
    upstreamId,
    attempts,
    nextTryAt: nextAtMs > nowMs ? isoTime(nextAtMs) : null,
    lastAnswer: lastError,
  };
}

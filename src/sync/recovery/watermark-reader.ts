import type { Clock } from "../../domain/clock.ts";
import type { Watermark } from "../../domain/list-reading.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import type { SyncStore } from "../sync-store.ts";
import { checkHighestId, type LinkedIdHistory } from "./upstream-restore.ts";
import { readTop } from "./record-search.ts";

/**
 * How long a highest id stays valid. One that is too low only costs reading, and no centre is restored from a
 * backup in a minute.
 */
const VALID_MS = 60_000;
/** Shorter than an idle connection is kept open. */
const REFRESH_MS = 3_000;

/** The centre's highest id, or the reason why it cannot be read. */
export type WatermarkOutcome = Watermark | { readonly outcome: ReadOutcome };

export interface WatermarkReaderParts {
  readonly store: SyncStore;
  readonly linkedIds: LinkedIdHistory;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Reads the centre's highest id once for all records that are sent within a minute. */
export class WatermarkReader {
  readonly #parts: WatermarkReaderParts;
  #last: { readonly watermark: Watermark; readonly atMs: number } | undefined;
  #inFlight: Promise<WatermarkOutcome> | undefined;
  /** Number of times that readings were discarded, including those in flight. */
  #resets = 0;

  constructor(parts: WatermarkReaderParts) {
    this.#parts = parts;
  }

  /** Returns a valid id, from memory if possible. */
  read(centre: UpstreamClient): Promise<WatermarkOutcome> {
    return this.#last && this.#ageMs < VALID_MS ? Promise.resolve(this.#last.watermark) : this.fresh(centre);
  }

  /** Reads the id again; concurrent calls share one request. */
  fresh(centre: UpstreamClient): Promise<WatermarkOutcome> {
    if (this.#inFlight) return this.#inFlight;
    const reading = this.#request(centre).finally(() => {
      if (this.#inFlight === reading) this.#inFlight = undefined;
    });
    this.#inFlight = reading;
    return reading;
  }

  /**
   * Refreshes the id every few seconds, which keeps the connection open and searches short. Link faults are
   * detected by the records themselves.
   */
  async keepFresh(centre: UpstreamClient): Promise<void> {
    if (this.#ageMs >= REFRESH_MS) await this.fresh(centre);
  }

  get #ageMs(): number {
    return this.#last ? this.#parts.clock.monotonicMs() - this.#last.atMs : Number.POSITIVE_INFINITY;
  }

  /** Discards the id: the centre may have been restored from a backup. */
  reset(): void {
    this.#last = undefined;
    this.#inFlight = undefined;
    this.#resets += 1;
  }

  async #request(centre: UpstreamClient): Promise<WatermarkOutcome> {
    const { linkedIds, clock } = this.#parts;
    const resets = this.#resets;
    const atMs = clock.monotonicMs();
    const linkedId = linkedIds.id;
    const read = await readTop(centre);
    if (!("watermark" in read)) return read;
    const { watermark, isHighest } = read;
    if (isHighest) checkHighestId(this.#parts, watermark.id, linkedId);
    if (resets === this.#resets) this.#last = { watermark, atMs };
    return watermark;
  }
}

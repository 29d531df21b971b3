import type { Clock } from "../domain/clock.ts";
import type { Watermark } from "../domain/list-reading.ts";
import type { ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { SyncStore } from "./sync-store.ts";
import { checkHighestId, type LinkedIdHistory } from "./upstream-restore.ts";
import { readTop } from "./record-search.ts";

/**
 * A reading of the highest id is good for this long: one that is too low costs only reading, and a centre is not restored
 * from a backup in a minute.
 */
const LASTS_MS = 60_000;
/** Less than an idle connection is kept. */
const KEPT_FRESH_MS = 3_000;

/** The centre's highest id, or why it cannot be read. */
export type WatermarkOutcome = Watermark | { readonly outcome: ReadOutcome };

export interface WatermarkReaderParts {
  readonly store: SyncStore;
  readonly linkedIds: LinkedIdHistory;
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** The centre's highest id, read once for all records that are sent within a minute. */
export class WatermarkReader {
  readonly #parts: WatermarkReaderParts;
  #last: { readonly watermark: Watermark; readonly atMs: number } | undefined;
  #underWay: Promise<WatermarkOutcome> | undefined;
  /** How often readings were declared worthless, those under way included. */
  #forgotten = 0;

  constructor(parts: WatermarkReaderParts) {
    this.#parts = parts;
  }

  /** A reading that is good now. */
  read(centre: UpstreamClient): Promise<WatermarkOutcome> {
    return this.#last && this.#ageMs < LASTS_MS ? Promise.resolve(this.#last.watermark) : this.fresh(centre);
  }

  /** A new reading; asked by several at once, it is one request. */
  fresh(centre: UpstreamClient): Promise<WatermarkOutcome> {
    if (this.#underWay) return this.#underWay;
    const reading = this.#ask(centre).finally(() => {
      if (this.#underWay === reading) this.#underWay = undefined;
    });
    this.#underWay = reading;
    return reading;
  }

  /**
   * Reads it again every few seconds, which keeps the connection warm that it takes, and the searches short. The records
   * themselves find out what is wrong with the line.
   */
  async keepFresh(centre: UpstreamClient): Promise<void> {
    if (this.#ageMs >= KEPT_FRESH_MS) await this.fresh(centre);
  }

  get #ageMs(): number {
    return this.#last ? this.#parts.clock.monotonicMs() - this.#last.atMs : Number.POSITIVE_INFINITY;
  }

  /** Has the next record read it again: the centre may be another copy of itself. */
  forget(): void {
    this.#last = undefined;
    this.#underWay = undefined;
    this.#forgotten += 1;
  }

  async #ask(centre: UpstreamClient): Promise<WatermarkOutcome> {
    const { linkedIds, clock } = this.#parts;
    const forgotten = this.#forgotten;
    const atMs = clock.monotonicMs();
    const linkedId = linkedIds.id;
    const read = await readTop(centre);
    if (!("watermark" in read)) return read;
    const { watermark, isHighest } = read;
    if (isHighest) checkHighestId(this.#parts, watermark.id, linkedId);
    if (forgotten === this.#forgotten) this.#last = { watermark, atMs };
    return watermark;
  }
}

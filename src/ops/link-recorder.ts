import type { CancelTimer, Clock } from "../domain/clock.ts";
import { SAMPLE_EVERY_MS, type LinkSampleState } from "../domain/link-history.ts";
import type { Log } from "../domain/log.ts";
import { isStorageError } from "../store/database.ts";
import type { LinkSampleStore } from "../store/link-samples.ts";

/** Check interval, which limits the samples of an unstable link. */
const CHECK_INTERVAL_MS = 10_000;

interface LinkRecorderOptions {
  readonly samples: LinkSampleStore;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Returns the link state and the wall clock of the oldest unsent record, null for none. Undefined without a
   * dispatch centre.
   */
  readonly readState: () =>
    | { readonly state: LinkSampleState; readonly oldestWaitingMs: number | null }
    | undefined;
  /** Called with an error of a database; optional. */
  readonly onError?: (error: unknown) => void;
}

/** Stores samples of the link state: at each change, and every five minutes, with the longest wait since the last one. */
export class LinkRecorder {
  readonly #options: LinkRecorderOptions;
  #last: { readonly state: LinkSampleState; readonly atMonotonicMs: number } | undefined;
  /** The longest wait of an unsent record since the last sample, seconds; null if all records were sent. */
  #longestS: number | null = null;
  #cancel: CancelTimer = () => {};

  constructor(options: LinkRecorderOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(CHECK_INTERVAL_MS, () => this.start());
    this.#check();
  }

  stop(): void {
    this.#cancel();
  }

  /** A missing sample is acceptable: disk space is for alarms, and an unreadable database must not stop their processing. */
  #check(): void {
    const { log, onError } = this.#options;
    try {
      this.#sample();
    } catch (error) {
      if (!isStorageError(error)) throw error;
      log.debug("link-sample-write-failed", { error });
      onError?.(error);
    }
  }

  #sample(): void {
    const { samples, clock, readState } = this.#options;
    const current = readState();
    if (!current) return;
    const { state, oldestWaitingMs } = current;
    const atMs = clock.wallMs();
    // Until the next sample it may be sent.
    if (oldestWaitingMs !== null)
      this.#longestS = Math.max(this.#longestS ?? 0, Math.round((atMs - oldestWaitingMs) / 1000));
    const atMonotonicMs = clock.monotonicMs();
    const isDue = this.#last === undefined || atMonotonicMs - this.#last.atMonotonicMs >= SAMPLE_EVERY_MS;
    if (!isDue && state === this.#last?.state) return;
    this.#last = { state, atMonotonicMs };
    const oldestUnsentS = this.#longestS;
    this.#longestS = null;
    samples.add({ atMs, state, oldestUnsentS });
  }
}

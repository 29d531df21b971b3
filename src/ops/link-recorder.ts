import type { CancelTimer, Clock } from "../domain/clock.ts";
import { SAMPLE_EVERY_MS, type LinkSampleState } from "../domain/link-history.ts";
import type { Log } from "../domain/log.ts";
import { isStorageError } from "../store/database.ts";
import type { LinkSampleStore } from "../store/link-samples.ts";

/** A link that comes and goes is written down at most so often. */
const LOOK_EVERY_MS = 10_000;

export interface LinkRecorderOptions {
  readonly samples: LinkSampleStore;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * How the link stands now, and the wall clock of the oldest record that has not left; null when all have. Undefined
   * while there is no centre.
   */
  readonly look: () =>
    | { readonly state: LinkSampleState; readonly oldestWaitingMs: number | null }
    | undefined;
}

/** Writes down how the link to the centre stands: at each change, and every five minutes. */
export class LinkRecorder {
  readonly #options: LinkRecorderOptions;
  #last: { readonly state: LinkSampleState; readonly atMonotonicMs: number } | undefined;
  #cancel: CancelTimer = () => {};

  constructor(options: LinkRecorderOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(LOOK_EVERY_MS, () => this.start());
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { samples, clock, log, look } = this.#options;
    const seen = look();
    if (!seen) return;
    const { state, oldestWaitingMs } = seen;
    const atMonotonicMs = clock.monotonicMs();
    const isDue = this.#last === undefined || atMonotonicMs - this.#last.atMonotonicMs >= SAMPLE_EVERY_MS;
    if (!isDue && state === this.#last?.state) return;
    this.#last = { state, atMonotonicMs };
    const atMs = clock.wallMs();
    const oldestUnsentS =
      oldestWaitingMs === null ? null : Math.max(0, Math.round((atMs - oldestWaitingMs) / 1000));
    try {
      samples.add({ atMs, state, oldestUnsentS });
    } catch (error) {
      // A picture with a gap; what the disk lacks is needed for alarms.
      if (!isStorageError(error)) throw error;
      log.debug("link-sample-write-failed", { error });
    }
  }
}

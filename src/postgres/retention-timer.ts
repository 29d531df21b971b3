import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { PostgresConnections } from "./connection.ts";
import { removeOldRows } from "./retention.ts";
import { serverNow } from "./server-clock.ts";

const INTERVAL_MS = 600_000;
/** Pause between two batches, so that requests are served in between. */
const BATCH_PAUSE_MS = 1_000;

export interface RetentionTimerOptions {
  readonly connections: PostgresConnections;
  readonly clock: Clock;
  readonly log: Log;
  /** Retention of the audit trail, days. */
  readonly auditDays: number;
}

/** Removes old rows every ten minutes; of the processes of a centre one does it at a time. */
export class RetentionTimer {
  readonly #options: RetentionTimerOptions;
  #cancel: CancelTimer = () => {};
  #isStopped = false;
  #triedAtMs: number;
  #removing: Promise<void> = Promise.resolve();

  constructor(options: RetentionTimerOptions) {
    this.#options = options;
    this.#triedAtMs = options.clock.monotonicMs();
  }

  start(delayMs = INTERVAL_MS): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(delayMs, () => {
      this.#removing = this.#remove();
    });
  }

  /** Resolves when no removal is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#removing;
  }

  async #remove(): Promise<void> {
    const { connections, clock, log, auditDays } = this.#options;
    let delayMs = INTERVAL_MS;
    try {
      const nowMs = clock.monotonicMs();
      const uptimeMs = nowMs - this.#triedAtMs;
      const removed = await removeOldRows(connections, await serverNow(connections), { auditDays, uptimeMs });
      this.#triedAtMs = nowMs;
      if (removed !== undefined && removed > 0) delayMs = BATCH_PAUSE_MS;
    } catch (error) {
      if (!(error instanceof AppError)) log.error("retention-failed", { error });
      else log.warn("retention-failed", { reason: messageOf(error) });
    }
    this.start(delayMs);
  }
}

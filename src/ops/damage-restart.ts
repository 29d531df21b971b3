import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { isDamage } from "../store/integrity.ts";
import { requestIntegrityCheck } from "./backups.ts";

interface DamageRestartOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly restarts: DamageRestarts;
  /** Ends this run and starts the next one. */
  readonly restart: () => void;
}

/** The restarts of this process because of damage, over all its runs. */
export interface DamageRestarts {
  /** Monotonic times of the last two, the older one first. */
  atMs: readonly number[];
}

/**
 * Minimum time between two restarts. Each recovery leaves files in quarantine, and a disk that returns other data at
 * each read would fill up with them.
 */
const INTERVAL_MS = 600_000;
/** The same for the second one within an hour: alarms wait for it, and two pages that a power cut has damaged are not always met at once. */
const SECOND_AFTER_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Restarts the daemon when a database is damaged while it runs: only a start recovers it. Until then no reading can be stored,
 * if it is the journal, or no trip becomes a record, if it is `santinela.db`.
 */
export class DamageRestart {
  readonly #options: DamageRestartOptions;
  #cancel: CancelTimer | undefined;
  #isStopped = false;

  constructor(options: DamageRestartOptions) {
    this.#options = options;
  }

  /** To be called with each error of the journal. */
  readonly onJournalError = (error: unknown): void => {
    if (!isDamage(error) || this.#isStopped) return;
    const problem = `journal.db: ${messageOf(error)}`;
    requestIntegrityCheck(this.#options.dataDir, problem);
    this.onDamage(problem);
  };

  /** To be called with damage of either database that was met since the start, for which the next start will check both. */
  readonly onDamage = (problem: string): void => {
    if (this.#isStopped || this.#cancel) return;
    const { clock, log, conditions, restarts, restart } = this.#options;
    conditions.raise("database-damaged", { problem });
    const nowMs = clock.monotonicMs();
    const recent = restarts.atMs.filter((atMs) => nowMs - atMs < HOUR_MS);
    const intervalMs = recent.length === 1 ? SECOND_AFTER_MS : INTERVAL_MS;
    const delayMs = Math.max(0, (recent.at(-1) ?? Number.NEGATIVE_INFINITY) + intervalMs - nowMs);
    log.error("database-damage-restart", { problem, delayMs });
    // Not at once: the reading that met the damage is stored in memory first.
    this.#cancel = clock.after(delayMs, () => {
      restarts.atMs = [...restarts.atMs, clock.monotonicMs()].slice(-2);
      restart();
    });
  };

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }
}

import { RELEASE_WALL_MS, type Clock } from "../domain/clock.ts";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import type { ProcessReportReception } from "../domain/reception.ts";

/** Difference of the two clocks that counts as a clock step. */
const CLOCK_STEP_MS = 10_000;
/**
 * For how long after a start or an outage a refused sign-in of a site counts: ten thousand sites need minutes then. Its password was
 * not compared, and behind a load balancer a stranger has the address of every site: without this limit, wrong passwords could put
 * off the detection of silent sites indefinitely.
 */
const SIGN_INS_COUNT_MS = 600_000;
const OF_THE_CENTRE: ReadonlySet<AppErrorCode> = new Set(["unavailable", "storage", "busy"]);

/** Whether a report, or the sign-in for it, failed for a reason of this centre. Other errors are the client's. */
export function isOfTheCentre(error: unknown): boolean {
  return !(error instanceof AppError) || OF_THE_CENTRE.has(error.code);
}

/**
 * The latest time that a stored report may have. A later one was stored before the clock was set back, perhaps by an earlier process:
 * its site would never be silent.
 * @param nowMs wall clock of the reports
 * @returns undefined while that clock is not set: then the time of every report is later
 */
export function latestReportMs(nowMs: number): number | undefined {
  return nowMs < RELEASE_WALL_MS ? undefined : nowMs + CLOCK_STEP_MS;
}

/**
 * The reports of one process on their way into the database. What it cannot have noticed is not called the silence of a site:
 * reports before its start, during a clock step, refused ones, and those that are not stored yet.
 */
export class ReportIntake {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #beganMs: number;
  #missedMs: number | undefined;
  #signInRefusedMs: number | undefined;
  /** The end of the last stop by the time up to which it concerns sites, in seconds. */
  readonly #stalledMs = new Map<number, number>();
  /** The beginnings of the reports on their way, oldest first; all times of this class are monotonic. */
  readonly #underway = new Set<{ readonly beganMs: number }>();
  #wallMinusMonotonicMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
  }

  /** Called when reports can arrive from now on: the process may have waited for its database until now. */
  began(): void {
    this.#beganMs = this.#clock.monotonicMs();
  }

  /** Stores one report by `work`. @throws what `work` throws */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const report = { beganMs: this.#clock.monotonicMs() };
    this.#underway.add(report);
    try {
      return await work();
    } catch (error) {
      if (isOfTheCentre(error)) this.missed();
      throw error;
    } finally {
      this.#underway.delete(report);
    }
  }

  /**
   * Called when reports may have been missed until now.
   * @param silentS of sites with at most this time, in seconds; of all sites if omitted
   */
  missed(silentS?: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (silentS === undefined) this.#missedMs = nowMs;
    else this.#stalledMs.set(silentS, nowMs);
  }

  /** Called when a site could not sign in, and so not report. It counts only soon after reports were missed for another reason. */
  signInRefused(): void {
    const nowMs = this.#clock.monotonicMs();
    const outageMs = Math.max(this.#beganMs, this.#missedMs ?? 0);
    if (nowMs - outageMs <= SIGN_INS_COUNT_MS) this.#signInRefusedMs = nowMs;
  }

  /** Compares the wall clock of the reports with the time that has passed: if it was set, the times of earlier reports mean nothing. */
  noteClock(wallMs: number): void {
    const difference = wallMs - this.#clock.monotonicMs();
    const before = (this.#wallMinusMonotonicMs ??= difference);
    if (Math.abs(difference - before) <= CLOCK_STEP_MS) return;
    this.#wallMinusMonotonicMs = difference;
    this.missed();
  }

  /** @param wallMs wall clock of the reports now */
  at(wallMs: number): ProcessReportReception {
    const monotonicMs = this.#clock.monotonicMs();
    const [oldest] = this.#underway;
    const wallOf = (ms: number): number => Math.round(wallMs - (monotonicMs - ms));
    const missed = [this.#missedMs, this.#signInRefusedMs].filter((ms) => ms !== undefined);
    return {
      beganMs: wallOf(this.#beganMs),
      missedMs: missed.length === 0 ? null : wallOf(Math.max(...missed)),
      stalls: [...this.#stalledMs].map(([silentS, ms]) => ({ silentS, atMs: wallOf(ms) })),
      completeMs: wallOf(oldest?.beganMs ?? monotonicMs),
    };
  }
}

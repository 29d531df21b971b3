import { join } from "node:path";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import { readJson, writeDurably } from "../store/durable-files.ts";
import type { TrailBreak, TrailReport } from "../store/trail-check.ts";
import { sentenceOfLoss, type DataLoss } from "./data-loss.ts";
import { LossReports } from "./loss-reports.ts";
import { lossOfBreaks, TRAIL_DATABASE } from "./trail-losses.ts";

interface TrailWatchOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The thread that writes the trail. */
  readonly trail: { verifyTrail(): Promise<TrailReport> };
  readonly events: { note(event: NewEvent): void };
  /** Shows a new report. */
  readonly databases: { checkRecoveryReport(): void };
}

/** The records may be restarting. */
const RETRY_MS = 60_000;

/**
 * Verifies the audit trail after each start, and thus after each recovery, salvage and restore: SQLite's checks find no flipped
 * bit in a value and no missing row. It does so once everything runs, because no alarm depends on it. Each break is reported once.
 */
export class TrailWatch {
  readonly #options: TrailWatchOptions;
  #cancel: CancelTimer = () => {};
  #isStopped = false;

  constructor(options: TrailWatchOptions) {
    this.#options = options;
  }

  /** @returns ends it */
  start(): () => void {
    void this.#verify();
    return () => {
      this.#isStopped = true;
      this.#cancel();
    };
  }

  async #verify(): Promise<void> {
    const { trail, clock, log } = this.#options;
    try {
      const { entries, breaks } = await trail.verifyTrail();
      if (this.#isStopped) return;
      log.debug("audit-trail-verified", { entries, breaks: breaks.length });
      this.#report(breaks);
    } catch (error) {
      if (this.#isStopped) return;
      log.warn("audit-trail-verification-failed", { error });
      this.#cancel = clock.after(RETRY_MS, () => void this.#verify());
    }
  }

  /** The loss is stored before its breaks count as reported: a power cut in between repeats the report. */
  #report(breaks: readonly TrailBreak[]): void {
    const { dataDir, clock, log, events, databases } = this.#options;
    const file = join(dataDir, REPORTED);
    const reported = (readJson(file) as readonly string[] | undefined) ?? [];
    const found = breaks.filter((each) => !reported.includes(nameOf(each)));
    if (found.length === 0) return;
    const loss: DataLoss = { database: TRAIL_DATABASE, pages: 0, ...lossOfBreaks(found) };
    log.error("audit-trail-broken", { text: sentenceOfLoss(loss) });
    new LossReports(dataDir).add(loss, clock.wallMs());
    events.note({
      event: "data-lost",
      who: "santinela",
      from: "start",
      subject: loss.database,
      detail: { ...loss },
    });
    // Those that retention has removed meanwhile are forgotten.
    writeDurably(file, `${JSON.stringify(breaks.map(nameOf))}\n`);
    databases.checkRecoveryReport();
  }
}

/** The breaks that have been reported. */
const REPORTED = "trail-breaks.json";

/** The same break in any copy of the database. */
function nameOf({ position, hash }: TrailBreak): string {
  return `${position} ${hash}`;
}

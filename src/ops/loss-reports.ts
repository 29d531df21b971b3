import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Conditions } from "../domain/condition.ts";
import { flush, readJson, writeDurably } from "../store/durable-files.ts";
import type { EventLog } from "../store/event-log.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { AssignedNumbers, type NumberGaps } from "./assigned-numbers.ts";
import { sentenceOfLoss, type DataLoss } from "./data-loss.ts";
import {
  beginAgain,
  clearStaging,
  finishReplacement,
  forgetReplacement,
  type DatabaseName,
  type Replacement,
} from "./database-files.ts";
import { unknownRecovery, type Recovery } from "./recovery.ts";

/** What a start has recovered and found missing. */
export interface LossReport {
  readonly atMs: number;
  readonly recoveries: readonly Recovery[];
  readonly losses: readonly DataLoss[];
  /** Number of trips that are posted again, and the time since which their records are missing. */
  readonly redelivered: number;
  readonly redeliverSinceMs: number;
  /** Numbers without a row, which must not be reported again. */
  readonly gaps: NumberGaps;
}

interface Unreported {
  /** Recoveries without a report. */
  readonly recoveries: readonly Recovery[];
  /** A report that has been written, but whose losses are not accepted yet. */
  readonly report: LossReport | null;
  /** Whether a backup has been restored and the trips that it lacks are not queued yet. */
  readonly isRestored?: boolean;
}

/** A loss that the user has not acknowledged, with the time of its report. */
type NotedLoss = DataLoss & { readonly atMs?: number };

/**
 * The reports of losses: `recovery.txt` for people, `losses.json` for the condition, and the event log. What is to
 * be reported stays in `unreported.json` until then, so that a power cut leaves nothing unreported. A report is
 * written before its losses are accepted, because afterwards they are no longer found.
 */
export class LossReports {
  readonly #dataDir: string;
  #unreported: Unreported;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#unreported = (readJson(this.#path(UNREPORTED)) as Unreported | undefined) ?? {
      recoveries: [],
      report: null,
    };
  }

  /** The recoveries without a report. */
  get recoveries(): readonly Recovery[] {
    return this.#unreported.recoveries;
  }

  /** A report whose losses a power cut has left unaccepted; null for none. */
  get unaccepted(): LossReport | null {
    return this.#unreported.report;
  }

  /** Whether the trips that a restored backup lacks are still to be queued. */
  get isRestored(): boolean {
    return this.#unreported.isRestored === true;
  }

  /** Call it when those trips are queued. */
  endRestore(): void {
    this.#store({ ...this.#unreported, isRestored: false });
  }

  /**
   * Completes each replacement of a database and notes its recovery: after each replacement, and at each start,
   * because a power cut may have interrupted this.
   */
  finishReplacements(nowMs: number): void {
    for (const name of ["journal.db", "santinela.db"] as const) {
      const path = this.#path(name);
      clearStaging(path);
      const found = finishReplacement(path, () => unknownRecovery(this.#dataDir, name, nowMs));
      if (found === undefined) continue;
      if ("sentence" in found) this.#note(found);
      else this.#noteRestore(found);
      forgetReplacement(path);
    }
  }

  /** Writes a report of all recoveries. Its losses are to be accepted next, or at the next start. */
  write(report: LossReport, events: EventLog): void {
    const { recoveries, losses, redelivered, atMs } = report;
    const record = (event: "database-recovered" | "data-lost", subject: string, detail: object): void =>
      events.add({ event, who: "santinela", from: "start", subject, detail: { ...detail } }, atMs);
    const names = new Set(recoveries.map(({ name }) => name));
    if (names.size > 0) record("database-recovered", [...names].join(", "), { recoveries, redelivered });
    for (const loss of losses) record("data-lost", loss.database, loss);
    this.#append(report);
    this.#store({ ...this.#unreported, recoveries: [], report });
  }

  /** Ends a report whose losses are accepted. */
  end({ atMs, losses }: LossReport): void {
    const known = this.#losses();
    const noted = new Set(known.map((each) => JSON.stringify(each)));
    // An interrupted call may have added them.
    const added = losses
      .map((loss): NotedLoss => ({ ...loss, atMs }))
      .filter((loss) => !noted.has(JSON.stringify(loss)));
    if (added.length > 0) writeDurably(this.#path(LOSSES), `${JSON.stringify([...known, ...added])}\n`);
    this.#store({ ...this.#unreported, report: null });
  }

  /** Adds a loss that was found while the daemon runs, unless an interrupted call has. */
  add(loss: DataLoss, atMs: number): void {
    const known = this.#losses();
    if (known.some(({ named }) => named === loss.named)) return;
    this.#append({ atMs, recoveries: [], losses: [loss], redelivered: 0 });
    writeDurably(this.#path(LOSSES), `${JSON.stringify([...known, { ...loss, atMs }])}\n`);
  }

  /** The report for people; they remove it when they have read it. */
  get file(): string {
    return this.#path("recovery.txt");
  }

  /** Keeps the conditions of the reports open until a user removes the file. */
  showConditions(conditions: Conditions): void {
    if (!existsSync(this.file)) {
      conditions.clear("database-recovered");
      for (const name of ["santinela.db", "journal.db"]) conditions.clear("data-lost", name);
      rmSync(this.#path(LOSSES), { force: true });
      return;
    }
    const text = readFileSync(this.file, "utf8").trim().split("\n").at(-1) ?? "";
    conditions.raise("database-recovered", `${text} Read ${this.file}, then remove it.`);
    for (const loss of sumByDatabase(this.#losses()))
      conditions.raise("data-lost", { ...loss, report: this.file }, loss.database);
  }

  #append(report: Parameters<typeof formatReport>[0]): void {
    const earlier = existsSync(this.file) ? readFileSync(this.file, "utf8") : "";
    writeDurably(this.file, `${earlier}${formatReport(report)}\n`);
  }

  /** A restored backup has nothing to report: the newer numbers do not apply to it. */
  #noteRestore({ keptJournal }: Replacement): void {
    const numbers = new AssignedNumbers(this.#dataDir);
    if (keptJournal === undefined) this.#store({ ...this.#unreported, isRestored: true });
    else {
      beginAgain(this.#path("journal.db"), keptJournal, JOURNAL_DATABASE);
      numbers.forget("journal.db");
    }
    numbers.forget("santinela.db");
  }

  #note(recovery: Recovery): void {
    const { recoveries, report } = this.#unreported;
    const known = [...recoveries, ...(report?.recoveries ?? [])];
    if (known.some(({ quarantined }) => quarantined === recovery.quarantined)) return;
    this.#store({ ...this.#unreported, recoveries: [...recoveries, recovery], report });
  }

  #store(unreported: Unreported): void {
    const path = this.#path(UNREPORTED);
    const { report, recoveries, isRestored = false } = unreported;
    if (report === null && recoveries.length === 0 && !isRestored) rmSync(path, { force: true });
    else writeDurably(path, `${JSON.stringify(unreported)}\n`);
    flush(this.#dataDir);
    this.#unreported = unreported;
  }

  /** The unacknowledged losses. If the file is damaged, the text report is beside it. */
  #losses(): readonly NotedLoss[] {
    return (readJson(this.#path(LOSSES)) as readonly NotedLoss[] | undefined) ?? [];
  }

  #path(name: string): string {
    return join(this.#dataDir, name);
  }
}

const LOSSES = "losses.json";
const UNREPORTED = "unreported.json";

export function formatReport({
  atMs,
  recoveries,
  losses,
  redelivered,
}: Pick<LossReport, "atMs" | "recoveries" | "losses" | "redelivered">): string {
  const sentences = [...recoveries.map(({ sentence }) => sentence), ...losses.map(sentenceOfLoss)];
  const again =
    redelivered === 0
      ? ""
      : ` ${redelivered} trips of the journal are posted again with their original keys.`;
  return `${new Date(atMs).toISOString()} ${sentences.join(" ")}${again}`;
}

/** Sums the losses of each database. */
function sumByDatabase(losses: readonly DataLoss[]): DataLoss[] {
  const found = new Map<DatabaseName, DataLoss>();
  for (const loss of losses) {
    const { missing, altered, pages, named } = found.get(loss.database) ?? NO_LOSS;
    const names = [named, loss.named].filter((each) => each !== "-");
    found.set(loss.database, {
      database: loss.database,
      missing: missing + loss.missing,
      altered: altered + loss.altered,
      pages: pages + loss.pages,
      named: names.length === 0 ? "-" : names.join("; "),
    });
  }
  return [...found.values()];
}

const NO_LOSS = { missing: 0, altered: 0, pages: 0, named: "-" };

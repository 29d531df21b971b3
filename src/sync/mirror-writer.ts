import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { ObjectiveType } from "../domain/objective.ts";
import type { ListDiff } from "../domain/objective-list-diff.ts";
import { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { EventLog } from "../store/event-log.ts";

type Changes = Extract<ListDiff, { kind: "taken" }>;

export interface ListCopyOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Which centre the lists are of. */
  readonly baseUrl: string;
}

/** Rows written in one transaction: a first list of thousands must not hold up a trip. */
const BATCH_ROWS = 250;
/** What the centre no longer lists and nothing here names is remembered so long, so that people can see what became of it. */
const MISSING_KEPT_MS = 30 * 86_400_000;
/** So many differing names stand in one entry of the event log. */
const NAMES_TOLD_MAX = 20;

/** Writes what a list has become, and nothing of what has not changed: an hourly copy must not wear out the disk. */
export class MirrorWriter {
  readonly #options: ListCopyOptions;
  readonly #lists: UpstreamObjectiveStore;
  readonly #events: EventLog;

  constructor(options: ListCopyOptions) {
    this.#options = options;
    this.#lists = new UpstreamObjectiveStore(options.database);
    this.#events = new EventLog(options.database);
  }

  /**
   * Takes over a list that was read to its end.
   * @param rows each description as JSON, by id
   */
  async write(type: ObjectiveType, rows: ReadonlyMap<number, string>, changes: Changes): Promise<void> {
    const { log, clock } = this.#options;
    const { added, changed, missing } = changes;
    await this.#inParts([...added, ...changed], (id) => this.#lists.put(type, id, rows.get(id) ?? ""));
    const nowMs = clock.wallMs();
    await this.#inParts(missing, (id) => this.#lists.markMissing(type, id, nowMs));
    this.#finish(type, rows.size, changes);
    const counts = { added: added.length, changed: changed.length, missing: missing.length };
    log.info("objectives-pulled", { type, objectives: rows.size, ...counts });
  }

  /** Writes many rows, a part at a time, so that a trip finds its turn in between. */
  async #inParts(ids: readonly number[], write: (id: number) => void): Promise<void> {
    const { database, clock } = this.#options;
    for (let from = 0; from < ids.length; from += BATCH_ROWS) {
      const part = ids.slice(from, from + BATCH_ROWS);
      transaction(database, () => part.forEach(write));
      await new Promise<void>((resolve) => {
        clock.afterEventLoopTurn(resolve);
      });
    }
  }

  /** Only now is the copy the list that was read; what a dead process has left half written, the next reading finds. */
  #finish(type: ObjectiveType, objectives: number, { added, changed, missing }: Changes): void {
    const { database, clock, baseUrl } = this.#options;
    const nowMs = clock.wallMs();
    transaction(database, () => {
      this.#lists.noteWalk(type, { centre: baseUrl, completedAtMs: nowMs, objectives });
      this.#lists.purgeMissing(type, nowMs - MISSING_KEPT_MS);
      if (added.length + changed.length + missing.length === 0) return;
      const counts = { added: added.length, changed: changed.length, missing: missing.length };
      const otherwise = this.#lists
        .differences(type, NAMES_TOLD_MAX)
        .filter(({ there }) => there !== null)
        .map(({ id, here, there }) => ({ id, here, there }));
      const detail = otherwise.length === 0 ? counts : { ...counts, otherwise };
      const said = { event: "objectives-changed", who: "sync", from: "dispatch centre" } as const;
      this.#events.add({ ...said, subject: type, detail }, nowMs);
    });
  }
}

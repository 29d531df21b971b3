import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { ObjectiveType } from "../../domain/objective.ts";
import type { ListDiff } from "../../domain/objective-list-diff.ts";
import { UpstreamObjectiveStore } from "../../store/upstream-objectives.ts";
import type { Database } from "../../store/database.ts";
import { transaction } from "../../store/transaction.ts";
import { EventLog } from "../../store/event-log.ts";

type Changes = Extract<ListDiff, { kind: "taken" }>;

export interface MirrorWriterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Address of the dispatch centre the lists come from. */
  readonly baseUrl: string;
}

/** Rows per transaction: a first list of thousands must not delay a trip. */
const BATCH_ROWS = 250;
/** Unlisted objectives that nothing refers to are kept this long, so that users can see what happened to them. */
const MISSING_RETENTION_MS = 30 * 86_400_000;
/** Maximum number of differing names in one event. */
const NAMES_MAX = 20;

/** Writes the changes of a list and skips unchanged rows, to reduce wear of the disk. */
export class MirrorWriter {
  readonly #options: MirrorWriterOptions;
  readonly #lists: UpstreamObjectiveStore;
  readonly #events: EventLog;

  constructor(options: MirrorWriterOptions) {
    this.#options = options;
    this.#lists = new UpstreamObjectiveStore(options.database);
    this.#events = new EventLog(options.database);
  }

  /**
   * Stores a list that was read completely.
   * @param rows each description as JSON, by id
   */
  async write(type: ObjectiveType, rows: ReadonlyMap<number, string>, changes: Changes): Promise<void> {
    const { log, clock } = this.#options;
    const { added, changed, missing } = changes;
    await this.#inBatches([...added, ...changed], (id) => this.#lists.put(type, id, rows.get(id) ?? ""));
    const nowMs = clock.wallMs();
    await this.#inBatches(missing, (id) => this.#lists.markMissing(type, id, nowMs));
    this.#finish(type, rows.size, changes);
    const counts = { added: added.length, changed: changed.length, missing: missing.length };
    log.info("objectives-pulled", { type, objectives: rows.size, ...counts });
  }

  /** Writes many rows in batches, so that a trip can be stored in between. */
  async #inBatches(ids: readonly number[], write: (id: number) => void): Promise<void> {
    const { database, clock } = this.#options;
    for (let from = 0; from < ids.length; from += BATCH_ROWS) {
      const batch = ids.slice(from, from + BATCH_ROWS);
      transaction(database, () => batch.forEach(write));
      await new Promise<void>((resolve) => {
        clock.afterEventLoopTurn(resolve);
      });
    }
  }

  /** Marks the mirror as complete. A write that was interrupted before this is repaired by the next pull. */
  #finish(type: ObjectiveType, objectives: number, { added, changed, missing }: Changes): void {
    const { database, clock, baseUrl } = this.#options;
    const nowMs = clock.wallMs();
    transaction(database, () => {
      this.#lists.recordRead(type, { centre: baseUrl, completedAtMs: nowMs, objectives });
      this.#lists.purgeMissing(type, nowMs - MISSING_RETENTION_MS);
      if (added.length + changed.length + missing.length === 0) return;
      const counts = { added: added.length, changed: changed.length, missing: missing.length };
      const otherwise = this.#lists
        .differences(type, NAMES_MAX)
        .filter(({ there }) => there !== null)
        .map(({ id, here, there }) => ({ id, here, there }));
      const detail = otherwise.length === 0 ? counts : { ...counts, otherwise };
      const event = { event: "objectives-changed", who: "sync", from: "dispatch centre" } as const;
      this.#events.add({ ...event, subject: type, detail }, nowMs);
    });
  }
}

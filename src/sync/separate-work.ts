import { alarmBackOffMs, backOffMs } from "../domain/backoff.ts";
import { messageOf } from "../domain/errors.ts";
import { ownFailures, URGENT_PRIORITY_ORDER } from "../domain/outbox.ts";
import { isStorageError } from "../store/database.ts";
import type { SyncContext } from "./context.ts";

/**
 * Work on one record that holds up no other: a defect that it meets, as in a row that a memory card has damaged, is a condition and the
 * record is postponed. Only the errors of the database end the work on all records.
 */
export class SeparateWork {
  readonly #context: Pick<SyncContext, "store" | "conditions" | "log" | "clock" | "random">;
  /** The records whose last work has met a defect. */
  readonly #defective = new Set<number>();

  constructor(context: Pick<SyncContext, "store" | "conditions" | "log" | "clock" | "random">) {
    this.#context = context;
  }

  /**
   * @returns whether the work ended without a defect
   * @throws errors of the database
   */
  async run(interventionId: number, work: () => Promise<void>): Promise<boolean> {
    const { conditions, log } = this.#context;
    const subject = subjectOf(interventionId);
    try {
      await work();
      this.#clear(interventionId);
      return true;
    } catch (error) {
      if (isStorageError(error)) throw error;
      log.error("record-sync-failed", { interventionId, error });
      const reason = messageOf(error);
      conditions.raise("outbox-write-failed", { reason: `${subject}: ${reason}` }, subject);
      this.#defective.add(interventionId);
      this.#postpone(interventionId, reason);
      return false;
    }
  }

  /** Ends the conditions of records that need no more work: a user has dropped or deleted them. @throws errors of the database */
  clearClosed(): void {
    const { outbox } = this.#context.store;
    for (const id of this.#defective) if ((outbox.find(id)?.phase ?? "closed") === "closed") this.#clear(id);
  }

  /** Ends all its conditions; called when no work runs. */
  stop(): void {
    for (const id of this.#defective) this.#clear(id);
  }

  #clear(interventionId: number): void {
    this.#defective.delete(interventionId);
    this.#context.conditions.clear("outbox-write-failed", subjectOf(interventionId));
  }

  #postpone(interventionId: number, lastError: string): void {
    const { store, clock, random } = this.#context;
    store.write(() => {
      const entry = store.entry(interventionId);
      const wait = entry.priorityOrder === URGENT_PRIORITY_ORDER ? alarmBackOffMs : backOffMs;
      const failures = ownFailures(entry);
      const nextAtMs = clock.wallMs() + wait(failures, random());
      store.outbox.save({ ...entry, attempts: failures + 1, nextAtMs, lastError });
    });
  }
}

function subjectOf(interventionId: number): string {
  return `intervention ${interventionId}`;
}

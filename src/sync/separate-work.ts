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

  constructor(context: Pick<SyncContext, "store" | "conditions" | "log" | "clock" | "random">) {
    this.#context = context;
  }

  /**
   * @returns whether the work ended without a defect
   * @throws errors of the database
   */
  async run(interventionId: number, work: () => Promise<void>): Promise<boolean> {
    const { conditions, log } = this.#context;
    const subject = `intervention ${interventionId}`;
    try {
      await work();
      conditions.clear("outbox-write-failed", subject);
      return true;
    } catch (error) {
      if (isStorageError(error)) throw error;
      log.error("record-sync-failed", { interventionId, error });
      const reason = messageOf(error);
      conditions.raise("outbox-write-failed", { reason: `${subject}: ${reason}` }, subject);
      this.#postpone(interventionId, reason);
      return false;
    }
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

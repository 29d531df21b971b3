import type { MatchCandidate } from "../../domain/match-candidate.ts";
import type { SyncContext } from "../context.ts";
import type { RecordAdoption } from "./record-adoption.ts";
import { NO_WATERMARK, recordsAbove } from "./record-search.ts";

/** Outcome of a list that was read. */
export const REACHED = { link: "ok", code: "200", reason: "" } as const;

/**
 * Reads this site's records before the first request of a database that has never sent any, such as a new storage card or
 * an older backup.
 */
export class ReadBack {
  readonly #context: SyncContext;
  readonly #adoption: RecordAdoption;
  #reading: Promise<boolean> | undefined;
  /** Whether the list cannot be read completely: alarms wait for that once, and the next comparison reads it again. */
  #isIncomplete = false;

  constructor(context: SyncContext, adoption: RecordAdoption) {
    this.#context = context;
    this.#adoption = adoption;
  }

  /** Reads the list if it is needed; concurrent calls share one reading. @returns false while the link does not allow it */
  async run(): Promise<boolean> {
    const { store, linkFaults } = this.#context;
    if (store.facts.hasReadBack || !store.isMarked || this.#isIncomplete) return true;
    if (!store.facts.mustReadBack && store.compared.hasSent()) {
      store.write(() => store.facts.noteReadBack());
      return true;
    }
    // The first alarm waits for this reading.
    if (!this.#reading && !linkFaults.isOpenForAlarms) return false;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Resolves when no reading is in progress. */
  async stop(): Promise<void> {
    await Promise.allSettled([this.#reading]);
  }

  /** Adopts the rows of the complete list, if that is still to be done. */
  adoptOnce(rows: readonly MatchCandidate[]): void {
    const { store } = this.#context;
    if (store.facts.hasReadBack || !store.isMarked) return;
    this.#adoption.adopt(rows);
    store.write(() => store.facts.noteReadBack());
  }

  async #read(): Promise<boolean> {
    const { centre, linkFaults, log } = this.#context;
    const found = await recordsAbove(centre, NO_WATERMARK);
    if (found.kind === "complete") {
      await linkFaults.note(REACHED);
      this.adoptOnce(found.rows);
      return true;
    }
    const { seen, outcome } = found;
    await linkFaults.note({ ...outcome, mayBeRecordSpecific: false });
    // A list that ends in the middle each time must not keep the alarms here either.
    this.#isIncomplete = outcome.link === "ok" || seen.length > 0;
    if (this.#isIncomplete) log.warn("records-read-back-failed", { reason: outcome.reason });
    return outcome.link === "ok";
  }
}

import type { MatchCandidate } from "../../domain/match-candidate.ts";
import { URGENT_PRIORITY_ORDER, type OutboxEntry } from "../../domain/outbox.ts";
import { countAttempt } from "../attempt-outcome.ts";
import type { SyncContext } from "../context.ts";
import { isSentUnread } from "./highest-id.ts";
import { mayHideReferences } from "./listed-texts.ts";
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
  readonly #nextDue: () => OutboxEntry | undefined;
  #reading: Promise<boolean> | undefined;
  /** Whether the list cannot be read completely: alarms wait for that once, and the next comparison reads it again. */
  #isIncomplete = false;
  /** Readings since the last complete one that failed although a simple read succeeded, or ended after a page. */
  #cuts = 0;

  /** @param nextDue the entry that waits for the reading, an alarm first; undefined without one */
  constructor(context: SyncContext, adoption: RecordAdoption, nextDue: () => OutboxEntry | undefined) {
    this.#context = context;
    this.#adoption = adoption;
    this.#nextDue = nextDue;
  }

  /** Reads the list if it is needed; concurrent calls share one reading. @returns false while the link does not allow it */
  async run(): Promise<boolean> {
    const { store, linkFaults } = this.#context;
    if (store.facts.hasReadBack || !store.isMarked || this.#isIncomplete) return true;
    if (!store.facts.mustReadBack && store.compared.hasSent()) {
      store.write(() => store.facts.noteReadBack());
      return true;
    }
    // The first alarm waits for this reading. Without one the centre gets the pause that it asks for.
    const isOpen = linkFaults.isOpen || (linkFaults.isOpenForAlarms && this.#isAlarmDue);
    if (!this.#reading && !isOpen) return false;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  get #isAlarmDue(): boolean {
    return this.#nextDue()?.priorityOrder === URGENT_PRIORITY_ORDER;
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
    const { centre, linkFaults, log, store } = this.#context;
    const found = await recordsAbove(centre, NO_WATERMARK);
    if (found.kind === "complete") {
      this.#cuts = 0;
      await linkFaults.note(REACHED);
      // The records are read one by one later: alarms do not wait for that.
      this.#isIncomplete = mayHideReferences(found.rows);
      if (this.#isIncomplete) store.write(() => store.facts.requireReadBack());
      else this.adoptOnce(found.rows);
      return true;
    }
    const { seen, outcome } = found;
    const isLinkOpen = await linkFaults.noteList(outcome);
    // It was the attempt of the record that waits for it.
    const waiting = isLinkOpen ? undefined : this.#nextDue();
    if (waiting) store.write(() => countAttempt(store, waiting.interventionId));
    // A list that fails each time must not keep the alarms here either; one that does so once is read again.
    if (outcome.link !== "ok" && (seen.length > 0 || isLinkOpen)) this.#cuts += 1;
    const isSent = waiting !== undefined && isSentUnread(waiting, outcome);
    this.#isIncomplete = outcome.link === "ok" || this.#cuts > 1 || isSent;
    if (this.#isIncomplete) log.warn("records-read-back-failed", { reason: outcome.reason });
    return outcome.link === "ok" || isSent;
  }
}

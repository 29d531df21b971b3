import type { OpenFault } from "../store/faults.ts";
import type { Journal } from "../store/journal.ts";

type FaultJournal = Pick<Journal, "faults" | "trips">;

/** Whether a fault was opened in a walk test, so that it has no intervention. */
export function isOfTest(journal: Pick<Journal, "trips">, { key }: OpenFault): boolean {
  return journal.trips.find(key)?.state === "test";
}

/** The zones whose tamper may be of a walk test: only their faults are read after it. */
export class TestedTampers {
  readonly #journal: FaultJournal;
  readonly #zoneIds: Set<string>;

  constructor(journal: FaultJournal) {
    this.#journal = journal;
    const tampers = journal.faults.list().filter(({ fault }) => fault === "tamper");
    this.#zoneIds = new Set(tampers.map(({ zoneId }) => zoneId));
  }

  add(zoneId: string): void {
    this.#zoneIds.add(zoneId);
  }

  /** Called after a walk test, with what a tamper that it has opened and that is still there is to become. */
  release(zoneId: string, reopen: () => void): void {
    if (!this.#zoneIds.has(zoneId)) return;
    const open = this.#journal.faults.find(zoneId, "tamper");
    if (open && isOfTest(this.#journal, open)) reopen();
    this.#zoneIds.delete(zoneId);
  }
}

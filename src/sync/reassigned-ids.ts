import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { SyncStore } from "./sync-store.ts";

/** People are told for so long that an id of theirs at the centre was given to another record. */
const TOLD_FOR_MS = 86_400_000;

/** Remembers that the centre gives ids again. */
export class ReassignedIds {
  readonly #store: SyncStore;
  readonly #conditions: Conditions;
  readonly #clock: Pick<Clock, "wallMs">;

  constructor({
    store,
    conditions,
    clock,
  }: {
    store: SyncStore;
    conditions: Conditions;
    clock: Pick<Clock, "wallMs">;
  }) {
    this.#store = store;
    this.#conditions = conditions;
    this.#clock = clock;
  }

  note({ interventionId, upstreamId }: OutboxEntry): void {
    if (upstreamId === null) return;
    this.#store.facts.noteReassignedId({ interventionId, upstreamId, atMs: this.#clock.wallMs() });
    this.declare();
  }

  /** Says what is known of it, also from before a restart, until it is a day ago. */
  declare(): void {
    const seen = this.#store.facts.reassignedId;
    if (seen === null || Math.abs(this.#clock.wallMs() - seen.atMs) > TOLD_FOR_MS)
      return this.#conditions.clear("upstream-ids-given-again");
    const { interventionId, upstreamId } = seen;
    this.#conditions.raise("upstream-ids-given-again", { interventionId, upstreamId });
  }
}

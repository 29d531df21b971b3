import type { Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { SyncStore } from "../sync-store.ts";

/** How long a reassigned id is shown as a condition. */
const SHOWN_FOR_MS = 86_400_000;

/** Remembers that the dispatch centre has reassigned an id. */
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

  /** Raises or clears the condition, also for an event before a restart. */
  declare(): void {
    const last = this.#store.facts.reassignedId;
    if (last === null || Math.abs(this.#clock.wallMs() - last.atMs) > SHOWN_FOR_MS)
      return this.#conditions.clear("upstream-ids-given-again");
    const { interventionId, upstreamId } = last;
    this.#conditions.raise("upstream-ids-given-again", { interventionId, upstreamId });
  }
}

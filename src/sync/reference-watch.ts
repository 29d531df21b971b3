import type { Conditions } from "../domain/condition.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { carriesMarker } from "../domain/match-candidate.ts";
import type { SyncStore } from "./sync-store.ts";

/** Detects from responses whether the dispatch centre keeps our marker. */
export class ReferenceWatch {
  readonly #store: SyncStore;
  readonly #conditions: Conditions;

  constructor({ store, conditions }: { store: SyncStore; conditions: Conditions }) {
    this.#store = store;
    this.#conditions = conditions;
  }

  /**
   * Evaluates the response to a POST.
   * @param json the record in the response
   */
  note({ interventionId, attempt }: OutboxEntry, json: string): void {
    const field = this.#store.marker;
    if (field === "off" || !attempt) return;
    const record = JSON.parse(json) as UpstreamRecord;
    const sent = (JSON.parse(attempt.body) as UpstreamRecord)[field];
    const shown = record[field];
    // A response without the field proves nothing.
    if (typeof sent !== "string" || shown === undefined) return;
    const { facts } = this.#store;
    const marker = this.#store.markerOf(this.#store.record(interventionId).uid);
    const length = [...sent].length;
    const kept = typeof shown === "string" ? [...shown].length : 0;
    if (!carriesMarker(record, marker))
      facts.noteLostReference({ interventionId, field, sent: length, kept });
    // Only a text as long as the truncated one shows that nothing is cut now.
    else if (length >= (facts.lostReference?.sent ?? Number.POSITIVE_INFINITY)) facts.noteLostReference(null);
    this.declare();
  }

  /** Raises or clears the condition, also for an event before a restart. */
  declare(): void {
    const lost = this.#store.facts.lostReference;
    // A result for another field does not apply to the one in use.
    if (lost === null || lost.field !== this.#store.marker) this.#conditions.clear("upstream-reference-lost");
    else this.#conditions.raise("upstream-reference-lost", lost);
  }
}

import type { Conditions } from "../domain/condition.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { carriesMarker } from "../domain/match-candidate.ts";
import type { SyncStore } from "./sync-store.ts";

/** Learns from the centre's answers whether it keeps the reference that we write into a text. */
export class ReferenceWatch {
  readonly #store: SyncStore;
  readonly #conditions: Conditions;

  constructor({ store, conditions }: { store: SyncStore; conditions: Conditions }) {
    this.#store = store;
    this.#conditions = conditions;
  }

  /** Takes note of the answer to a POST. @param json the record as the centre has answered it */
  note({ interventionId, attempt }: OutboxEntry, json: string): void {
    const field = this.#store.marker;
    if (field === "off" || !attempt) return;
    const record = JSON.parse(json) as UpstreamRecord;
    const sent = (JSON.parse(attempt.body) as UpstreamRecord)[field];
    const shown = record[field];
    // A centre that leaves the field out of its answers says nothing about it.
    if (typeof sent !== "string" || shown === undefined) return;
    const { facts } = this.#store;
    const marker = this.#store.markerOf(this.#store.record(interventionId).uid);
    const length = [...sent].length;
    const kept = typeof shown === "string" ? [...shown].length : 0;
    if (!carriesMarker(record, marker))
      facts.noteLostReference({ interventionId, field, sent: length, kept });
    // Only a text as long as the one that was cut shows that nothing is cut any more.
    else if (length >= (facts.lostReference?.sent ?? Number.POSITIVE_INFINITY)) facts.noteLostReference(null);
    this.declare();
  }

  /** Says what is known of it, also from before a restart. */
  declare(): void {
    const lost = this.#store.facts.lostReference;
    // What another field did says nothing about the one that is used now.
    if (lost === null || lost.field !== this.#store.marker) this.#conditions.clear("upstream-reference-lost");
    else this.#conditions.raise("upstream-reference-lost", lost);
  }
}

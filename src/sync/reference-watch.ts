import type { Conditions } from "../domain/condition.ts";
import type { CentreRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { carries } from "../domain/sighting.ts";
import type { Ledger } from "./ledger.ts";

/** Learns from the centre's answers whether it keeps the reference that we write into a text. */
export class ReferenceWatch {
  readonly #ledger: Ledger;
  readonly #conditions: Conditions;

  constructor({ ledger, conditions }: { ledger: Ledger; conditions: Conditions }) {
    this.#ledger = ledger;
    this.#conditions = conditions;
  }

  /** Takes note of the answer to a POST. @param json the record as the centre has answered it */
  note({ interventionId, attempt }: OutboxEntry, json: string): void {
    const field = this.#ledger.marker;
    if (field === "off" || !attempt) return;
    const record = JSON.parse(json) as CentreRecord;
    const sent = (JSON.parse(attempt.body) as CentreRecord)[field];
    const shown = record[field];
    // A centre that leaves the field out of its answers says nothing about it.
    if (typeof sent !== "string" || shown === undefined) return;
    const { facts } = this.#ledger;
    const marker = this.#ledger.markerOf(this.#ledger.record(interventionId).uid);
    const length = [...sent].length;
    const kept = typeof shown === "string" ? [...shown].length : 0;
    if (!carries(record, marker)) facts.noteLostReference({ interventionId, field, sent: length, kept });
    // Only a text as long as the one that was cut shows that nothing is cut any more.
    else if (length >= (facts.lostReference?.sent ?? Number.POSITIVE_INFINITY)) facts.noteLostReference(null);
    this.declare();
  }

  /** Says what is known of it, also from before a restart. */
  declare(): void {
    const lost = this.#ledger.facts.lostReference;
    // What another field did says nothing about the one that is used now.
    if (lost === null || lost.field !== this.#ledger.marker)
      this.#conditions.clear("upstream-reference-lost");
    else this.#conditions.raise("upstream-reference-lost", lost);
  }
}

import type { Clock } from "../domain/clock.ts";
import { withInFlightValues, type UpstreamRecord } from "../domain/merge.ts";
import type { InFlightValues, OutboxEntry } from "../domain/outbox.ts";

/** Maximum replication lag: reads may come from a replica that shows a write only after this time. */
export const LAG_MAX_MS = 60_000;

/**
 * Values that our updates have just replaced. A lagging replica still returns them, which looks like a dispatcher's
 * change. Kept in memory only: a restart takes longer than the lag.
 */
export class StaleReads {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #replaced = new Map<number, { readonly untilMs: number; readonly values: InFlightValues }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /**
   * Stores the values replaced by an applied update.
   * @param shown the record as read before the update
   */
  note({ interventionId }: OutboxEntry, body: object, shown: UpstreamRecord): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, { untilMs }] of this.#replaced) if (untilMs < nowMs) this.#replaced.delete(id);
    const old = Object.fromEntries(Object.keys(body).map((field) => [field, shown[field] ?? null]));
    const values = withInFlightValues(this.#replaced.get(interventionId)?.values ?? {}, old);
    this.#replaced.set(interventionId, { untilMs: nowMs + LAG_MAX_MS, values });
  }

  /** The in-flight values, with replaced values that a replica may still return. */
  withReplaced({ interventionId, inFlightValues }: OutboxEntry): InFlightValues {
    const replaced = this.#replaced.get(interventionId);
    if (!replaced || replaced.untilMs < this.#clock.monotonicMs()) return inFlightValues;
    const fields = Object.entries(replaced.values);
    return {
      ...inFlightValues,
      ...Object.fromEntries(
        fields.map(([field, old]) => [field, [...(inFlightValues[field] ?? []), ...old]]),
      ),
    };
  }
}

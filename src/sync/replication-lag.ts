import type { Clock } from "../domain/clock.ts";
import { withInFlightValues, type UpstreamRecord } from "../domain/merge.ts";
import type { InFlightValues, OutboxEntry } from "../domain/outbox.ts";

/** A centre may read from a copy that is behind; after this time it shows what was written. */
export const LAG_MAX_MS = 60_000;

/**
 * What our updates have just replaced. A copy that lags still shows it, and then it looks as if a dispatcher had set it
 * back. In memory alone: a restart takes as long.
 */
export class StaleReads {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #replaced = new Map<number, { readonly untilMs: number; readonly values: InFlightValues }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Takes note of an update that the centre has taken. @param shown what it showed before */
  note({ interventionId }: OutboxEntry, body: object, shown: UpstreamRecord): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [id, { untilMs }] of this.#replaced) if (untilMs < nowMs) this.#replaced.delete(id);
    const old = Object.fromEntries(Object.keys(body).map((field) => [field, shown[field] ?? null]));
    const values = withInFlightValues(this.#replaced.get(interventionId)?.values ?? {}, old);
    this.#replaced.set(interventionId, { untilMs: nowMs + LAG_MAX_MS, values });
  }

  /** The values of ours that may be shown, with those that a late copy may still show. */
  withOld({ interventionId, inFlightValues }: OutboxEntry): InFlightValues {
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

import type { MetricSample } from "./metrics-text.ts";

/** A Prometheus histogram since the start of the process, with cumulative buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  note(value: number): void {
    this.#sum += value;
    this.#count += 1;
    for (const [index, bound] of this.#bounds.entries())
      if (value <= bound) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  get samples(): readonly MetricSample[] {
    const bucket = (le: string, value: number): MetricSample => ({
      suffix: "_bucket",
      labels: { le },
      value,
    });
    return [
      ...this.#bounds.map((bound, index) => bucket(String(bound), this.#counts[index] ?? 0)),
      bucket("+Inf", this.#count),
      { suffix: "_sum", value: this.#sum },
      { suffix: "_count", value: this.#count },
    ];
  }
}

/** A part of the run; a request belongs to the one in which it was begun. */
export type Phase = "no light sites" | "power is back" | "ordinary" | "a day's records" | "storm" | "silence";

/** What a site asks of its centre. */
export type Kind = "sign-in" | "report" | "record" | "re-read";

interface Series {
  readonly timesMs: number[];
  repeated: number;
}

/** The responses 503 of a phase, and when the first and last of them came, milliseconds of `performance.now()`. */
export interface Unavailability {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** How long the answers took, and how often a request had to be repeated. */
export class Figures {
  phase: Phase = "no light sites";
  readonly #series = new Map<string, Series>();
  readonly #unavailable = new Map<Phase, Unavailability>();
  readonly #phases = new Map<Phase, { beganMs: number; endedMs: number }>();

  begin(phase: Phase): void {
    const nowMs = performance.now();
    this.#close(nowMs);
    this.phase = phase;
    this.#phases.set(phase, { beganMs: nowMs, endedMs: Infinity });
  }

  end(): void {
    this.#close(performance.now());
  }

  /** @param phase when the request was begun @param ms from its beginning to its successful answer */
  answered(phase: Phase, kind: Kind, ms: number): void {
    this.#of(phase, kind).timesMs.push(ms);
  }

  /** Number of answered requests. */
  total(): number {
    return [...this.#series.values()].reduce((sum, { timesMs }) => sum + timesMs.length, 0);
  }

  repeated(phase: Phase, kind: Kind): void {
    this.#of(phase, kind).repeated += 1;
  }

  /** Called for each response 503. @param phase when the request was begun */
  unavailable(phase: Phase): void {
    const nowMs = performance.now();
    const { count, firstMs } = this.#unavailable.get(phase) ?? { count: 0, firstMs: nowMs };
    this.#unavailable.set(phase, { count: count + 1, firstMs, lastMs: nowMs });
  }

  unavailabilityOf(phase: Phase): Unavailability {
    return this.#unavailable.get(phase) ?? { count: 0, firstMs: 0, lastMs: 0 };
  }

  /** Duration of a phase in seconds. */
  secondsOf(phase: Phase): number {
    const { beganMs = 0, endedMs = 0 } = this.#phases.get(phase) ?? {};
    return (Math.min(endedMs, performance.now()) - beganMs) / 1000;
  }

  /** One line of a Markdown table for each kind and phase. */
  lines(): string[] {
    const rows = [...this.#series].map(([name, { timesMs, repeated }]) => {
      const [phase = "", kind = ""] = name.split("/");
      const sorted = timesMs.toSorted((a, b) => a - b);
      const seconds = this.secondsOf(phase as Phase);
      const cells = [phase, kind, sorted.length, (sorted.length / seconds).toFixed(1)];
      const times = [0.5, 0.99, 1].map((share) => percentile(sorted, share).toFixed(1));
      return `| ${[...cells, ...times, repeated].join(" | ")} |`;
    });
    return [
      "| phase | request | answered | /s | p50 ms | p99 ms | max ms | repeated |",
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
      ...rows,
    ];
  }

  #close(nowMs: number): void {
    const open = this.#phases.get(this.phase);
    if (open && open.endedMs === Infinity) open.endedMs = nowMs;
  }

  #of(phase: Phase, kind: Kind): Series {
    const name = `${phase}/${kind}`;
    const series = this.#series.get(name) ?? { timesMs: [], repeated: 0 };
    this.#series.set(name, series);
    return series;
  }
}

/** @param sorted in ascending order */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

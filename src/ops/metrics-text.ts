/** A metric family in the Prometheus text format. */
export interface MetricFamily {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** Suffix of the family name if its type requires one: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric whose value goes up and down. */
export function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, kind: "gauge", help, samples };
}

/** A metric whose value only grows while the process runs. */
export function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, kind: "counter", help, samples };
}

/**
 * Writes families in the Prometheus text format 0.0.4, including those without samples: their help explains the
 * absence.
 */
export function metricsText(families: readonly MetricFamily[]): string {
  return families
    .map(({ name, kind, help, samples }) =>
      [
        `# HELP ${name} ${escaped(help, /[\\\n]/g)}`,
        `# TYPE ${name} ${kind}`,
        ...samples.map((sample) => line(name, sample)),
        "",
      ].join("\n"),
    )
    .join("");
}

function line(name: string, { suffix = "", labels = {}, value }: MetricSample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text, /[\\\n"]/g)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}

function escaped(text: string, what: RegExp): string {
  return text.replaceAll(what, (character) => (character === "\n" ? String.raw`\n` : `\\${character}`));
}

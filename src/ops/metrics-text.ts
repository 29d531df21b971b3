/** One family of Prometheus' text format: a name, what it is, and its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

export interface MetricSample {
  /** Behind the family's name, where the kind asks for one: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Writes families in Prometheus' text format 0.0.4, one without samples included: its help says what is missing. */
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

/** A number that goes up and down. */
export function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, kind: "gauge", help, samples };
}

/** A number that only grows. */
export function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, kind: "counter", help, samples };
}

import { Registry, type Counter, type Gauge, type MetricConfiguration } from "prom-client";

/** A value without labels, no sample, or values with their labels. */
type Samples<Label extends string> =
  | number
  | undefined
  | readonly (readonly [labels: Readonly<Record<Label, string>>, value: number])[];

/** `Gauge` or `Counter`. */
type Kind<Label extends string> = new (
  configuration: Pick<MetricConfiguration<Label>, "name" | "help" | "labelNames" | "registers" | "collect">,
) => Pick<Gauge<Label> | Counter<Label>, "reset" | "remove" | "inc">;

/** The metrics of a daemon. */
export class MetricsRegistry extends Registry {
  /**
   * Adds a metric that is read on each request.
   * @param help shown also without samples: it explains their absence
   */
  add<Label extends string>(
    kind: Kind<Label>,
    name: string,
    help: string,
    read: () => Samples<Label>,
    labelNames: readonly Label[] = [],
  ): void {
    const collect = (): void => {
      metric.reset();
      const samples = read();
      if (samples === undefined) metric.remove();
      else if (typeof samples === "number") metric.inc(samples);
      else for (const [labels, value] of samples) metric.inc(labels, value);
    };
    const metric = new kind({ name, help, labelNames, registers: [this], collect });
  }
}

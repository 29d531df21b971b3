import { Counter, Gauge, Registry, type MetricConfiguration } from "prom-client";
import { VERSION } from "../generated/version.ts";

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
   * @param name that of a counter ends in `_total`; any other is a gauge
   * @param help shown also without samples: it explains their absence
   */
  add<Label extends string>(
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
    const kind: Kind<Label> = name.endsWith("_total") ? Counter : Gauge;
    const metric = new kind({ name, help, labelNames, registers: [this], collect });
  }

  /** Adds what every process has. */
  addBuildAndMemory(): void {
    this.add(
      "santinela_build_info",
      "Version of the running release; always 1.",
      () => [[{ version: VERSION, node: process.versions.node }, 1]],
      ["version", "node"],
    );
    this.add("process_resident_memory_bytes", "Resident memory of the daemon.", () =>
      process.memoryUsage.rss(),
    );
  }
}

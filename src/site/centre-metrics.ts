import { AppError } from "../domain/errors.ts";
import type { Condition } from "../domain/condition.ts";
import type { Headline } from "../domain/headline.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import type { SiteApi } from "./site-api.ts";
import { addConditionMetrics, addHeadlineMetrics } from "./status-metrics.ts";

interface CentreMetricsParts {
  readonly site: Pick<SiteApi, "status">;
}

/** What one request for the metrics reads. */
interface Reading {
  readonly headline: Headline;
  readonly conditions: readonly Condition[];
  readonly hasDatabase: boolean;
}

/** Metrics of one process of a dispatch centre. Without the database only those of the process itself have samples. */
export class CentreMetrics {
  readonly #parts: CentreMetricsParts;
  readonly #registry = new MetricsRegistry();
  #reading: Reading | undefined;

  constructor(parts: CentreMetricsParts) {
    this.#parts = parts;
    const registry = this.#registry;
    registry.addBuildAndMemory();
    registry.add("santinela_database_up", "Whether this process reaches the shared database.", () =>
      this.#reading?.hasDatabase === true ? 1 : 0,
    );
    registry.add("santinela_alarms_unfinished", "Unfinished alarm interventions.", () =>
      this.#reading?.hasDatabase === true ? alarmsIn(this.#reading.headline) : undefined,
    );
    addHeadlineMetrics(registry, () => this.#reading?.headline);
    addConditionMetrics(registry, () => this.#reading?.conditions);
  }

  /** The metrics in the Prometheus text format. */
  async text(): Promise<string> {
    this.#reading = await this.#read();
    return this.#registry.metrics();
  }

  async #read(): Promise<Reading | undefined> {
    try {
      const { headline, conditions } = await this.#parts.site.status();
      const hasDatabase = !conditions.some(({ code }) => code === "database-unavailable");
      return { headline, conditions, hasDatabase };
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}

function alarmsIn({ reasons }: Headline): number {
  return reasons.find(({ code }) => code === "alarm-unfinished")?.count ?? 0;
}

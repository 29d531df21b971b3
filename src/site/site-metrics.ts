import { statSync } from "node:fs";
import { join } from "node:path";
import { Histogram } from "prom-client";
import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { Log } from "../domain/log.ts";
import { heapBytes, LoopDelay, type ThreadUse } from "../ops/thread-use.ts";
import { freeBytes } from "../ops/reserve-file.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { CountedTripStore } from "../store/counted-trips.ts";
import type { StatusView } from "./status-view.ts";
import type { SiteZones } from "./zones.ts";
import { addInputMetrics } from "./input-metrics.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import { addMonitoringMetrics } from "./monitoring-metrics.ts";
import { addStatusMetrics, addSyncMetrics } from "./status-metrics.ts";
import { TripCounts } from "./trip-counts.ts";

interface SiteMetricsParts {
  readonly config: Pick<Config, "dataDir" | "upstream">;
  readonly clock: Clock;
  readonly site: { status(): StatusView; readonly zones: Pick<SiteZones, "list"> };
  readonly countedTrips: CountedTripStore;
  readonly centreObjectives: Pick<UpstreamObjectiveStore, "lastRead">;
  /** What each other thread uses, by name, with its longest delay since the last call. */
  readonly threads: () => ReadonlyMap<string, ThreadUse>;
  readonly inputs: Pick<Inputs, "brokerUse" | "alarmPanelUse">;
  readonly log: Log;
}

/** Seconds; EN 50131-1 allows ten for an intrusion signal, so longer times indicate a fault. */
const TRIP_TO_RECORD_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
const DATABASES = ["santinela", "journal"] as const;

/** Metrics of the running daemon. Most are read from the tables on each request. */
export class SiteMetrics {
  readonly #parts: SiteMetricsParts;
  readonly #registry = new MetricsRegistry();
  readonly #trips: TripCounts;
  readonly #tripToRecord: Histogram;
  readonly #loopDelay = new LoopDelay();
  #status: StatusView | undefined;
  #uses: ReadonlyMap<string, ThreadUse> | undefined;

  constructor(parts: SiteMetricsParts) {
    this.#parts = parts;
    this.#trips = new TripCounts(parts);
    // One status for all metrics of a request.
    const status = (): StatusView => (this.#status ??= parts.site.status());
    this.#registry.addBuildAndMemory();
    this.#addTripMetrics(status);
    this.#tripToRecord = new Histogram({
      name: "santinela_trip_to_record_seconds",
      help: "Time from the opening of a contact to its intervention, for trips since the boot of this machine.",
      buckets: TRIP_TO_RECORD_S,
      registers: [this.#registry],
    });
    addSyncMetrics(this.#registry, status, () => parts.clock.wallMs());
    addMonitoringMetrics(this.#registry, status, () => parts.clock.wallMs());
    addStatusMetrics(this.#registry, status);
    this.#addObjectiveMetric();
    addInputMetrics(this.#registry, parts.inputs);
    this.#addDiskMetrics();
    this.#addProcessMetrics(status);
  }

  /** Starts the process metrics and the count of existing trips. @returns stops them */
  start(): () => void {
    this.#trips.update();
    return () => {
      this.#trips.stop();
      this.#loopDelay.stop();
    };
  }

  /** Called when a trip of this run is recorded. @param waitMs time since its contact opened */
  noteRecord(waitMs: number): void {
    this.#tripToRecord.observe(waitMs / 1000);
  }

  text(): Promise<string> {
    this.#status = undefined;
    this.#uses = undefined;
    this.#trips.update();
    return this.#registry.metrics();
  }

  #addTripMetrics(status: () => StatusView): void {
    const registry = this.#registry;
    const trips = this.#trips;
    const { zones } = this.#parts.site;
    registry.add(
      "santinela_zone_trips_total",
      "Trips of a zone in the journal, with any disposition; one with an entry delay counts after it.",
      () => (trips.isComplete ? zones.list().map(({ id }) => [{ zone: id }, trips.of(id)]) : []),
      ["zone"],
    );
    registry.add(
      "santinela_zone_suppressed_total",
      "Trips recorded but suppressed, by reason.",
      () => (trips.isComplete ? trips.suppressed.map(({ count, ...labels }) => [labels, count]) : []),
      ["zone", "reason"],
    );
    registry.add(
      "santinela_zone_open",
      "Whether a zone's contact is open; also 0 before the first reading.",
      () => zones.list().map(({ id, contact }) => [{ zone: id }, contact === "open" ? 1 : 0]),
      ["zone"],
    );
    registry.add(
      "santinela_trips_pending",
      "Trips without an intervention yet.",
      () => (["waiting", "refused"] as const).map((state) => [{ state }, status().trips[state]]),
      ["state"],
    );
  }

  /** Lists of a previously configured dispatch centre are ignored. */
  #addObjectiveMetric(): void {
    const { config, clock, centreObjectives } = this.#parts;
    this.#registry.add(
      "santinela_objectives_age_seconds",
      "Time since the last complete pull of an objective list; no sample before the first.",
      () =>
        OBJECTIVE_TYPES.flatMap((type) => {
          const pulled = centreObjectives.lastRead(type);
          if (!pulled || pulled.centre !== config.upstream?.baseUrl) return [];
          return [[{ type }, Math.max(0, clock.wallMs() - pulled.completedAtMs) / 1000] as const];
        }),
      ["type"],
    );
  }

  /** Without the built-in broker these have no samples. */
  #addDiskMetrics(): void {
    const { dataDir } = this.#parts.config;
    const size = (file: string): number =>
      statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0;
    this.#registry.add(
      "santinela_database_bytes",
      "Size of a database file and its write-ahead log.",
      () =>
        DATABASES.flatMap((database) => [
          [{ database, file: "main" }, size(`${database}.db`)] as const,
          [{ database, file: "wal" }, size(`${database}.db-wal`)] as const,
        ]),
      ["database", "file"],
    );
    this.#registry.add("santinela_disk_free_bytes", "Free space on the disk of the data directory.", () =>
      freeBytes(dataDir),
    );
  }

  #addProcessMetrics(status: () => StatusView): void {
    const registry = this.#registry;
    const delay = this.#loopDelay;
    registry.add(
      "santinela_event_loop_delay_seconds",
      "Delay of timers in the sensing thread since the last read.",
      () => {
        const [median = 0, most = 0, longest = 0] = delay.at(0.5, 0.99, 1);
        delay.reset();
        return [
          [{ quantile: "0.5" }, median],
          [{ quantile: "0.99" }, most],
          [{ quantile: "1" }, longest],
        ];
      },
      ["quantile"],
    );
    // One reading for all metrics of a request.
    const uses = () => [...(this.#uses ??= this.#parts.threads())];
    registry.add(
      "santinela_thread_delay_seconds",
      "Longest delay of timers in each other thread since the last read.",
      () => uses().map(([thread, { longestDelayS }]) => [{ thread }, longestDelayS]),
      ["thread"],
    );
    registry.add(
      "santinela_thread_heap_bytes",
      "Heap that V8 has reserved for a thread, with the buffers that its objects hold.",
      () => [
        [{ thread: "sensing" }, heapBytes()],
        ...uses().map(([thread, use]) => [{ thread }, use.heapBytes] as const),
      ],
      ["thread"],
    );
    registry.add("process_cpu_seconds_total", "CPU time of the daemon.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    registry.add(
      "process_start_time_seconds",
      "Start time of the daemon, seconds since 1970.",
      () => Date.parse(status().startedAt) / 1000,
    );
  }
}

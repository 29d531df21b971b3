import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { TripState } from "../domain/trip.ts";
import { VERSION } from "../generated/version.ts";
import type { MetricsPort } from "../http/metrics.ts";
import { freeBytes } from "../ops/reserve-file.ts";
import type { Inputs } from "../inputs/inputs.ts";
import { Histogram } from "../ops/histogram.ts";
import { counter, gauge, metricsText, type MetricFamily } from "../ops/metrics-text.ts";
import { ProcessWatch } from "../ops/process-metrics.ts";
import { brokerFamilies, statusFamilies } from "./status-metrics.ts";
import { isStorageError } from "../store/database.ts";
import type { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { TripStore } from "../store/trips.ts";
import { headlineFamilies } from "./headline-metrics.ts";
import type { StatusView } from "./status-view.ts";
import { syncFamilies } from "./sync-metrics.ts";
import type { SiteZones } from "./zones.ts";

export interface SiteMetricsParts {
  readonly config: Pick<Config, "dataDir" | "metricsToken" | "upstream">;
  readonly clock: Clock;
  readonly site: { status(): StatusView; readonly zones: Pick<SiteZones, "list"> };
  readonly trips: TripStore;
  readonly centreObjectives: Pick<UpstreamObjectiveStore, "lastRead">;
  readonly inputs: Pick<Inputs, "brokerUse">;
  readonly log: Log;
}

/** States of dispatched trips; trips with other states were suppressed. */
const DISPATCHED: ReadonlySet<string> = new Set(["waiting", "posted", "merged", "refused"] as const);
const DATABASES = ["santinela", "journal"] as const;
/** Seconds; EN 50131-1 allows ten for an intrusion signal, so longer times indicate a fault. */
const TRIP_TO_RECORD_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

/** Rows of the journal counted per batch, with pauses so that readings are not delayed. */
const COUNT_BATCH_ROWS = 5_000;
const COUNT_PAUSE_MS = 50;

/** Metrics of the running daemon. Most are read from the tables on each request. */
export class SiteMetrics implements MetricsPort {
  readonly #parts: SiteMetricsParts;
  readonly #process = new ProcessWatch();
  /** Trips by zone, and by zone and state; counted incrementally, because a full journal is too large for each request. */
  readonly #trips = new Map<string, number>();
  readonly #suppressed = new Map<string, { zone: string; reason: TripState; count: number }>();
  #countedTo = 0;
  /** Whether all trips have been counted. */
  #isCounted = false;
  #cancelCounting: CancelTimer = () => {};
  readonly #tripToRecord = new Histogram(TRIP_TO_RECORD_S);

  constructor(parts: SiteMetricsParts) {
    this.#parts = parts;
  }

  /** Starts the process metrics and the count of existing trips. @returns stops them */
  start(): () => void {
    this.#process.start();
    this.#countNewTrips();
    return () => {
      this.#cancelCounting();
      this.#process.stop();
    };
  }

  /** Called when a trip of this run is recorded. @param waitMs time since its contact opened */
  noteRecord(waitMs: number): void {
    this.#tripToRecord.note(waitMs / 1000);
  }

  get token(): string | null {
    return this.#parts.config.metricsToken;
  }

  /** All metrics in the Prometheus text format. */
  text(): string {
    const status = this.#parts.site.status();
    return metricsText([
      gauge("santinela_build_info", "Version of the running release; always 1.", [
        { labels: { version: VERSION, node: process.versions.node }, value: 1 },
      ]),
      ...this.#tripFamilies(status),
      ...syncFamilies(status, this.#parts.clock.wallMs()),
      this.#objectiveFamily(),
      ...headlineFamilies(status),
      ...statusFamilies(status),
      ...brokerFamilies(this.#parts.inputs.brokerUse),
      ...this.#diskFamilies(),
      ...this.#processFamilies(status),
    ]);
  }

  #tripFamilies({ trips }: StatusView): MetricFamily[] {
    this.#countNewTrips();
    const zones = this.#parts.site.zones.list();
    return [
      counter(
        "santinela_zone_trips_total",
        "Trips of a zone in the journal, with any disposition.",
        // No sample before the count is complete: a partial count would look like new trips later.
        this.#isCounted
          ? zones.map(({ id }) => ({ labels: { zone: id }, value: this.#trips.get(id) ?? 0 }))
          : [],
      ),
      counter(
        "santinela_zone_suppressed_total",
        "Trips recorded but suppressed, by reason.",
        (this.#isCounted ? [...this.#suppressed.values()] : []).map(({ zone, reason, count }) => ({
          labels: { zone, reason },
          value: count,
        })),
      ),
      gauge(
        "santinela_zone_open",
        "Whether a zone's contact is open; also 0 before the first reading.",
        zones.map(({ id, contact }) => ({ labels: { zone: id }, value: contact === "open" ? 1 : 0 })),
      ),
      {
        name: "santinela_trip_to_record_seconds",
        kind: "histogram",
        help: "Time from the opening of a contact to its intervention, for trips since the boot of this machine.",
        samples: this.#tripToRecord.samples,
      },
      gauge("santinela_trips_pending", "Trips without an intervention yet.", [
        { labels: { state: "waiting" }, value: trips.waiting },
        { labels: { state: "refused" }, value: trips.refused },
      ]),
    ];
  }

  #countNewTrips(): void {
    this.#cancelCounting();
    const { clock, trips, log } = this.#parts;
    let part: ReturnType<TripStore["countsAfter"]>;
    try {
      part = trips.countsAfter(this.#countedTo, COUNT_BATCH_ROWS);
    } catch (error) {
      // A storage error is handled where the data is needed; metrics must not stop the monitoring.
      if (!isStorageError(error)) throw error;
      this.#isCounted = false;
      return log.debug("trip-count-failed", { reason: messageOf(error) });
    }
    const { counts, last, isNewest } = part;
    this.#countedTo = last;
    this.#isCounted = isNewest;
    if (!isNewest) this.#cancelCounting = clock.after(COUNT_PAUSE_MS, () => this.#countNewTrips());
    for (const { zoneId, state, count } of counts) {
      this.#trips.set(zoneId, (this.#trips.get(zoneId) ?? 0) + count);
      if (DISPATCHED.has(state)) continue;
      const key = `${zoneId}/${state}`;
      const known = this.#suppressed.get(key)?.count ?? 0;
      this.#suppressed.set(key, { zone: zoneId, reason: state, count: known + count });
    }
  }

  /** Lists of a previously configured dispatch centre are ignored. */
  #objectiveFamily(): MetricFamily {
    const { config, clock, centreObjectives } = this.#parts;
    const samples = OBJECTIVE_TYPES.flatMap((type) => {
      const pulled = centreObjectives.lastRead(type);
      if (!pulled || pulled.centre !== config.upstream?.baseUrl) return [];
      return [{ labels: { type }, value: Math.max(0, clock.wallMs() - pulled.completedAtMs) / 1000 }];
    });
    return gauge(
      "santinela_objectives_age_seconds",
      "Time since the last complete pull of an objective list; no sample before the first.",
      samples,
    );
  }

  #diskFamilies(): MetricFamily[] {
    const { dataDir } = this.#parts.config;
    const size = (file: string): number =>
      statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0;
    return [
      gauge(
        "santinela_database_bytes",
        "Size of a database file and its write-ahead log.",
        DATABASES.flatMap((database) => [
          { labels: { database, file: "main" }, value: size(`${database}.db`) },
          { labels: { database, file: "wal" }, value: size(`${database}.db-wal`) },
        ]),
      ),
      gauge("santinela_disk_free_bytes", "Free space on the disk of the data directory.", [
        { value: freeBytes(dataDir) },
      ]),
    ];
  }

  #processFamilies({ startedAt }: StatusView): MetricFamily[] {
    const { residentBytes, cpuSeconds, loopDelay } = this.#process.look();
    return [
      gauge("santinela_event_loop_delay_seconds", "Delay of timers since the last read.", [
        { labels: { quantile: "0.5" }, value: loopDelay.median },
        { labels: { quantile: "0.99" }, value: loopDelay.p99 },
        { labels: { quantile: "1" }, value: loopDelay.max },
      ]),
      gauge("process_resident_memory_bytes", "Resident memory of the daemon.", [{ value: residentBytes }]),
      counter("process_cpu_seconds_total", "CPU time of the daemon.", [{ value: cpuSeconds }]),
      gauge("process_start_time_seconds", "Start time of the daemon, seconds since 1970.", [
        { value: Date.parse(startedAt) / 1000 },
      ]),
    ];
  }
}

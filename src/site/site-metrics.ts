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
import type { SitePorts } from "../http/site/site-ports.ts";
import type { StatusView } from "../http/site/status-view.ts";
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
import { syncFamilies } from "./sync-metrics.ts";

export interface SiteMetricsParts {
  readonly config: Pick<Config, "dataDir" | "metricsToken" | "upstream">;
  readonly clock: Clock;
  readonly site: Pick<SitePorts, "status" | "zones">;
  readonly trips: TripStore;
  readonly centreObjectives: Pick<UpstreamObjectiveStore, "lastRead">;
  readonly inputs: Pick<Inputs, "brokerUse">;
  readonly log: Log;
}

/** States of a trip that has gone the way to the centre; any other one was held back for a reason. */
const DISPATCHED: ReadonlySet<string> = new Set(["waiting", "posted", "merged", "refused"] as const);
const DATABASES = ["santinela", "journal"] as const;
/** Seconds; EN 50131-1 allows ten for an intrusion signal, and what comes after that has met a fault. */
const TRIP_TO_RECORD_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

/** Rows of the journal counted at once, and how long what has come in meanwhile goes first. */
const COUNT_BATCH_ROWS = 5_000;
const BETWEEN_COUNTS_MS = 50;

/** The running daemon in numbers, for a Prometheus server. Read from the tables when asked; nothing is kept up to date. */
export class SiteMetrics implements MetricsPort {
  readonly #parts: SiteMetricsParts;
  readonly #process = new ProcessWatch();
  /** Trips by zone and by zone and state, counted once each: a full journal is too much to count at every look. */
  readonly #trips = new Map<string, number>();
  readonly #suppressed = new Map<string, { zone: string; reason: TripState; count: number }>();
  #countedTo = 0;
  /** Whether that was the newest trip when it was counted. */
  #isCounted = false;
  #cancelCounting: CancelTimer = () => {};
  readonly #tripToRecord = new Histogram(TRIP_TO_RECORD_S);

  constructor(parts: SiteMetricsParts) {
    this.#parts = parts;
  }

  /** Begins to watch this process, and to count what the journal has from before. @returns what ends it */
  start(): () => void {
    this.#process.start();
    this.#countNewTrips();
    return () => {
      this.#cancelCounting();
      this.#process.stop();
    };
  }

  /** A trip of this process's own time is a record now. @param waitMs since its contact opened */
  noteRecord(waitMs: number): void {
    this.#tripToRecord.note(waitMs / 1000);
  }

  get token(): string | null {
    return this.#parts.config.metricsToken;
  }

  /** Everything in Prometheus' text format. */
  text(): string {
    const status = this.#parts.site.status();
    return metricsText([
      gauge("santinela_build_info", "The release that runs; always 1.", [
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
        "Trips of a zone in the journal, whatever became of them.",
        // A part of the count, taken for all of it, would make the next look see trips that nobody has made.
        this.#isCounted
          ? zones.map(({ id }) => ({ labels: { zone: id }, value: this.#trips.get(id) ?? 0 }))
          : [],
      ),
      counter(
        "santinela_zone_suppressed_total",
        "Trips that were written down and not dispatched, by reason.",
        (this.#isCounted ? [...this.#suppressed.values()] : []).map(({ zone, reason, count }) => ({
          labels: { zone, reason },
          value: count,
        })),
      ),
      gauge(
        "santinela_zone_open",
        "Whether a zone's contact is open; 0 also before it was first seen.",
        zones.map(({ id, contact }) => ({ labels: { zone: id }, value: contact === "open" ? 1 : 0 })),
      ),
      {
        name: "santinela_trip_to_record_seconds",
        kind: "histogram",
        help: "From a contact's opening to its intervention, for trips since this machine's start.",
        samples: this.#tripToRecord.samples,
      },
      gauge("santinela_trips_pending", "Trips that are no intervention yet.", [
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
      // A page that cannot be read is whoever's business who needs it; no contact goes unheard for a number.
      if (!isStorageError(error)) throw error;
      this.#isCounted = false;
      return log.debug("trip-count-failed", { reason: messageOf(error) });
    }
    const { counts, last, isNewest } = part;
    this.#countedTo = last;
    this.#isCounted = isNewest;
    if (!isNewest) this.#cancelCounting = clock.after(BETWEEN_COUNTS_MS, () => this.#countNewTrips());
    for (const { zoneId, state, count } of counts) {
      this.#trips.set(zoneId, (this.#trips.get(zoneId) ?? 0) + count);
      if (DISPATCHED.has(state)) continue;
      const key = `${zoneId}/${state}`;
      const known = this.#suppressed.get(key)?.count ?? 0;
      this.#suppressed.set(key, { zone: zoneId, reason: state, count: known + count });
    }
  }

  /** Of a centre that is not this one any more there is no list. */
  #objectiveFamily(): MetricFamily {
    const { config, clock, centreObjectives } = this.#parts;
    const samples = OBJECTIVE_TYPES.flatMap((type) => {
      const walk = centreObjectives.lastRead(type);
      if (!walk || walk.centre !== config.upstream?.baseUrl) return [];
      return [{ labels: { type }, value: Math.max(0, clock.wallMs() - walk.completedAtMs) / 1000 }];
    });
    return gauge(
      "santinela_objectives_age_seconds",
      "Age of the copy of a list of the centre's objectives; no sample before it was first read to its end.",
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
        "Size of a database's file and of its write-ahead log.",
        DATABASES.flatMap((database) => [
          { labels: { database, file: "main" }, value: size(`${database}.db`) },
          { labels: { database, file: "wal" }, value: size(`${database}.db-wal`) },
        ]),
      ),
      gauge("santinela_disk_free_bytes", "What is free on the disk of the data folder.", [
        { value: freeBytes(dataDir) },
      ]),
    ];
  }

  #processFamilies({ startedAt }: StatusView): MetricFamily[] {
    const { residentBytes, cpuSeconds, loopDelay } = this.#process.look();
    return [
      gauge("santinela_event_loop_delay_seconds", "How late timers were since the last look.", [
        { labels: { quantile: "0.5" }, value: loopDelay.median },
        { labels: { quantile: "0.99" }, value: loopDelay.p99 },
        { labels: { quantile: "1" }, value: loopDelay.max },
      ]),
      gauge("process_resident_memory_bytes", "Memory that the daemon has.", [{ value: residentBytes }]),
      counter("process_cpu_seconds_total", "Processor time that the daemon has used.", [
        { value: cpuSeconds },
      ]),
      gauge("process_start_time_seconds", "When the daemon was started, seconds since 1970.", [
        { value: Date.parse(startedAt) / 1000 },
      ]),
    ];
  }
}

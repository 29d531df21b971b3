import type { Clock } from "../domain/clock.ts";
import { SITE_LEVELS, type SiteState } from "../domain/site-state.ts";
import type { Fleet } from "../service/fleet.ts";

/** One metric with a sample for each site; undefined for no sample. */
interface SiteMetric {
  readonly name: string;
  readonly help: string;
  readonly labels?: (site: SiteState) => string;
  readonly value: (site: SiteState, nowMs: number) => number | undefined;
}

const LOW_BATTERY = "battery";

const METRICS: readonly SiteMetric[] = [
  {
    name: "santinela_site_reporting",
    help: "Whether the site reports: 0 while it is silent (fleet.silentS, or its own time in fleet.sites).",
    value: ({ silentSinceMs }) => (silentSinceMs === null ? 1 : 0),
  },
  {
    name: "santinela_site_level",
    help: "The level of the site as a label; always 1. A silent site is at least a fault.",
    labels: ({ level }) => `,level="${level}"`,
    value: () => 1,
  },
  {
    name: "santinela_site_info",
    help: "Name and version of the site; always 1.",
    labels: ({ report }) => `,name="${escaped(report.name)}",version="${escaped(report.version)}"`,
    value: () => 1,
  },
  {
    name: "santinela_site_report_age_seconds",
    help: "Time since the last report of the site.",
    value: ({ reportedAtMs }, nowMs) => Math.max(0, nowMs - reportedAtMs) / 1000,
  },
  {
    name: "santinela_site_uptime_seconds",
    help: "Running time of the site's daemon at its last report.",
    value: ({ report }) => report.upS,
  },
  {
    name: "santinela_site_conditions",
    help: "Open conditions of the site.",
    value: ({ report }) => report.conditions?.length ?? 0,
  },
  {
    name: "santinela_site_zone_faults",
    help: "Faults of the site's zones, without low batteries.",
    value: ({ report: { faults = [], moreFaults = 0 } }) =>
      faults.filter(({ fault }) => fault !== LOW_BATTERY).length + moreFaults,
  },
  {
    name: "santinela_site_low_batteries",
    help: "Zones of the site with a low battery.",
    value: ({ report }) => report.faults?.filter(({ fault }) => fault === LOW_BATTERY).length ?? 0,
  },
  {
    name: "santinela_site_backlog_records",
    help: "Records queued at the site; no sample for a silent one, because its queue is not known.",
    value: ({ report, silentSinceMs }) =>
      silentSinceMs === null ? (report.backlog?.records ?? 0) : undefined,
  },
  {
    name: "santinela_site_backlog_oldest_age_seconds",
    help: "Age of the oldest record queued at the site; no sample for a silent one.",
    value: ({ report, silentSinceMs }) =>
      silentSinceMs === null ? (report.backlog?.oldestS ?? 0) : undefined,
  },
  {
    name: "santinela_site_differing_records",
    help: "Differences in the site's last comparison with this dispatch centre; no sample before the first.",
    value: ({ report }) => report.compared?.differing,
  },
  {
    name: "santinela_site_clock_offset_seconds",
    help: "By how much the clock of the site is ahead of this one, travel time included.",
    value: ({ clockOffsetMs }) => clockOffsetMs / 1000,
  },
  {
    name: "santinela_site_disk_free_bytes",
    help: "Free space on the disk of the site.",
    value: ({ report }) => (report.diskFreeMb === undefined ? undefined : report.diskFreeMb * 1_048_576),
  },
  {
    name: "santinela_site_storage_wear_ratio",
    help: "Used share of the life of the site's storage; no sample if the storage does not report it.",
    value: ({ report }) => (report.cardWear === undefined ? undefined : report.cardWear / 100),
  },
];

/** Sites read in one event loop turn, so that other requests are answered in between. */
const PART_SITES = 200;

/**
 * The metrics of all sites in the Prometheus text format. Written here and not by prom-client, which would keep each of 150,000
 * samples as an object.
 */
export async function fleetMetrics(fleet: Pick<Fleet, "after" | "counts">, clock: Clock): Promise<string> {
  const samples = METRICS.map(() => "");
  const nowMs = clock.wallMs();
  for (let last = 0; ;) {
    const sites = await fleet.after(last, PART_SITES);
    const refs = sites.map(({ ref }) => escaped(ref));
    METRICS.forEach(({ name, labels, value }, index) => {
      const lines = sites.map((site, place) => {
        const number = value(site, nowMs);
        return number === undefined
          ? ""
          : `${name}{site="${refs[place]}"${labels?.(site) ?? ""}} ${number}\n`;
      });
      samples[index] += lines.join("");
    });
    last = sites.at(-1)?.id ?? 0;
    if (sites.length < PART_SITES) break;
    await new Promise<void>((resolve) => {
      clock.afterEventLoopTurn(resolve);
    });
  }
  const { counts } = await fleet.counts();
  const levels = SITE_LEVELS.map((level) => `santinela_sites{level="${level}"} ${counts[level]}\n`);
  return [
    headOf("santinela_sites", "Number of sites of each level."),
    ...levels,
    ...METRICS.flatMap(({ name, help }, index) => [headOf(name, help), samples[index] ?? ""]),
  ].join("");
}

function headOf(name: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
}

/** A label value: backslash and quotation mark are escaped; the schema allows no line breaks. */
function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&");
}

import type { StatusView } from "./status-view.ts";
import type { MetricFamily, MetricSample } from "../ops/metrics-text.ts";

/** Metrics of the sync. @param nowMs wall clock, milliseconds since 1970 */
export function syncFamilies({ outbox, link, comparison }: StatusView, nowMs: number): MetricFamily[] {
  const { oldestWaitingMs } = outbox;
  const oldestS = oldestWaitingMs === null ? 0 : Math.max(0, (nowMs - oldestWaitingMs) / 1000);
  const ageS = (at: string): number => Math.max(0, (nowMs - Date.parse(at)) / 1000);
  const states = ["waiting", "blocked", "rejected", "gone", "doubtful"] as const;
  return [
    gauge(
      "santinela_sync_queue_records",
      "Records that are not synced with the dispatch centre, by state.",
      states.map((state) => ({ labels: { state }, value: outbox[state] })),
    ),
    gauge("santinela_sync_oldest_age_seconds", "Age of the oldest queued record; 0 if none is queued.", [
      { value: oldestS },
    ]),
    gauge(
      "santinela_upstream_up",
      "Whether the link to the dispatch centre is up; no sample without a dispatch centre or before the first response.",
      link.state === "up" || link.state === "down" ? [{ value: link.state === "up" ? 1 : 0 }] : [],
    ),
    gauge(
      "santinela_upstream_answer_age_seconds",
      "Time since the last successful response of the dispatch centre, to ten seconds; no sample before the first.",
      link.answeredAt === null ? [] : [{ value: ageS(link.answeredAt) }],
    ),
    gauge(
      "santinela_compared_records",
      "Records of the last comparison: expected at the dispatch centre (here), found there (there), and differing.",
      comparison === null
        ? []
        : (["here", "there", "differing"] as const).map((what) => ({
            labels: { what },
            value: comparison[what],
          })),
    ),
    gauge(
      "santinela_compared_age_seconds",
      "Time since the last comparison with the dispatch centre; no sample before the first.",
      comparison === null ? [] : [{ value: ageS(comparison.at) }],
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, kind: "gauge", help, samples };
}

import type { StatusView } from "../http/site/status-view.ts";
import type { MetricFamily, MetricSample } from "../ops/metrics-text.ts";

/* The way to the centre in numbers. */

/** @param nowMs wall clock, milliseconds since 1970 */
export function syncFamilies({ outbox, link, comparison }: StatusView, nowMs: number): MetricFamily[] {
  const { oldestWaitingMs } = outbox;
  const oldestS = oldestWaitingMs === null ? 0 : Math.max(0, (nowMs - oldestWaitingMs) / 1000);
  const ageS = (at: string): number => Math.max(0, (nowMs - Date.parse(at)) / 1000);
  const states = ["waiting", "blocked", "rejected", "gone", "doubtful"] as const;
  return [
    gauge(
      "santinela_sync_queue_records",
      "Records that the centre does not have as they are here, by state.",
      states.map((state) => ({ labels: { state }, value: outbox[state] })),
    ),
    gauge("santinela_sync_oldest_age_seconds", "Age of the oldest record that waits; 0 when none does.", [
      { value: oldestS },
    ]),
    gauge(
      "santinela_upstream_up",
      "Whether the centre has answered last; no sample without a centre or before the first answer.",
      link.state === "up" || link.state === "down" ? [{ value: link.state === "up" ? 1 : 0 }] : [],
    ),
    gauge(
      "santinela_upstream_answer_age_seconds",
      "Age of the centre's last good answer, to ten seconds; no sample before the first since the start.",
      link.answeredAt === null ? [] : [{ value: ageS(link.answeredAt) }],
    ),
    gauge(
      "santinela_compared_records",
      "Records that should be at the centre (here), that are (there), and that differ, when last compared.",
      comparison === null
        ? []
        : (["here", "there", "differing"] as const).map((what) => ({
            labels: { what },
            value: comparison[what],
          })),
    ),
    gauge(
      "santinela_compared_age_seconds",
      "Age of the last comparison with the centre's list; no sample before the first.",
      comparison === null ? [] : [{ value: ageS(comparison.at) }],
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, kind: "gauge", help, samples };
}

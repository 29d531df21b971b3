import { CONDITIONS, type Condition } from "../domain/condition.ts";
import { HEADLINE_LEVELS, HEADLINE_REASONS, type Headline } from "../domain/headline.ts";
import type { StatusView } from "./status-view.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

const OUTBOX_STATES = ["waiting", "blocked", "rejected", "gone", "doubtful"] as const;

/**
 * Adds the metrics of the headline, with samples for all levels and reasons.
 * @param headline returns undefined while it cannot be read
 */
export function addHeadlineMetrics(registry: MetricsRegistry, headline: () => Headline | undefined): void {
  registry.add(
    "santinela_headline",
    "Overall state of the site or dispatch centre: 1 for the current level, 0 for the others.",
    () => {
      const now = headline();
      return now ? HEADLINE_LEVELS.map((level) => [{ level }, Number(now.level === level)] as const) : [];
    },
    ["level"],
  );
  registry.add(
    "santinela_headline_reasons",
    "Number of interventions, zones, sites, conditions or records for each headline reason.",
    () => {
      const now = headline();
      if (!now) return [];
      return Object.entries(HEADLINE_REASONS).map(([reason, level]) => [
        { reason, level },
        now.reasons.find(({ code }) => code === reason)?.count ?? 0,
      ]);
    },
    ["reason", "level"],
  );
}

/**
 * Adds the metrics of the conditions, with samples for all codes.
 * @param conditions returns the open ones; undefined while they cannot be read
 */
export function addConditionMetrics(
  registry: MetricsRegistry,
  conditions: () => readonly Condition[] | undefined,
): void {
  registry.add(
    "santinela_conditions_open",
    "Open conditions by code; see /usr/share/doc/santinela/docs/operating.md.",
    () => {
      const now = conditions();
      if (!now) return [];
      return Object.entries(CONDITIONS).map(([code, { severity }]) => {
        const open = now.filter((condition) => condition.code === code);
        // A warning that stays open can become an error.
        return [{ code, severity: open[0]?.severity ?? severity }, open.length];
      });
    },
    ["code", "severity"],
  );
}

/** Adds the metrics of headline, conditions and messages, with samples for all levels, reasons and codes. */
export function addStatusMetrics(registry: MetricsRegistry, status: () => StatusView): void {
  addHeadlineMetrics(registry, () => status().headline);
  registry.add(
    "santinela_life_safety_suppressed",
    "Life-safety zones whose trips are currently suppressed.",
    () => status().lifeSafetySuppressed.length,
  );
  addConditionMetrics(registry, () => status().conditions);
  registry.add(
    "santinela_mqtt_messages_ignored_total",
    "MQTT messages without effect, by topic and reason; see /usr/share/doc/santinela/docs/sensors.md.",
    // The number of topics is limited: further topics share one counter.
    () => status().messages.map(({ topic, reason, count }) => [{ topic, reason }, count]),
    ["topic", "reason"],
  );
}

/**
 * Adds the metrics of the sync.
 * @param nowMs returns the wall clock, milliseconds since 1970
 */
export function addSyncMetrics(
  registry: MetricsRegistry,
  status: () => StatusView,
  nowMs: () => number,
): void {
  const secondsSince = (wallMs: number): number => Math.max(0, (nowMs() - wallMs) / 1000);
  registry.add(
    "santinela_sync_queue_records",
    "Records that are not synced with the dispatch centre, by state.",
    () => OUTBOX_STATES.map((state) => [{ state }, status().outbox[state]]),
    ["state"],
  );
  registry.add(
    "santinela_sync_oldest_age_seconds",
    "Age of the oldest queued record; 0 if none is queued.",
    () => {
      const { oldestWaitingMs } = status().outbox;
      return oldestWaitingMs === null ? 0 : secondsSince(oldestWaitingMs);
    },
  );
  registry.add(
    "santinela_upstream_up",
    "Whether the link to the dispatch centre is up; no sample without a dispatch centre or before the first response.",
    () => ({ up: 1, down: 0, unknown: undefined, none: undefined })[status().link.state],
  );
  registry.add(
    "santinela_upstream_response_age_seconds",
    "Time since the last successful response of the dispatch centre, to ten seconds; no sample before the first.",
    () => {
      const { answeredAt } = status().link;
      return answeredAt === null ? undefined : secondsSince(Date.parse(answeredAt));
    },
  );
  registry.add(
    "santinela_compared_records",
    "Records of the last comparison: expected at the dispatch centre (here), found there (there), and differing.",
    () => {
      const { comparison } = status();
      if (comparison === null) return [];
      return (["here", "there", "differing"] as const).map((what) => [{ what }, comparison[what]]);
    },
    ["what"],
  );
  registry.add(
    "santinela_compared_age_seconds",
    "Time since the last comparison with the dispatch centre; no sample before the first.",
    () => {
      const { comparison } = status();
      return comparison === null ? undefined : secondsSince(Date.parse(comparison.at));
    },
  );
}

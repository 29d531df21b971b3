import { HEADLINE_LEVELS, HEADLINE_REASONS } from "../domain/headline.ts";
import type { StatusView } from "./status-view.ts";
import { gauge, type MetricFamily } from "../ops/metrics-text.ts";

/** Metrics of the headline, with samples for all levels and reasons. */
export function headlineFamilies({ headline, lifeSafetyHeld }: StatusView): MetricFamily[] {
  return [
    gauge(
      "santinela_headline",
      "Overall state of the site: 1 for the current level, 0 for the others.",
      HEADLINE_LEVELS.map((level) => ({ labels: { level }, value: Number(headline.level === level) })),
    ),
    gauge(
      "santinela_headline_reasons",
      "Number of interventions, zones, conditions or records for each headline reason.",
      Object.entries(HEADLINE_REASONS).map(([reason, level]) => ({
        labels: { reason, level },
        value: headline.reasons.find(({ code }) => code === reason)?.count ?? 0,
      })),
    ),
    gauge("santinela_life_safety_held", "Life-safety zones whose trips are currently suppressed.", [
      { value: lifeSafetyHeld.length },
    ]),
  ];
}

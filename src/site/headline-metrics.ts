import { HEADLINE_LEVELS, HEADLINE_REASONS } from "../domain/headline.ts";
import type { StatusView } from "../http/site/status-view.ts";
import { gauge, type MetricFamily } from "../ops/metrics-text.ts";

/** Every level and every reason there is, so that one that has never held has a line too. */
export function headlineFamilies({ headline, lifeSafetyHeld }: StatusView): MetricFamily[] {
  return [
    gauge(
      "santinela_headline",
      "The state of the whole site: 1 for its level, 0 for the others.",
      HEADLINE_LEVELS.map((level) => ({ labels: { level }, value: Number(headline.level === level) })),
    ),
    gauge(
      "santinela_headline_reasons",
      "What makes the headline, by reason: interventions, zones, conditions or records.",
      Object.entries(HEADLINE_REASONS).map(([reason, level]) => ({
        labels: { reason, level },
        value: headline.reasons.find(({ code }) => code === reason)?.count ?? 0,
      })),
    ),
    gauge("santinela_life_safety_held", "Life-safety zones whose trips are not dispatched now.", [
      { value: lifeSafetyHeld.length },
    ]),
  ];
}

import { isoTime } from "../domain/clock.ts";
import type { Headline } from "../domain/headline.ts";
import type { Objective } from "../domain/objective.ts";
import type { UnfinishedDetails } from "../store/unfinished-records.ts";
import type { JourneyView } from "./journey-view.ts";
import { unfinishedOf } from "./journeys.ts";
import { journeyObjective, servicesOf } from "./record-journeys.ts";

/** A record that is not done, with its objective. */
export interface UnfinishedAtCentre extends UnfinishedDetails {
  readonly objective: Objective;
}

/**
 * The unfinished interventions of the headline of a dispatch centre: where each is, when it began, and who has to come.
 * They have arrived, so that there is no way to show.
 *
 * @param details of those records; one that is gone is left out
 */
export function centreJourneys(
  headline: Headline,
  details: readonly UnfinishedAtCentre[],
): readonly JourneyView[] {
  return unfinishedOf(headline).flatMap(({ id, name, isAlarm }) => {
    const record = details.find((one) => one.id === id);
    if (!record) return [];
    const { objectiveType, objectiveId, createdMs, startMs, priority, status } = record;
    return [
      {
        interventionId: id,
        name,
        isAlarm,
        objective: journeyObjective({ type: objectiveType, id: objectiveId }, record.objective),
        zone: null,
        // An alarm that was queued at its site is older than its record here.
        contactAt: isAlarm && startMs !== null ? isoTime(startMs) : null,
        isJournaled: false,
        recordedAt: isoTime(createdMs),
        refusal: null,
        priority,
        status,
        services: servicesOf(record),
        centre: null,
        receiver: null,
      },
    ];
  });
}

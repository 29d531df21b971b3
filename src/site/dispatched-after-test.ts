import { applicableCounters, isShutDown } from "../domain/swinger.ts";
import type { Zone } from "../domain/zone.ts";
import { readJournalOverDamage } from "./damaged-pages.ts";
import type { SiteParts } from "./site-parts.ts";
import type { WalkTestView } from "./zone-view.ts";

/** Zones that are open now and whose opening is dispatched as soon as the running walk test ends. */
export function dispatchedAfterTest(parts: SiteParts): WalkTestView["dispatchedAtEnd"] {
  const { zoneService, journal, unfinished, clock } = parts;
  const { monitor, zoneOverrides } = zoneService;
  const journalOr = readJournalOverDamage(parts);
  const isDispatched = (zone: Zone): boolean => {
    // If it is unknown whether the zone is armed, it has only a condition.
    if (zone.whenArmedOpen === "condition" || zoneOverrides.gates.isUnknown(zone)) return false;
    if (zoneOverrides.dispositionAfterTest(zone).state !== "waiting") return false;
    const counters = journalOr(() => journal.swingers.find(zone.id), undefined);
    return !isShutDown(zone, applicableCounters(zone, counters, clock.wallMs()));
  };
  /** Whether an unfinished intervention has its opening already. */
  const isRecorded = ({ id }: Zone): boolean => {
    const opening = journalOr(() => journal.restores.currentOpening(id), undefined);
    const status = opening?.interventionId ? unfinished.statusOf(opening.interventionId) : undefined;
    return status !== undefined && status !== "done";
  };
  return monitor
    .zones()
    .filter(({ zone, contact }) => contact === "open" && isDispatched(zone) && !isRecorded(zone))
    .map(({ zone: { id, name } }) => ({ id, name }));
}

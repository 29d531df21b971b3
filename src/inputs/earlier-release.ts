import {
  CLASS_OF_KIND,
  withOpening,
  withZone,
  type Incident,
  type IncidentZone,
} from "../domain/incident.ts";
import type { Log } from "../domain/log.ts";
import type { Trip } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";

/** The newest trips of an intervention that are read for the zones of its incident. */
const TRIPS_MAX = 500;

/**
 * Adds classes to waiting trips of an earlier release, and to its incidents, so that a further trip joins and confirms
 * an alarm during which the release was exchanged. A disk that cannot be written must not keep the zones from being
 * monitored.
 */
export function classifyEarlier(
  zones: readonly Zone[],
  { journal, log }: { readonly journal: Journal; readonly log: Log },
): void {
  try {
    for (const { id, kind } of zones) journal.trips.classify(id, CLASS_OF_KIND[kind]);
    const byId = new Map(zones.map((zone) => [zone.id, zone]));
    journal.incidents.classify(
      journal.incidents.unclassified().flatMap((incident) => {
        const opener = byId.get(journal.trips.find(incident.key)?.zoneId ?? "");
        if (!opener) return [];
        const classified = { ...incident, zones: zonesOf(incident, journal, byId) };
        return [{ incident: classified, incidentClass: CLASS_OF_KIND[opener.kind] }];
      }),
    );
  } catch (error) {
    log.error("trip-classification-failed", { error });
    journal.noteError(error);
  }
}

/** The zones of an incident as its trips tell them: an earlier release stored no more than their ids. */
function zonesOf(
  { key, interventionId }: Incident,
  journal: Journal,
  byId: ReadonlyMap<string, Zone>,
): readonly IncidentZone[] {
  return journal.trips
    .ofIntervention(interventionId, TRIPS_MAX)
    .filter(({ incident, type }) => incident === key && type === "trip")
    .toReversed()
    .map((trip) => withSignalOf(byId.get(trip.zoneId), trip))
    .reduce<readonly IncidentZone[]>((zones, trip) => {
      const known = zones.find(({ zoneId }) => zoneId === trip.zoneId);
      return withZone(zones, withOpening(known, trip));
    }, []);
}

function withSignalOf(zone: Zone | undefined, trip: Trip): Trip {
  if (!zone) return trip;
  const { name, device, confirmWith } = zone;
  return { ...trip, signal: { ...trip.signal, name, device, confirmWith } };
}

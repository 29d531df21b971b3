import type { NewEvent } from "../domain/event.ts";
import { sensorOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneContext } from "./zone-context.ts";

type Context = Pick<ZoneContext, "journal" | "log" | "record">;

/** Who ends what a new configuration has left without a zone, if the daemon did not run meanwhile. */
const DAEMON = { who: "santinela", from: "itself" } as const;

/** The event of a bypass that ends because its zone was removed. */
export function bypassWithoutZone(zoneId: string): Pick<NewEvent, "event" | "subject" | "detail"> {
  const detail = { reason: "the zone is no longer in the configuration" };
  return { event: "zone-restored", subject: `zone ${zoneId}`, detail };
}

/**
 * Forgets what no longer applies because the configuration changed while the daemon did not run, as a reload does: the shutdown
 * of a zone whose sensor was replaced, and the bypass of a removed zone, whose id another zone may have later. What the disk
 * rejects is left to the next start.
 */
export function forgetChangedZones(zones: readonly Zone[], { journal, log, record }: Context): void {
  const byId = new Map(zones.map((zone) => [zone.id, zone]));
  const isSameSensor = (zoneId: string): boolean => {
    const zone = byId.get(zoneId);
    // An earlier release did not store the sensor.
    const { sensor = null } = journal.stateOf(zoneId) ?? {};
    return zone !== undefined && (sensor === null || sensor === sensorOf(zone));
  };
  try {
    for (const zoneId of journal.swingers.all().keys())
      if (!isSameSensor(zoneId)) journal.swingers.forget(zoneId);
    for (const { zoneId } of journal.zoneOverrides.bypasses()) {
      if (byId.has(zoneId)) continue;
      journal.zoneOverrides.deleteBypass(zoneId);
      record({ ...DAEMON, ...bypassWithoutZone(zoneId) });
    }
  } catch (error) {
    log.error("changed-zone-purge-failed", { error });
    journal.noteError(error);
  }
}

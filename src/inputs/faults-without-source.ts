import { newFaultEnd } from "../domain/fault-end.ts";
import { hasFaultSource } from "../domain/zone-changes.ts";
import { bridgeOf } from "../domain/zone-rules.ts";
import type { Zone } from "../domain/zone.ts";
import type { OpenFault } from "../store/faults.ts";
import { isOfTest } from "./tested-tampers.ts";
import type { ZoneContext } from "./zone-context.ts";

type Context = Pick<
  ZoneContext,
  "journal" | "clock" | "bootId" | "time" | "site" | "newKey" | "log" | "onTrip"
>;

/**
 * Ends the open faults whose end nothing would report, because their zone, its source or their bridge was removed from the
 * configuration while the daemon did not run; as a reload does. A fault of a bridge moves to a zone that is still behind it.
 * A write that the disk rejects is left to the next start.
 */
export function endFaultsWithoutSource(zones: readonly Zone[], context: Context): void {
  const { journal, log, onTrip } = context;
  try {
    for (const open of journal.faults.list()) {
      if (isKept(open, zones)) continue;
      const { owner, fault, zoneId } = open;
      const successor = owner === zoneId ? undefined : zones.find((zone) => bridgeOf(zone) === owner);
      if (successor)
        journal.commit({ zoneId: successor.id, trips: [], opened: { ...open, zoneId: successor.id } });
      else {
        journal.commit({ zoneId, trips: endOf(open, context), closed: { owner, fault } });
        log.warn("zone-fault-restored", { zone: zoneId, fault, of: owner });
      }
      onTrip();
    }
  } catch (error) {
    log.error("zone-fault-write-failed", { error });
    journal.noteError(error);
  }
}

/** Whether the end of a fault can still be detected. */
function isKept({ owner, fault, zoneId }: OpenFault, zones: readonly Zone[]): boolean {
  const zone = zones.find(({ id }) => id === zoneId);
  return zone !== undefined && (owner === zoneId ? hasFaultSource(fault, zone) : bridgeOf(zone) === owner);
}

/** The row that ends a fault; none for one of a walk test, and for one whose beginning is no longer in the journal. */
function endOf(open: OpenFault, { journal, clock, bootId, time, site, newKey }: Context) {
  const opened = journal.trips.find(open.key);
  if (!opened || isOfTest(journal, open)) return [];
  const moment = { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs: clock.monotonicMs() };
  const { fault, owner: of } = open;
  return [newFaultEnd(opened, { key: newKey(), fault, of, moment, isDated: time.isTrusted() }, site)];
}

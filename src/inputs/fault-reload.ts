import { isFaultKept } from "../domain/zone-changes.ts";
import { bridgeNameOf } from "../domain/zone-status-sources.ts";
import type { NewTrip } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { OpenFault } from "../store/faults.ts";
import type { ZoneExchange } from "../store/journal-change.ts";
import type { Journal } from "../store/journal.ts";

export type FaultSuccession = Pick<ZoneExchange, "ended" | "moved" | "found">;

/**
 * What another configuration does to the open faults: one whose end no sense would report ends with it, and one of a
 * bridge is shown at a zone that is still behind it.
 * @param endOf the row that ends a fault
 */
export function faultSuccession(
  before: readonly Zone[],
  after: readonly Zone[],
  journal: Pick<Journal, "faults" | "losses" | "trips">,
  endOf: (zone: Zone, fault: OpenFault) => NewTrip,
): FaultSuccession {
  const ended: ZoneExchange["ended"][number][] = [];
  const moved: OpenFault[] = [];
  for (const open of journal.faults.list()) {
    const { owner, fault, zoneId, key } = open;
    const zone = before.find(({ id }) => id === zoneId);
    const successor = after.find(({ id }) => id === zoneId);
    // A fault of an unknown zone stays.
    if (!zone || (successor && isFaultKept(fault, zone, successor))) continue;
    const heir = owner === zoneId ? undefined : after.find((other) => bridgeOf(other) === owner);
    const wasTest = journal.trips.find(key)?.state === "test";
    if (heir) moved.push({ ...open, zoneId: heir.id });
    else if (wasTest) ended.push({ of: owner, fault });
    else ended.push({ of: owner, fault, row: endOf(zone, open) });
  }
  const kept = keptSources(before, after);
  return { ended, moved, found: journal.losses.list().flatMap(({ of }) => (kept.has(of) ? [] : [of])) };
}

/** What may still be lost: zones with the sensor that they had, and the bridges of all. */
function keptSources(before: readonly Zone[], after: readonly Zone[]): ReadonlySet<string | undefined> {
  const ids = after.flatMap((zone) => {
    const same = before.find(({ id }) => id === zone.id);
    return same && isFaultKept("supervision", same, zone) ? [zone.id] : [];
  });
  return new Set([...ids, ...after.map(bridgeOf)]);
}

function bridgeOf({ senses }: Zone): string | undefined {
  return senses.bridge && bridgeNameOf(senses.bridge);
}

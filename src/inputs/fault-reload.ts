import { isFaultKept } from "../domain/zone-changes.ts";
import { bridgeNameOf } from "../domain/zone-status-sources.ts";
import type { NewTrip } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { OpenFault } from "../store/faults.ts";
import type { ZoneExchange } from "../store/journal-changes.ts";
import type { Journal } from "../store/journal.ts";

export type FaultSuccession = Pick<ZoneExchange, "ended" | "moved" | "found">;

/**
 * Changes to the open faults under another configuration. A fault whose end no source would report any longer ends; a
 * fault of a bridge moves to a zone that is still behind that bridge.
 * @param endOf returns the row that ends a fault
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
    const otherZone = owner === zoneId ? undefined : after.find((other) => bridgeOf(other) === owner);
    const wasTest = journal.trips.find(key)?.state === "test";
    if (otherZone) moved.push({ ...open, zoneId: otherZone.id });
    else if (wasTest) ended.push({ of: owner, fault });
    else ended.push({ of: owner, fault, row: endOf(zone, open) });
  }
  const kept = keptSources(before, after);
  return { ended, moved, found: journal.losses.list().flatMap(({ of }) => (kept.has(of) ? [] : [of])) };
}

/** Sources that may still be unavailable: zones with an unchanged sensor, and all bridges. */
function keptSources(before: readonly Zone[], after: readonly Zone[]): ReadonlySet<string | undefined> {
  const ids = after.flatMap((zone) => {
    const same = before.find(({ id }) => id === zone.id);
    return same && isFaultKept("supervision", same, zone) ? [zone.id] : [];
  });
  return new Set([...ids, ...after.map(bridgeOf)]);
}

function bridgeOf({ statusSources }: Zone): string | undefined {
  return statusSources.bridge && bridgeNameOf(statusSources.bridge);
}

import type { Zone } from "../zone.ts";
import { visibleText, NAME_LENGTH_MAX } from "./configured-text.ts";
import type { DiscoveredDevice, Proposal } from "./device.ts";
import { KnownZones } from "./known-zones.ts";

/** A proposed zone for the configuration; the objective is left to the user. */
export interface ProposedZone extends Proposal {
  readonly id: string;
}

/** Proposes zones for the devices that are not configured yet, each with an id that no other zone has. */
export function proposedZones(devices: readonly DiscoveredDevice[], zones: readonly Zone[]): ProposedZone[] {
  const usedIds = new Set(zones.map(({ id }) => id));
  const known = new KnownZones(zones, devices);
  return devices
    .flatMap((device) => known.proposalsOf(device))
    .filter((proposal) => known.readerOf(proposal) === undefined)
    .map(({ name, ...proposal }) => ({
      id: uniqueId(name, usedIds),
      name: configuredName(name),
      ...proposal,
    }));
}

/** A name that the configuration accepts: at most 100 visible characters. */
export function configuredName(name: string): string {
  return visibleText(name).slice(0, NAME_LENGTH_MAX).join("") || "?";
}

/** A short id from a name, that is not in use; it is in use afterwards. */
export function uniqueId(name: string, usedIds: Set<string>): string {
  const plain = name.normalize("NFD").toLowerCase().replaceAll(/\p{M}/gu, "");
  const words = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
  const base = words.slice(0, 56) || "zone";
  const idOf = (number: number): string => (number === 1 ? base : `${base}-${number}`);
  // Thousands of devices may have one name: a free number is sought by doubling and halving, not one by one.
  let used = 0;
  let free = 1;
  for (; usedIds.has(idOf(free)); free *= 2) used = free;
  while (free - used > 1) {
    const middle = Math.floor((used + free) / 2);
    if (usedIds.has(idOf(middle))) used = middle;
    else free = middle;
  }
  const id = idOf(free);
  usedIds.add(id);
  return id;
}

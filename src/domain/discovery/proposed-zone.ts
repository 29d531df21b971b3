import { isOneOf, type Scalar } from "../plain-value.ts";
import { canonical } from "../zone-changes.ts";
import type { Zone } from "../zone.ts";
import type { DiscoveredDevice, Proposal } from "./device.ts";

/** A proposed zone for the configuration; the objective is left to the user. */
export interface ProposedZone extends Proposal {
  readonly id: string;
}

/** Proposes zones for the devices that are not configured yet, each with an id that no other zone has. */
export function proposedZones(devices: readonly DiscoveredDevice[], known: readonly Zone[]): ProposedZone[] {
  const usedIds = new Set(known.map(({ id }) => id));
  return devices
    .flatMap(({ proposals }) => proposals)
    .filter((proposal) => zoneReading(proposal, known) === undefined)
    .map(({ name, ...proposal }) => ({
      id: uniqueId(name, usedIds),
      name: configuredName(name),
      ...proposal,
    }));
}

/** The zone that reads what is proposed already; undefined if there is none. */
export function zoneReading({ input }: Proposal, zones: readonly Zone[]): Zone | undefined {
  return zones.find(
    (zone) =>
      zone.input.source === "mqtt" &&
      zone.input.mqtt === input.mqtt &&
      zone.input.path === input.path &&
      // A zone that reads the whole number reads its bits too.
      (zone.input.bits ?? input.bits) === input.bits &&
      canonical(zone.input.where ?? []) === canonical(input.where ?? []) &&
      // Several zones may read one place: each its own action, state or transmitter's code.
      (namesOneOf([...zone.input.open, ...(zone.input.normal ?? [])], input.open) ||
        (input.normal !== undefined && zone.input.normal === undefined)),
  );
}

function namesOneOf(values: readonly Scalar[], sought: readonly Scalar[]): boolean {
  return values.some((value) => isOneOf(sought, value));
}

/** A name that the configuration accepts: at most 100 visible characters. */
export function configuredName(name: string): string {
  const visible = name.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  return [...visible].slice(0, 100).join("") || "?";
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

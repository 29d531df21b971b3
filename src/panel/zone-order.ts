import type { ZoneView } from "../site/zone-view.ts";

const ORDER = ["alarm", "open", "fault", "attention", "off"];

/**
 * What is open first, then faulty, then what needs attention otherwise, such as a low battery, then bypassed, then the rest in the
 * order of the configuration.
 * @param toneOf the meaning of a zone's colour; undefined for one that needs nothing
 */
export function inOrderOfUrgency<Zone extends Pick<ZoneView, "contact">>(
  zones: readonly Zone[],
  toneOf: (zone: Zone) => string | undefined,
): readonly Zone[] {
  const placeOf = (zone: Zone): number => {
    const tone = toneOf(zone) ?? "";
    const found = ORDER.indexOf(tone === "attention" && zone.contact === "open" ? "open" : tone);
    return found === -1 ? ORDER.length : found;
  };
  return zones
    .map((zone) => ({ zone, place: placeOf(zone) }))
    .sort((a, b) => a.place - b.place)
    .map(({ zone }) => zone);
}

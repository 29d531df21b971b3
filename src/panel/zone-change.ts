import type { ZoneChange, ZoneDraft, ZoneText } from "./zone-draft.ts";

/**
 * A new zone, or the changed options of a configured one; the others stay as the file has them by now. What was saved without a
 * response is no longer new: nothing is left to do, or what was entered since changes it.
 */
export function changesOf(
  { zone, changes, before, original, sent }: ZoneDraft,
  zones: readonly ZoneText[],
): readonly ZoneChange[] {
  const current = (id: string): ZoneText | undefined => zones.find((one) => one.id === id);
  if (changes === undefined) {
    const saved = zones.find((one) => sent?.some((text) => isEqual(one, text)));
    if (saved?.id !== undefined)
      return isEqual(saved, zone)
        ? []
        : [{ action: "change", id: saved.id, zone: { ...zone, id: saved.id } }];
    // Its place is a wish; the zone behind it may be gone.
    return [{ action: "add", zone, ...(before !== undefined && current(before) ? { before } : {}) }];
  }
  const isKept = (option: string): boolean => isEqual(zone[option], original?.[option]);
  const kept = Object.entries(current(changes) ?? {}).filter(([option]) => isKept(option));
  const changed = Object.entries(zone).filter(([option]) => !isKept(option));
  return [{ action: "change", id: changes, zone: Object.fromEntries([...kept, ...changed]) }];
}

/** Whether two values are equal as JSON; their options may be in any order. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}

import { signal } from "@preact/signals";
import type { ZoneChange, ZoneText } from "./zone-draft.ts";

/**
 * Edits of the list of zones that are not saved. They name zones and no whole list: a zone that was added in the meantime, here
 * or by another user, would be missing in the list, and be deleted with it.
 */
export interface ListEdits {
  readonly deleted: readonly string[];
  /** Whether a zone is to be disabled, by its id. */
  readonly disabled: Readonly<Record<string, boolean>>;
  /** Ids in their new order; undefined for the order of the file. */
  readonly order?: readonly string[];
}

export const NO_EDITS: ListEdits = { deleted: [], disabled: {} };

export const listEdits = signal<ListEdits>(NO_EDITS);

/** The configured zones as they would be. */
export function editedZones(
  zones: readonly ZoneText[],
  { deleted, disabled, order }: ListEdits,
): readonly ZoneText[] {
  const kept = zones
    .filter((zone) => !deleted.includes(zoneTextId(zone)))
    .map((zone) => switched(zone, disabled[zoneTextId(zone)]));
  if (!order) return kept;
  const ordered = order.flatMap((id) => kept.filter((zone) => zoneTextId(zone) === id));
  // A zone that the order does not have stays behind the one that it follows in the file.
  for (const [index, zone] of kept.entries())
    if (!order.includes(zoneTextId(zone))) {
      const former = kept[index - 1];
      ordered.splice(former ? ordered.indexOf(former) + 1 : 0, 0, zone);
    }
  return ordered;
}

/** The changes from the configured zones to the wanted ones. */
export function changesBetween(before: readonly ZoneText[], after: readonly ZoneText[]): ZoneChange[] {
  const kept = new Map(after.map((zone) => [zoneTextId(zone), zone]));
  const changes = before.flatMap((zone): ZoneChange[] => {
    const id = zoneTextId(zone);
    const wanted = kept.get(id);
    if (!wanted) return [{ action: "delete", id }];
    if (isDisabled(wanted) === isDisabled(zone)) return [];
    return [{ action: isDisabled(wanted) ? "disable" : "enable", id }];
  });
  const ids = after.map(zoneTextId);
  const inOrder = before.map(zoneTextId).filter((id) => kept.has(id));
  return ids.join() === inOrder.join() ? changes : [...changes, { action: "order", ids }];
}

export function zoneTextId({ id }: ZoneText): string {
  return id ?? "";
}

export function isDisabled(zone: ZoneText): boolean {
  return zone["disabled"] === true;
}

function switched(zone: ZoneText, wanted: boolean | undefined): ZoneText {
  if (wanted === undefined || wanted === isDisabled(zone)) return zone;
  const { disabled: _disabled, ...rest } = zone;
  return wanted ? { ...zone, disabled: true } : rest;
}

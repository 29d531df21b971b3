import type { Pin } from "../domain/plan.ts";
import type { PlanView } from "../site/plan-view.ts";
import { request } from "./api.ts";
import { ApiError, FORM_ERROR_CODE, type RequestOptions } from "./http.ts";
import { t } from "./i18n.ts";
import { zones } from "./live-updates.ts";

/** What an administrator enters of a floor plan. */
export type PlanInput = Pick<PlanView, "name" | "pins">;

/**
 * Changes a floor plan, unless it has changed since it was read.
 * @param below path below the plan, such as `/picture`
 * @param reload called if it has changed, so that the next attempt is based on the new version
 * @throws ApiError
 */
export async function changePlan(
  { id, etag = "*" }: Pick<PlanView, "id"> & { readonly etag?: string },
  below: string,
  options: RequestOptions,
  reload: () => void,
): Promise<void> {
  try {
    await request(`/site/plans/${id}${below}`, { ...options, headers: { "If-Match": etag } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    reload();
    throw new ApiError(412, t("plan.changedAgain"), { code: FORM_ERROR_CODE });
  }
}

/**
 * Another administrator may have changed the plan since: only what was changed here is changed. What both have changed is not
 * overwritten before this user knows of it.
 * @param know called with the plan as it is now, if it is not saved; the next attempt is based on it
 * @returns the plan as it is saved
 * @throws ApiError
 */
export async function saveChanges(
  before: PlanView,
  { name: entered, pins }: PlanInput,
  know: (now: PlanView) => void,
): Promise<PlanView> {
  const name = entered.trim();
  const { body: plans } = await request<PlanView[]>("/site/plans");
  const now = plans.find(({ id }) => id === before.id) ?? before;
  const isRenamed = name !== before.name;
  const both = zonesChangedIn(before.pins, pins).filter((zone) =>
    zonesChangedIn(before.pins, now.pins).includes(zone),
  );
  const isRenamedByBoth = isRenamed && now.name !== before.name && now.name !== name;
  if (both.length > 0 || isRenamedByBoth) {
    know(now);
    const changed = [...(isRenamedByBoth ? [now.name] : []), ...both.map(nameOfZone)].join(", ");
    throw new ApiError(412, t("plan.changedMeanwhile", { changed }), { code: FORM_ERROR_CODE });
  }
  const body = { ...(isRenamed ? { name } : {}), pins: withChanges(now.pins, before.pins, pins) };
  await changePlan(now, "", { method: "PUT", body }, () => know(now));
  return { ...now, ...body };
}

/** Where a new pin is put: from the middle on, the first place where no other pin is under it. Per cent of the picture. */
export function freePlace(pins: readonly Pin[]): Pick<Pin, "x" | "y"> {
  const rows = [50, 62, 74, 86, 38, 26, 14];
  const places = rows.flatMap((y) => rows.map((x) => ({ x, y })));
  const isFree = ({ x, y }: Pick<Pin, "x" | "y">): boolean =>
    pins.every((pin) => Math.abs(pin.x - x) > 8 || Math.abs(pin.y - y) > 8);
  return places.find(isFree) ?? { x: 50, y: 50 };
}

/** The name of a zone, or its id once it is no longer configured. */
export function nameOfZone(id: string): string {
  return zones.value.find((zone) => zone.id === id)?.name ?? id;
}

/** The zones that were placed, moved or removed between two versions, except those that are in the same place in both. */
export function zonesChangedIn(before: readonly Pin[], after: readonly Pin[]): string[] {
  const placeIn = (pins: readonly Pin[], id: string): string => {
    const pin = pins.find(({ zone }) => zone === id);
    return pin ? `${pin.x} ${pin.y}` : "";
  };
  const ids = new Set([...before, ...after].map(({ zone }) => zone));
  return [...ids].filter((id) => placeIn(before, id) !== placeIn(after, id));
}

/** The pins of the daemon with the differences between two others. */
export function withChanges(current: readonly Pin[], before: readonly Pin[], after: readonly Pin[]): Pin[] {
  const isIn = (all: readonly Pin[], { zone, x, y }: Pin): boolean =>
    all.some((pin) => pin.zone === zone && pin.x === x && pin.y === y);
  const changed = after.filter((pin) => !isIn(before, pin));
  const removed = before.filter(({ zone }) => !after.some((pin) => pin.zone === zone));
  const replaced = new Set([...changed, ...removed].map(({ zone }) => zone));
  return [...current.filter(({ zone }) => !replaced.has(zone)), ...changed];
}

import type { Pin } from "../domain/plan.ts";
import type { PlanView } from "../site/plan-view.ts";
import { request } from "./api.ts";
import { ApiError, FORM_ERROR_CODE, type RequestOptions } from "./http.ts";
import { t } from "./i18n.ts";

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

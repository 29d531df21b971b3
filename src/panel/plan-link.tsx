import type { PlanView } from "../site/plan-view.ts";
import { useQuery } from "./api.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { journalVersion } from "./live-updates.ts";

/** Ids of the zones with a place on a floor plan; undefined before they are read. */
export function usePinnedZones(isNeeded: boolean): readonly string[] | undefined {
  const { response } = useQuery<PlanView[]>(isNeeded ? "/site/plans" : undefined, journalVersion.value);
  return response?.body.flatMap(({ pins }) => pins.map(({ zone }) => zone));
}

/** The way to the floor plan that shows the first of these zones which has a place on one; nothing without such a zone. */
export function PlanLink({ zones }: { readonly zones: readonly string[] }) {
  const pinned = usePinnedZones(zones.length > 0);
  const zone = zones.find((id) => pinned?.includes(id));
  if (zone === undefined) return null;
  return (
    <p class="row">
      <a class="button" href={`#/plan?zone=${encodeURIComponent(zone)}`}>
        <Icon name="map" />
        {t("plan.show")}
      </a>
    </p>
  );
}

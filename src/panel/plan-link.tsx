import type { PlanView } from "../site/plan-view.ts";
import { useQuery } from "./api.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";

/** The way to the floor plan that shows the first of these zones which has a place on one; nothing without such a zone. */
export function PlanLink({ zones }: { readonly zones: readonly string[] }) {
  const { response } = useQuery<PlanView[]>(zones.length > 0 ? "/site/plans" : undefined);
  const pinned = new Set(response?.body.flatMap(({ pins }) => pins.map(({ zone }) => zone)));
  const zone = zones.find((id) => pinned.has(id));
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

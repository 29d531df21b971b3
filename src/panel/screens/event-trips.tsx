import { t } from "../i18n.ts";
import { zones } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import type { TripFilter } from "../trip-counts.ts";
import { CONTACTS_MAX, useHistories } from "../zone-timeline.tsx";
import { TripSummary, ZoneTrips } from "../zone-trips.tsx";

const HOURS = 24;

/** The trips that a chart beside the list counts; undefined if it cannot follow the filters, and would show something else. */
export function chartedTrips(kind: string, q: string): TripFilter | undefined {
  if (q !== "") return undefined;
  if (kind === "") return "all";
  if (kind === "alarms") return "dispatched";
  return kind === "suppressed" ? "suppressed" : undefined;
}

/** The trips of the site, or of one zone, under the filters of the list. */
export function EventTrips({ zone, filter }: { readonly zone: string; readonly filter: TripFilter }) {
  if (zone === "") return zones.value.length === 0 ? null : <SiteTrips filter={filter} />;
  const name = zones.value.find(({ id }) => id === zone)?.name;
  if (name === undefined) return null;
  return (
    <section class="card">
      <h2>{name}</h2>
      <ZoneTrips id={zone} name={name} filter={filter} />
    </section>
  );
}

/** The trips of all zones in each hour of the last day, and why those were suppressed that were. */
function SiteTrips({ filter }: { readonly filter: TripFilter }) {
  const { response, error, reload } = useHistories(HOURS);
  const histories = response?.body;
  const title = t(`zoneTrips.site.${filter}`);
  return (
    <section class="card zone-trips" aria-label={title}>
      <h2>{title}</h2>
      {!histories && <Pending error={error} reload={reload} />}
      {histories && <TripSummary histories={histories} hours={HOURS} filter={filter} />}
      {histories?.some(({ contacts }) => contacts.length >= CONTACTS_MAX) === true && (
        <p class="quiet">{t("zoneTrips.newestOfEach", { limit: CONTACTS_MAX })}</p>
      )}
    </section>
  );
}

import { useDiscovered } from "../discovered.ts";
import { SearchOver } from "./search-over.tsx";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { zones } from "../live-updates.ts";
import { zoneAppearance } from "../zone-appearance.ts";
import { CONTACTS_MAX, incompleteSince, useHistories } from "../zone-timeline.tsx";

/** Zones named, of those that moved last. */
const MOVED_SHOWN = 5;
const HOURS = 24;

/** A quiet site: what moved last, and the trips of the last day. Also for those who may not read the event log. */
export function QuietDay() {
  const histories = useHistories(HOURS).response?.body;
  const moved = zones.value
    .flatMap((zone) => (zone.since === null ? [] : [{ zone, since: zone.since }]))
    .sort((a, b) => b.since.localeCompare(a.since))
    .slice(0, MOVED_SHOWN);
  const trips = histories?.reduce((sum, zone) => sum + zone.trips.length, 0);
  const isCut =
    histories !== undefined &&
    (incompleteSince(histories) !== null || histories.some((zone) => zone.trips.length >= CONTACTS_MAX));
  return (
    <section class="card past day" aria-label={t("quiet.moved")}>
      <h2>{t("quiet.moved")}</h2>
      <ul class="items">
        {moved.map(({ zone, since }) => (
          <li key={zone.id}>
            <span class="disc">
              <Icon name={zoneAppearance(zone).icon} />
            </span>
            <a class="grow" href={`#/zones?zone=${encodeURIComponent(zone.id)}`}>
              <b>{zone.name}</b>
              <small>{`${zoneAppearance(zone).word} · ${formatTime(since)}`}</small>
            </a>
          </li>
        ))}
      </ul>
      {trips !== undefined && (
        <p class="quiet">{t(isCut ? "quiet.moreTrips" : "quiet.trips", { n: trips })}</p>
      )}
    </section>
  );
}

/** How many sensors a site without zones could begin with; nothing before one is found or the search is over. */
export function FoundCount() {
  const { found, isOver, reload } = useDiscovered();
  const proposals = found?.devices.flatMap((device) => device.proposals) ?? [];
  const free = proposals.filter(({ zoneId }) => zoneId === null).length;
  if (free === 0 && !isOver) return null;
  return (
    <section class="card past">
      {free > 0 && (
        <ul class="items">
          <li>
            <span class="disc">
              <Icon name="radio-tower" />
            </span>
            <a class="grow" href="#/zones/found">
              <b>{t("found.count", { n: free })}</b>
            </a>
          </li>
        </ul>
      )}
      {isOver && <SearchOver again={reload} />}
    </section>
  );
}

import { useMemo } from "preact/hooks";
import type { ZoneView } from "../site/zone-view.ts";
import { minute } from "./clock.ts";
import { formatMinute, formatSince } from "./date-format.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { zoneAppearance, type ZoneAppearance } from "./zone-appearance.ts";

interface TileOf {
  readonly zone: ZoneView;
  /** Address of its sheet. */
  readonly href: string;
  /** How it is shown, for a screen with a look of its own. */
  readonly lookOf?: (zone: ZoneView) => ZoneAppearance;
}

/** A zone as a tile; a tap shows it, and its actions are there. Of many zones only the changed ones are drawn again. */
export function ZoneTile({ zone, href, lookOf = zoneAppearance }: TileOf) {
  return useMemo(() => <Tile zone={zone} href={href} lookOf={lookOf} />, [zone, href]);
}

function Tile({ zone, href, lookOf }: Required<TileOf>) {
  // The time since it opened goes on.
  if (zone.contact === "open") void minute.value;
  const { tone, icon, word, since, isBatteryLow } = lookOf(zone);
  return (
    <a class={tone === undefined ? "tile" : `tile s-${tone}`} href={href} data-zone={zone.id}>
      <span class="disc">
        <Icon name={icon} />
      </span>
      <span class="when">
        {isBatteryLow && (
          <>
            <Icon name="battery-low" />
            <span class="unseen">{t("fault.battery")}</span>
          </>
        )}
        {whenText(zone, since)}
      </span>
      <b>{zone.name}</b>
      <span class="state">{word}</span>
      {zone.testedAt === null && <NotTested />}
    </a>
  );
}

/** The mark of a zone that has had no walk test with its present sensor. */
export function NotTested() {
  return (
    <small class="not-tested">
      <Icon name="circle" />
      {t("zones.notTested")}
    </small>
  );
}

/** For a bypass its end, for an open zone since when, for a shutdown its end, otherwise when its state began. */
function whenText({ bypass, contact, shutDownUntil }: ZoneView, since: string | null): string {
  const until = bypass ? bypass.until : contact !== "open" && shutDownUntil;
  if (until) return t("zones.until", { time: formatMinute(until).replace(/.\d{4},/, ",") });
  if (since === null) return "";
  return contact === "open" ? formatSince(since) : formatMinute(since);
}

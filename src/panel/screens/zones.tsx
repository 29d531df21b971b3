import "../wide-word.css";
import { EmptyState } from "../empty-state.tsx";
import { t, withMoreTexts } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { LazyScreen } from "../lazy-screen.tsx";
import { zones } from "../live-updates.ts";
import { SearchField } from "../more-fields.tsx";
import { addressWith, isFromList, route, setQuery } from "../route.ts";
import { mayAdminister } from "../session.ts";
import { folded } from "../search-folding.ts";
import { byUrgency, zoneAppearance } from "../zone-appearance.ts";
import { ZoneTile } from "../zone-tile.tsx";
import { ZoneHistory } from "../zone-timeline.tsx";
import { ZoneSheet } from "./zone-sheet.tsx";
import type { ZoneView } from "../../site/zone-view.ts";

const FILTERS = {
  "": () => true,
  open: ({ contact }: ZoneView) => contact === "open",
  faulty: (zone: ZoneView) => zone.disposition === "swinger" || zone.faults.length > 0,
  bypassed: ({ bypass }: ZoneView) => bypass !== null,
  unknown: ({ contact }: ZoneView) => contact === "unknown",
  untested: ({ testedAt }: ZoneView) => testedAt === null,
} as const;
type Filter = keyof typeof FILTERS;

const zoneEditor = () => import("./zone-editor.tsx").then((screen) => screen.ZoneEditor);

/** With more zones, those at rest are in groups that unfold. */
const UNGROUPED_MAX = 40;
const zoneGroups = () => withMoreTexts(import("./zone-groups.tsx")).then((part) => part.ZoneGroups);

/** The tiles; below them in the address, for administrators, adding and changing zones. */
export function Zones() {
  const isEditor = route.value.item !== undefined && mayAdminister();
  return isEditor ? <LazyScreen load={zoneEditor} /> : <ZonesScreen />;
}

/** Every zone as a tile, what is open or faulty first; a tap opens its sheet. The address has filter and selection. */
function ZonesScreen() {
  const { q = "", zone: selected } = route.value.query;
  const filter = filterOf(route.value.query["filter"]);
  const shown = byUrgency(zones.value).filter(
    (zone) => FILTERS[filter](zone) && folded(`${zone.name} ${zone.id}`).includes(folded(q)),
  );
  const isGrouped = zones.value.length > UNGROUPED_MAX && q === "" && filter === "";
  const sheet = zones.value.find(({ id }) => id === selected);
  return (
    <>
      <div class="head">
        <h1>{t("zones.title")}</h1>
        <span class="quiet">{zones.value.length}</span>
        {mayAdminister() && (
          <div class="actions">
            {zones.value.length > 0 && (
              <a class="button" href="#/zones/edit">
                <Icon name="pencil" />
                <span class="wide-word">{t("zones.edit")}</span>
              </a>
            )}
            <a class="button" href="#/zones/found">
              <Icon name="plus" />
              <span class="wide-word">{t("zones.add")}</span>
            </a>
          </div>
        )}
      </div>
      {zones.value.length > 0 && (
        <>
          <SearchField text={q} find={(text) => setQuery({ q: text })} />
          <Filters filter={filter} />
        </>
      )}
      {shown.length === 0 ? (
        <NoneShown />
      ) : (
        <Tiles zones={isGrouped ? shown.filter((zone) => zoneAppearance(zone).tone !== undefined) : shown} />
      )}
      {isGrouped && <LazyScreen load={zoneGroups} isPart />}
      {zones.value.length > 0 && <ZoneHistory zones={shown} />}
      {sheet && <ZoneSheet key={sheet.id} zone={sheet} close={closeSheet} />}
    </>
  );
}

let closedAt: typeof route.value | undefined;

/** Leaves the history as it was before the tile was pressed: Back must not open the sheet again. */
function closeSheet(): void {
  // A second press may come before the history has moved.
  if (closedAt === route.value) return;
  closedAt = route.value;
  if (isFromList()) history.back();
  else setQuery({ zone: "" });
}

export function Tiles({ zones: shown }: { readonly zones: readonly ZoneView[] }) {
  return (
    <ul class="tiles">
      {shown.map((zone) => (
        <li key={zone.id}>
          <ZoneTile zone={zone} href={addressWith({ zone: zone.id })} />
        </li>
      ))}
    </ul>
  );
}

function filterOf(text: string | undefined): Filter {
  return text !== undefined && text in FILTERS ? (text as Filter) : "";
}

function Filters({ filter }: { readonly filter: Filter }) {
  const names = Object.keys(FILTERS) as Filter[];
  return (
    <div class="chips" role="group" aria-label={t("zones.filter")}>
      {names.map((one) => {
        const count = zones.value.filter(FILTERS[one]).length;
        if (count === 0 && one !== "" && one !== filter) return null;
        return (
          <button
            type="button"
            key={one}
            aria-pressed={filter === one}
            onClick={() => setQuery({ filter: one })}
          >
            {t(one === "" ? "zones.all" : `zones.${one}`, { n: count })}
          </button>
        );
      })}
    </div>
  );
}

function NoneShown() {
  return (
    <EmptyState icon="layout-grid" text={t(zones.value.length === 0 ? "guide.noZones" : "zones.noneFound")}>
      {zones.value.length === 0 && mayAdminister() && (
        <a class="button main" href="#/zones/found">
          {t("zones.addFirst")}
        </a>
      )}
      {zones.value.length > 0 && (
        <button type="button" onClick={() => setQuery({ filter: "", q: "" })}>
          {t("zones.showAll")}
        </button>
      )}
    </EmptyState>
  );
}

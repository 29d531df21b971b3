import "../filter-chips.css";
import type { FleetSummary, SiteView } from "../../generated/types.ts";
import { formatTime } from "../date-format.ts";
import { EmptyState } from "../empty-state.tsx";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { useListReturn } from "../list-return.ts";
import { SearchField } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { usePlaces, type Places } from "../objective-names.ts";
import { Pager, useTotal } from "../pager.tsx";
import { route, setQuery } from "../route.ts";
import { mayAdminister } from "../session.ts";
import { SortChoice } from "../sort-choice.tsx";
import { Table, type Column } from "../table.tsx";
import { FleetBar } from "./fleet-bar.tsx";
import { SiteAccess } from "./site-access.tsx";
import { interventionsOf, LevelBadge, useReports } from "./site-level.tsx";
import { troublesOf } from "./site-troubles.ts";
import { Site } from "./site.tsx";

const PAGE_SIZE = 50;
/** The most serious first. */
const SORT = "level";

/** The sites that report to this dispatch centre, the most serious first, or one of them with its history. */
export function SitesScreen() {
  const { item } = route.value;
  return item === undefined ? <SiteList /> : <Site id={item} />;
}

function SiteList() {
  const {
    q = "",
    level = "",
    silent = "",
    start: from = "0",
    sort = SORT,
    order = "asc",
  } = route.value.query;
  const descending = order === "desc";
  const start = Number(from);
  const parameters = new URLSearchParams({ _start: String(start), _end: String(start + PAGE_SIZE) });
  parameters.set("_sort", sort);
  parameters.set("_order", descending ? "DESC" : "ASC");
  if (q.trim() !== "") parameters.set("q", q.trim());
  if (level !== "") parameters.set("level", level);
  if (silent !== "") parameters.set("silent", silent);
  const path = apiPath(`/sites?${parameters.toString()}`);
  const { response, isFormer, error, reload } = useReports<SiteView[]>(path);
  const total = useTotal(response, PAGE_SIZE);
  useListReturn(response !== undefined);
  const placeOf = usePlaces((response?.body ?? []).flatMap(({ report }) => report.objective ?? []));
  const summary = useReports<FleetSummary>(apiPath("/sites/summary")).response?.body;
  const sortBy = (key: string): void =>
    setQuery({ sort: key, order: key === sort && !descending ? "desc" : "asc", start: "" });
  const sorting = { key: sort, descending, sortBy };
  const isFiltered = q !== "" || level !== "" || silent !== "";
  return (
    <>
      <div class="head">
        <h1>{t("nav.sites")}</h1>
        <span class="quiet">{response?.headers.get("X-Total-Count")}</span>
      </div>
      {summary && <FleetBar summary={summary} />}
      <div class="filter-chips">
        <SearchField text={q} find={(text) => setQuery({ q: text, start: "" })} />
        <SortChoice columns={columns(placeOf)} sorting={sorting} />
      </div>
      {!response && <Pending error={error} reload={reload} />}
      {response && !isFormer && total === 0 && (
        <EmptyState icon="layout-grid" text={t(isFiltered ? "sites.noneFound" : "sites.none")}>
          {isFiltered && (
            <button type="button" onClick={() => setQuery({ q: "", level: "", silent: "", start: "" })}>
              {t("sites.all")}
            </button>
          )}
        </EmptyState>
      )}
      {response && response.body.length > 0 && (
        <>
          <Table
            caption={t("nav.sites")}
            columns={columns(placeOf)}
            rows={response.body}
            isFormer={isFormer}
            keyOf={({ id }) => id}
            sorting={sorting}
          />
          <Pager
            start={start}
            size={PAGE_SIZE}
            total={total}
            turn={(next) => setQuery({ start: String(next) })}
          />
        </>
      )}
      {mayAdminister() && <SiteAccess />}
    </>
  );
}

function columns(placeOf: Places): Column<SiteView>[] {
  return [
    {
      key: "name",
      title: t("record.name"),
      sortable: true,
      isLead: true,
      isWide: true,
      cell: (site) => <SiteName site={site} place={placeOf(site.report.objective)} />,
    },
    {
      key: "level",
      title: t("sites.level"),
      sortable: true,
      isShort: true,
      place: "state",
      cell: ({ level }) => <LevelBadge level={level} />,
    },
    { key: "why", title: t("sites.why"), isWide: true, cell: (site) => <Why troubles={troublesOf(site)} /> },
    {
      key: "unfinished",
      title: t("sites.open"),
      isShort: true,
      place: "extra",
      cell: ({ report }) => report.unfinished ?? "–",
    },
    {
      key: "backlog",
      title: t("sites.toSend"),
      isShort: true,
      place: "extra",
      // What is not known is not zero.
      cell: ({ silentSince, report }) => (silentSince === null ? (report.backlog?.records ?? "–") : "?"),
    },
    {
      key: "reportedAt",
      title: t("sites.reported"),
      sortable: true,
      isShort: true,
      place: "time",
      cell: ({ reportedAt }) => formatTime(reportedAt),
    },
    {
      key: "interventions",
      title: t("nav.interventions"),
      isMenu: true,
      cell: ({ report: { ref, name } }) => (
        <a class="button plain" href={interventionsOf(ref)} aria-label={t("sites.interventionsOf", { name })}>
          <Icon name="siren" />
        </a>
      ),
    },
  ];
}

/** The name as the link, then the town of its objective: both in two lines at most. */
function SiteName({ site: { id, report }, place }: { readonly site: SiteView; readonly place: string }) {
  return (
    <>
      <a href={`#/sites/${id}`} title={`${report.name} · ${report.ref}`}>
        <span class="two-lines">{report.name}</span>
      </a>
      {place !== "" && <small class="two-lines">{place}</small>}
    </>
  );
}

/** On a phone nothing for a site without problems. */
function Why({ troubles }: { readonly troubles: readonly string[] }) {
  if (troubles.length === 0) return <span class="none">–</span>;
  const text = troubles.join(" · ");
  return (
    <span class="two-lines" title={text}>
      {text}
    </span>
  );
}

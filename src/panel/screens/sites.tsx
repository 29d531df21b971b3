import { useEffect } from "preact/hooks";
import type { FleetSummary, SiteDetail, SiteLevel, SiteView } from "../../generated/types.ts";
import { useQuery, type QueryState } from "../api.ts";
import { BackLink } from "../back-link.tsx";
import { Badge, LEVEL_TONES } from "../badge.tsx";
import { every } from "../clock.ts";
import { formatDuration, formatTime } from "../date-format.ts";
import { EmptyState } from "../empty-state.tsx";
import { apiPath } from "../http.ts";
import { language, t, translateCode } from "../i18n.ts";
import { journalVersion } from "../live-updates.ts";
import { SearchField } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { Pager } from "../pager.tsx";
import { route, setQuery } from "../route.ts";
import { mayAdminister } from "../session.ts";
import { Table, type Column } from "../table.tsx";
import { FleetBar } from "./fleet-bar.tsx";
import { SiteAccess } from "./site-access.tsx";
import { SiteInterventions } from "./site-interventions.tsx";
import { troublesOf } from "./site-troubles.ts";

/** The reports of sites write no events, so the live updates say nothing about them. */
const REFRESH_EVERY_MS = 10_000;
const PAGE_SIZE = 50;

/** The sites that report to this dispatch centre, the most serious first, or one of them with its history. */
export function SitesScreen() {
  const { item } = route.value;
  return item === undefined ? <SiteList /> : <Site id={item} />;
}

/** What sites have reported, kept up to date while the page is visible. */
function useReports<T>(path: string): QueryState<T> {
  const query = useQuery<T>(path, journalVersion.value);
  const refresh = (): void => {
    if (!document.hidden) query.refresh();
  };
  useEffect(() => every(REFRESH_EVERY_MS, refresh), []);
  return query;
}

function SiteList() {
  const { q = "", level = "", silent = "", start: from = "0" } = route.value.query;
  const start = Number(from);
  const parameters = new URLSearchParams({ _start: String(start), _end: String(start + PAGE_SIZE) });
  if (q.trim() !== "") parameters.set("q", q.trim());
  if (level !== "") parameters.set("level", level);
  if (silent !== "") parameters.set("silent", silent);
  const path = apiPath(`/sites?${parameters.toString()}`);
  const { response, error, reload } = useReports<SiteView[]>(path);
  const summary = useReports<FleetSummary>(apiPath("/sites/summary")).response?.body;
  const isFiltered = q !== "" || level !== "" || silent !== "";
  return (
    <>
      <div class="head">
        <h1>{t("nav.sites")}</h1>
        <span class="quiet">{response?.headers.get("X-Total-Count")}</span>
      </div>
      {summary && <FleetBar summary={summary} />}
      <SearchField text={q} find={(text) => setQuery({ q: text, start: "" })} />
      {!response && <Pending error={error} reload={reload} />}
      {response?.body.length === 0 && (
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
          <Table caption={t("nav.sites")} columns={columns()} rows={response.body} keyOf={({ id }) => id} />
          <Pager
            start={start}
            size={PAGE_SIZE}
            total={Number(response.headers.get("X-Total-Count"))}
            turn={(next) => setQuery({ start: String(next) })}
          />
        </>
      )}
      {mayAdminister() && <SiteAccess />}
    </>
  );
}

function columns(): Column<SiteView>[] {
  return [
    {
      key: "name",
      title: t("record.name"),
      isLead: true,
      cell: ({ id, report }) => <a href={`#/sites/${id}`}>{report.name}</a>,
    },
    { key: "level", title: t("sites.level"), cell: ({ level }) => <LevelBadge level={level} /> },
    { key: "why", title: t("sites.why"), cell: (site) => troublesOf(site).join(" · ") || "–" },
    { key: "reported", title: t("sites.reported"), cell: ({ reportedAt }) => formatTime(reportedAt) },
    { key: "ref", title: t("sites.ref"), cell: ({ report }) => <code>{report.ref}</code> },
  ];
}

function LevelBadge({ level }: { readonly level: SiteLevel }) {
  return <Badge tone={LEVEL_TONES[level]}>{t(`headline.${level}`)}</Badge>;
}

/** One site with its last report and its newest changes. */
function Site({ id }: { readonly id: string }) {
  const path = apiPath(`/sites/${encodeURIComponent(id)}`);
  const { response, error, reload } = useReports<SiteDetail>(path);
  if (!response)
    return (
      <>
        <h1>{t("nav.sites")}</h1>
        <Pending error={error} reload={reload} />
        <BackLink href="#/sites" text={t("nav.sites")} />
      </>
    );
  const { site, history } = response.body;
  const { report, interventionId } = site;
  return (
    <>
      <BackLink href="#/sites" text={t("nav.sites")} />
      <div class="head">
        <h1>{report.name}</h1>
        <LevelBadge level={site.level} />
      </div>
      <section class="card">
        <ul>
          {troublesOf(site).map((trouble) => (
            <li key={trouble}>{trouble}</li>
          ))}
        </ul>
        {interventionId !== null && (
          <p>
            <a class="button" href={`#/interventions/${interventionId}`}>
              {t("sites.repair", { id: interventionId })}
            </a>
          </p>
        )}
        <Facts site={site} />
      </section>
      <SiteInterventions site={site} />
      <section class="card">
        <h2>{t("sites.history")}</h2>
        <Table
          caption={t("sites.history")}
          columns={[
            { key: "at", title: t("sites.at"), isLead: true, cell: ({ at }) => formatTime(at) },
            { key: "event", title: t("sites.change"), cell: eventText },
          ]}
          rows={history.map((event, index) => ({ ...event, index }))}
          keyOf={({ index }) => index}
        />
      </section>
    </>
  );
}

function eventText({ event, detail }: SiteDetail["history"][number]): string {
  const words = event === "level" || event === "first-report" ? translateCode("headline", detail) : detail;
  return translateCode(`sites.event`, event, event, { detail: words });
}

/** A number as the language writes it, such as `-60,2` in Romanian. */
function formatNumber(value: number, fractionDigits = 0): string {
  const digits = { minimumFractionDigits: fractionDigits, maximumFractionDigits: fractionDigits };
  return value.toLocaleString(language.value, digits);
}

function Facts({ site: { report, reportedAt, clockOffsetMs } }: { readonly site: SiteView }) {
  const facts: (readonly [string, string])[] = [
    [t("sites.ref"), report.ref],
    [t("sites.reported"), formatTime(reportedAt)],
    [t("sites.version"), report.version],
    [t("sites.uptime"), formatDuration(report.upS)],
    [t("sites.clock"), `${formatNumber(clockOffsetMs / 1000, 1)} s`],
  ];
  if (report.diskFreeMb !== undefined) facts.push([t("sites.disk"), `${formatNumber(report.diskFreeMb)} MB`]);
  if (report.cardWear !== undefined) facts.push([t("sites.wear"), `${report.cardWear} %`]);
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

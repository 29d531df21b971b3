import { useEffect } from "preact/hooks";
import type { SiteDetail, SiteLevel, SiteView } from "../../generated/types.ts";
import { useQuery, type QueryState } from "../api.ts";
import { BackLink } from "../back-link.tsx";
import { Badge, type Tone } from "../badge.tsx";
import { every } from "../clock.ts";
import { formatDuration, formatTime } from "../date-format.ts";
import { EmptyState } from "../empty-state.tsx";
import { apiPath } from "../http.ts";
import { language, t, translateCode } from "../i18n.ts";
import { journalVersion } from "../live-updates.ts";
import { Choice, SearchField } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { Pager } from "../pager.tsx";
import { route, setQuery } from "../route.ts";
import { mayAdminister } from "../session.ts";
import { Table, type Column } from "../table.tsx";
import { SiteAccess } from "./site-access.tsx";

/** The reports of sites write no events, so the live updates say nothing about them. */
const REFRESH_EVERY_MS = 10_000;
const PAGE_SIZE = 50;
/** Conditions and faults named of one site. */
const NAMED_MAX = 3;
const LEVELS: readonly SiteLevel[] = ["alarm", "fault", "attention", "well"];
const TONES: Readonly<Record<SiteLevel, Tone>> = {
  alarm: "alarm",
  fault: "fault",
  attention: "attention",
  well: "fine",
};

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
  const { q = "", level = "", start: from = "0" } = route.value.query;
  const start = Number(from);
  const parameters = new URLSearchParams({ _start: String(start), _end: String(start + PAGE_SIZE) });
  if (q.trim() !== "") parameters.set("q", q.trim());
  if (level !== "") parameters.set("level", level);
  const path = apiPath(`/sites?${parameters.toString()}`);
  const { response, error, reload } = useReports<SiteView[]>(path);
  const isFiltered = q !== "" || level !== "";
  return (
    <>
      <div class="head">
        <h1>{t("nav.sites")}</h1>
        <span class="quiet">{response?.headers.get("X-Total-Count")}</span>
      </div>
      <div class="filters">
        <SearchField text={q} find={(text) => setQuery({ q: text, start: "" })} />
        <Choice
          label={t("sites.level")}
          name="level"
          value={level}
          onChange={(value) => setQuery({ level: value, start: "" })}
          options={[["", t("app.all")], ...LEVELS.map((one) => [one, t(`headline.${one}`)] as const)]}
        />
      </div>
      {!response && <Pending error={error} reload={reload} />}
      {response?.body.length === 0 && (
        <EmptyState icon="layout-grid" text={t(isFiltered ? "sites.noneFound" : "sites.none")}>
          {isFiltered && (
            <button type="button" onClick={() => setQuery({ q: "", level: "", start: "" })}>
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
  return <Badge tone={TONES[level]}>{t(`headline.${level}`)}</Badge>;
}

/** Reasons whose conditions, faults or records follow with their own words. */
const NAMED_BELOW: ReadonlySet<string> = new Set([
  "zone-fault",
  "battery-low",
  "condition-error",
  "condition-warning",
  "backlog",
]);

function reasonText({ code, count, names = [] }: NonNullable<SiteView["report"]["reasons"]>[number]): string {
  return [
    translateCode("reason", code, code, { n: count }),
    ...(names.length === 0 ? [] : [names.join(", ")]),
  ].join(": ");
}

/** Why a site has its level, in words; empty for a site without problems. */
function troublesOf({ silentSince, report }: SiteView): string[] {
  const { reasons = [], conditions = [], faults = [], moreFaults = 0, backlog } = report;
  const unnamed = Math.max(0, faults.length - NAMED_MAX) + moreFaults;
  return [
    ...(silentSince === null ? [] : [t("sites.silentSince", { time: formatTime(silentSince) })]),
    ...reasons.filter(({ code }) => !NAMED_BELOW.has(code)).map(reasonText),
    ...conditions.slice(0, NAMED_MAX).map((code) => translateCode("condition", code)),
    ...faults.slice(0, NAMED_MAX).map(({ zone, fault }) => `${zone}: ${translateCode("fault", fault)}`),
    ...(unnamed > 0 ? [t("sites.moreFaults", { n: unnamed })] : []),
    ...(backlog && silentSince === null
      ? [t("sites.backlog", { n: backlog.records, time: formatDuration(backlog.oldestS) })]
      : []),
  ];
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

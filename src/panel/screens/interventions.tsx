import "../wide-word.css";
import "../filter-chips.css";
import "../one-row.css";
import type { Intervention, Priority, Status, WorkType } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { EmptyState } from "../empty-state.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { useListReturn } from "../list-return.ts";
import { journalVersion, status } from "../live-updates.ts";
import { Choice, SearchField } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { useObjectiveNames } from "../objective-names.ts";
import { Pager, useTotal } from "../pager.tsx";
import { useRecordSites } from "../record-sites.ts";
import { route, setQuery } from "../route.ts";
import { SortChoice } from "../sort-choice.tsx";
import { Table, type Column, type Sorting } from "../table.tsx";
import { useClosing } from "./intervention-closing.tsx";
import { interventionColumns } from "./intervention-columns.tsx";
import { ObjectiveFilter, objectiveParameters, searchParameters } from "./intervention-search.tsx";
import { apiPath } from "../http.ts";
import { LazyScreen } from "../lazy-screen.tsx";
import { useSyncOf } from "./sync-of-page.ts";
import { PERIOD_FILTERS, PeriodChoice, periodParameters, PeriodRange } from "./period-filter.tsx";

/* Only a dispatch centre has sites, and few lists are searched. */
const searchOffers = () => import("./search-offers.tsx").then((part) => part.SearchOffers);
const siteFilter = () => import("./site-filter.tsx").then((part) => part.SiteFilter);

export const STATUSES: readonly Status[] = ["planned", "in_progress", "done"];
export const PRIORITIES: readonly Priority[] = ["high", "medium", "low"];
export const WORK_TYPES: readonly WorkType[] = ["maintenance", "inspection", "repair", "other"];

const PAGE_SIZE = 20;
const FIELD_FILTERS = ["status", "priority", "type", "sync", "site"] as const;
const FILTERS = [...FIELD_FILTERS, "objective", "q", ...PERIOD_FILTERS] as const;
/** How far a record has come to the dispatch centre. */
const SYNC_GROUPS = [
  ["arrived", "journey.arrived"],
  ["waiting", "journey.waiting"],
  ["attention", "interventions.attention"],
] as const;
/** The values of the status filter; `open`: every status but done. */
const OPEN = "open";

/** What is unfinished comes first, by its priority; of each the newest. */
const SORT = "status";
/** By its letters, high would come before low and medium. */
const SORT_FIELDS: Readonly<Record<string, string>> = {
  status: "urgencyRank,id",
  priority: "priorityRank,id",
  type: "type,id",
};
/** Sorted from the beginning first. Priority begins with high, the status with what is unfinished, the number with the newest. */
const ASCENDING_FIRST: readonly string[] = ["name", "type"];

/** Changes a filter; the list then starts again at its first page. */
function setFilter(change: Readonly<Record<string, string>>): void {
  setQuery({ start: "", ...change });
}

/** All interventions, with filters, sorting and pages; all of these are in the address. */
export function InterventionsScreen() {
  const { sort = SORT, order = "desc", start = "0", sync: group = "" } = route.value.query;
  const isDescending = order === "desc";
  // The way of a record to the dispatch centre is no event.
  const outbox = group === "" ? "" : JSON.stringify(status.value?.outbox);
  const version = `${journalVersion.value} ${outbox}`;
  const { response, isFormer, error, reload } = useQuery<Intervention[]>(queryPath(), version);
  const total = useTotal(response, PAGE_SIZE);
  useListReturn(response !== undefined);
  const isSynced = status.value?.link.state !== "none";
  const isCentre = status.value?.role === "centre";
  const sync = useSyncOf(isSynced ? response?.body : undefined);
  const names = useObjectiveNames(response?.body ?? []);
  const sites = useRecordSites(response?.body ?? []);
  const { changeTo, question } = useClosing();
  const sortBy = (key: string): void => {
    const next = key === sort ? !isDescending : !ASCENDING_FIRST.includes(key);
    setFilter({ sort: key, order: next ? "desc" : "asc" });
  };
  const sorting = { key: sort, descending: isDescending, sortBy };
  const shownSync = isSynced ? sync.response?.body : null;
  const columns = interventionColumns(shownSync, names, sites, { changeTo, done: reload });
  return (
    <>
      <div class="head">
        <h1>{t("nav.interventions")}</h1>
        <span class="quiet">{response?.headers.get("X-Total-Count")}</span>
        <div class="actions">
          <a class="button main" href="#/interventions/new">
            <Icon name="plus" />
            <span class="wide-word">{t("interventions.new")}</span>
          </a>
        </div>
      </div>
      <Filters isSynced={isSynced} isCentre={isCentre} columns={columns} sorting={sorting} />
      {(route.value.query["q"] ?? "") !== "" && <LazyScreen load={searchOffers} isPart />}
      <PeriodRange set={setFilter} />
      {!response && <Pending error={error} reload={reload} />}
      {response && isSynced && !sync.response && sync.error && (
        <Pending error={sync.error} reload={sync.reload} />
      )}
      {question}
      {response && !isFormer && total === 0 && <NoneShown />}
      {response && response.body.length > 0 && (
        <>
          <Table
            caption={t("nav.interventions")}
            columns={columns}
            rows={response.body}
            isFormer={isFormer}
            keyOf={({ id }) => id}
            sorting={sorting}
          />
          <Pager
            start={Number(start)}
            size={PAGE_SIZE}
            total={total}
            turn={(next) => setQuery({ start: String(next) })}
          />
        </>
      )}
    </>
  );
}

/** The first option of a choice is its name, which says what the chip is for while nothing is chosen. */
function Filters({
  isSynced,
  isCentre,
  columns,
  sorting,
}: {
  readonly isSynced: boolean;
  readonly isCentre: boolean;
  readonly columns: readonly Column<Intervention>[];
  readonly sorting: Sorting;
}) {
  const { status: state = "", priority = "", type = "", sync = "", q = "" } = route.value.query;
  return (
    <div class="filter-chips">
      <SearchField text={q} find={(text) => setFilter({ q: text })} />
      <div class="one-row">
        <Choice
          label={t("record.status")}
          name="status"
          value={state}
          onChange={(value) => setFilter({ status: value })}
          options={[
            ["", t("record.status")],
            [OPEN, t("interventions.open")],
            ...STATUSES.map((one) => [one, t(`status.${one}`)] as const),
          ]}
        />
        <Choice
          label={t("record.priority")}
          name="priority"
          value={priority}
          onChange={(value) => setFilter({ priority: value })}
          options={[
            ["", t("record.priority")],
            ...PRIORITIES.map((one) => [one, t(`priority.${one}`)] as const),
          ]}
        />
        <Choice
          label={t("record.type")}
          name="type"
          value={type}
          onChange={(value) => setFilter({ type: value })}
          options={[["", t("record.type")], ...WORK_TYPES.map((one) => [one, t(`type.${one}`)] as const)]}
        />
        {isSynced && (
          <Choice
            label={t("record.sync")}
            name="sync"
            value={sync}
            onChange={(value) => setFilter({ sync: value })}
            options={[
              ["", t("record.sync")],
              ...SYNC_GROUPS.map(([group, text]) => [group, t(text)] as const),
            ]}
          />
        )}
        <PeriodChoice set={setFilter} />
        <ObjectiveFilter set={setFilter} />
        {isCentre && <LazyScreen load={siteFilter} isPart />}
        {isFiltered() && (
          <button type="button" onClick={showAll}>
            {t("interventions.all")}
          </button>
        )}
        <SortChoice columns={columns} sorting={sorting} />
      </div>
    </div>
  );
}

/** No intervention at all, or none for the filters. */
function NoneShown() {
  return (
    <EmptyState icon="siren" text={t(isFiltered() ? "interventions.noneFound" : "interventions.none")}>
      {isFiltered() && (
        <button type="button" onClick={showAll}>
          {t("interventions.all")}
        </button>
      )}
    </EmptyState>
  );
}

function isFiltered(): boolean {
  return FILTERS.some((name) => (route.value.query[name] ?? "") !== "");
}

function showAll(): void {
  setFilter(Object.fromEntries(FILTERS.map((name) => [name, ""])));
}

/** The request for the list that the address describes. */
function queryPath(): string {
  const { query } = route.value;
  const start = Number(query["start"] ?? 0);
  const parameters = new URLSearchParams({
    _start: String(start),
    _end: String(start + PAGE_SIZE),
    _sort: SORT_FIELDS[query["sort"] ?? SORT] ?? query["sort"] ?? "",
    _order: query["order"] === "asc" ? "ASC,DESC" : "DESC,DESC",
  });
  const q = (query["q"] ?? "").trim();
  const further = [
    ...periodParameters(query),
    ...(q === "" ? [] : searchParameters(q)),
    ...objectiveParameters(query["objective"] ?? ""),
  ];
  for (const [name, value] of further) parameters.set(name, value);
  for (const name of FIELD_FILTERS) {
    const value = (query[name] ?? "").trim();
    if (name === "status" && value === OPEN) parameters.set("status_ne", "done");
    else if (value !== "") parameters.set(name, value);
  }
  return apiPath(`/interventii?${parameters.toString()}`);
}

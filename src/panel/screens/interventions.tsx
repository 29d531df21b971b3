import "../filter-chips.css";
import type { Intervention, Priority, Status, WorkType } from "../../generated/types.ts";
import type { SyncView } from "../../site/sync-view.ts";
import { useQuery } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { TextField } from "../field.tsx";
import { Empty } from "../empty.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import type { IconName } from "../icons.ts";
import { journalVersion, status } from "../live-updates.ts";
import { formatRecordDate } from "../date-format.ts";
import { Choice } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { useObjectiveNames, type ObjectiveNames } from "../objective-names.ts";
import { Pager } from "../pager.tsx";
import { route, setQuery } from "../route.ts";
import { SyncBadge } from "../sync-badge.tsx";
import { InterventionMenu } from "./intervention-menu.tsx";
import { Table, type Column } from "../table.tsx";
import { apiPath } from "../http.ts";

export const STATUSES: readonly Status[] = ["planned", "in_progress", "done"];
export const PRIORITIES: readonly Priority[] = ["high", "medium", "low"];
export const WORK_TYPES: readonly WorkType[] = ["maintenance", "inspection", "repair", "other"];

const PAGE_SIZE = 20;
const FILTERS = ["status", "priority", "type", "q"] as const;
/** The values of the status filter; `open`: every status but done. */
const OPEN = "open";

/** Changes a filter; the list then starts again at its first page. */
function setFilter(change: Readonly<Record<string, string>>): void {
  setQuery({ start: "", ...change });
}

/** All interventions, with filters, sorting and pages; all of these are in the address. */
export function InterventionsScreen() {
  const { sort = "id", order = "desc", start = "0" } = route.value.query;
  const isDescending = order === "desc";
  const { response, error, reload } = useQuery<Intervention[]>(queryPath(), journalVersion.value);
  const isSynced = status.value?.link.state !== "none";
  const sync = useQuery<SyncView>(isSynced ? "/site/sync" : undefined, status.value?.outbox);
  const isCentre = status.value?.role === "centre";
  const names = useObjectiveNames(isCentre ? (response?.body ?? []) : []);
  const sortBy = (key: string): void => {
    // Priority begins with high, as the newest do.
    const isFirstDescending = key === "priority" || key === "id" || key === "dateStart";
    const next = key === sort ? !isDescending : isFirstDescending;
    setFilter({ sort: key, order: next ? "desc" : "asc" });
  };
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
      <Filters />
      {!response && <Pending error={error} reload={reload} />}
      {response && !sync.response && sync.error && <Pending error={sync.error} reload={sync.reload} />}
      {response?.body.length === 0 && <NoneShown />}
      {response && response.body.length > 0 && (
        <>
          <Table
            caption={t("nav.interventions")}
            columns={columns(isSynced, sync.response?.body, names, reload)}
            rows={response.body}
            keyOf={({ id }) => id}
            sorting={{ key: sort, descending: isDescending, sortBy }}
          />
          <Pager
            start={Number(start)}
            size={PAGE_SIZE}
            total={Number(response.headers.get("X-Total-Count"))}
            turn={(next) => setQuery({ start: String(next) })}
          />
        </>
      )}
    </>
  );
}

/** The first option of a choice is its name, which says what the chip is for while nothing is chosen. */
function Filters() {
  const { status: state = "", priority = "", type = "", q = "" } = route.value.query;
  return (
    <div class="filter-chips">
      <TextField
        label={t("app.search")}
        placeholder={t("app.search")}
        name="search"
        type="search"
        value={q}
        maxLength={200}
        onInput={(event) => setFilter({ q: event.currentTarget.value })}
      />
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
      {(state || priority || type || q) && (
        <button type="button" onClick={showAll}>
          {t("interventions.all")}
        </button>
      )}
    </div>
  );
}

/** No intervention at all, or none for the filters. */
function NoneShown() {
  const isFiltered = FILTERS.some((name) => (route.value.query[name] ?? "") !== "");
  return (
    <Empty icon="siren" text={t(isFiltered ? "interventions.noneFound" : "interventions.none")}>
      {isFiltered && (
        <button type="button" onClick={showAll}>
          {t("interventions.all")}
        </button>
      )}
    </Empty>
  );
}

function showAll(): void {
  setFilter({ status: "", priority: "", type: "", q: "" });
}

function columns(
  isSynced: boolean,
  queue: SyncView | undefined,
  names: ObjectiveNames,
  reload: () => void,
): Column<Intervention>[] {
  const all: Column<Intervention>[] = [
    {
      key: "name",
      title: t("record.name"),
      sortable: true,
      isLead: true,
      cell: ({ id, name }) => <a href={`#/interventions/${id}`}>{name}</a>,
    },
    { key: "id", title: "#", sortable: true, isShort: true, cell: ({ id }) => id },
    {
      key: "status",
      title: t("record.status"),
      sortable: true,
      isShort: true,
      cell: (record) => <StatusBadge status={record.status} />,
    },
    {
      key: "priority",
      title: t("record.priority"),
      sortable: true,
      cell: ({ priority }) => t(`priority.${priority}`),
    },
    {
      key: "dateStart",
      title: t("record.dateStart"),
      sortable: true,
      isShort: true,
      cell: ({ dateStart }) => formatRecordDate(dateStart),
    },
  ];
  // A dispatch centre has the interventions of many sites; at a site the zone in the name is enough.
  if (status.value?.role === "centre")
    all.splice(1, 0, { key: "objective", title: t("record.objective"), cell: names });
  if (isSynced) {
    const phases = new Map(
      queue?.records.map(({ interventionId, phase }) => [interventionId, phase] as const),
    );
    // A record without a queue entry is synced; without the whole queue it is not known.
    const cell = ({ id }: Intervention) =>
      phases.has(id) || queue?.isComplete === true ? <SyncBadge phase={phases.get(id)} /> : "–";
    all.push({ key: "sync", title: t("record.sync"), cell });
  }
  all.push({
    key: "actions",
    title: t("zones.actions"),
    isMenu: true,
    cell: (record) => <InterventionMenu record={record} done={reload} />,
  });
  return all;
}

const STATUS_LOOKS: Readonly<Record<Status, readonly [Tone, IconName]>> = {
  planned: ["off", "clock"],
  in_progress: ["link", "play"],
  done: ["fine", "check"],
};

function StatusBadge({ status: state }: { readonly status: Status }) {
  const [tone, icon] = STATUS_LOOKS[state];
  return (
    <Badge tone={tone} icon={icon}>
      {t(`status.${state}`)}
    </Badge>
  );
}

/** The request for the list that the address describes. */
function queryPath(): string {
  const { query } = route.value;
  const start = Number(query["start"] ?? 0);
  const parameters = new URLSearchParams({
    _start: String(start),
    _end: String(start + PAGE_SIZE),
    // By its letters, high would come before low and medium.
    _sort: query["sort"] === "priority" ? "priorityRank" : (query["sort"] ?? "id"),
    _order: query["order"] === "asc" ? "ASC" : "DESC",
  });
  for (const name of FILTERS) {
    const value = (query[name] ?? "").trim();
    if (name === "status" && value === OPEN) parameters.set("status_ne", "done");
    else if (value !== "") parameters.set(name, value);
  }
  return apiPath(`/interventii?${parameters.toString()}`);
}

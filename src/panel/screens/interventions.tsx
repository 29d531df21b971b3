import { signal } from "@preact/signals";
import type { Intervention, Priority, Status, WorkType } from "../../generated/types.ts";
import type { ShownPhase } from "../../domain/shown-phase.ts";
import type { SyncView } from "../../site/sync-view.ts";
import { useQuery } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { Choice, SearchField } from "../field.tsx";
import { t } from "../i18n.ts";
import { journalVersion, status } from "../live-updates.ts";
import { formatRecordDate } from "../date-format.ts";
import { Pending } from "../notice.tsx";
import { Pager } from "../pager.tsx";
import { SyncBadge } from "../sync-badge.tsx";
import { Table, type Column } from "../table.tsx";
import { apiPath } from "../http.ts";

export const STATUSES: readonly Status[] = ["planned", "in_progress", "done"];
export const PRIORITIES: readonly Priority[] = ["high", "medium", "low"];
export const WORK_TYPES: readonly WorkType[] = ["maintenance", "inspection", "repair", "other"];

const PAGE_SIZE = 20;

interface Query {
  readonly status: Status | "";
  readonly priority: Priority | "";
  readonly type: WorkType | "";
  readonly search: string;
  readonly sort: string;
  readonly descending: boolean;
  readonly start: number;
}

/** The current filter; kept while an intervention is open. */
const query = signal<Query>({
  status: "",
  priority: "",
  type: "",
  search: "",
  sort: "id",
  descending: true,
  start: 0,
});

function setQuery(change: Partial<Query>): void {
  query.value = { ...query.value, start: 0, ...change };
}

/** All interventions, with filters, sorting and pages. */
export function InterventionsScreen() {
  const { response, error, reload } = useQuery<Intervention[]>(queryPath(query.value), journalVersion.value);
  const isSynced = status.value?.link.state !== "none";
  const sync = useQuery<SyncView>(isSynced ? "/site/sync" : undefined, status.value?.outbox);
  const phases = new Map(
    sync.response?.body.records.map(({ interventionId, phase }) => [interventionId, phase]),
  );
  const { sort, descending, start } = query.value;
  const sortBy = (key: string): void =>
    setQuery({ sort: key, descending: key === sort ? !descending : false });
  return (
    <>
      <h1>{t("nav.interventions")}</h1>
      <Filters />
      {!response && <Pending error={error} reload={reload} />}
      {response && (
        <>
          <Table
            caption={t("nav.interventions")}
            columns={columns(isSynced ? phases : undefined)}
            rows={response.body}
            keyOf={({ id }) => id}
            sorting={{ key: sort, descending, sortBy }}
          />
          <Pager
            start={start}
            size={PAGE_SIZE}
            total={Number(response.headers.get("X-Total-Count"))}
            turn={(next) => setQuery({ start: next })}
          />
        </>
      )}
    </>
  );
}

function Filters() {
  const { status: state, priority, type, search } = query.value;
  const all = ["", t("app.all")] as const;
  return (
    <div class="filters">
      <Choice
        label={t("record.status")}
        name="status"
        value={state}
        onChange={(value) => setQuery({ status: value })}
        options={[all, ...STATUSES.map((one) => [one, t(`status.${one}`)] as const)]}
      />
      <Choice
        label={t("record.priority")}
        name="priority"
        value={priority}
        onChange={(value) => setQuery({ priority: value })}
        options={[all, ...PRIORITIES.map((one) => [one, t(`priority.${one}`)] as const)]}
      />
      <Choice
        label={t("record.type")}
        name="type"
        value={type}
        onChange={(value) => setQuery({ type: value })}
        options={[all, ...WORK_TYPES.map((one) => [one, t(`type.${one}`)] as const)]}
      />
      <SearchField text={search} find={(text) => setQuery({ search: text })} />
      <a class="button main end" href="#/interventions/new">
        {t("interventions.new")}
      </a>
    </div>
  );
}

function columns(phases: ReadonlyMap<number, ShownPhase> | undefined): Column<Intervention>[] {
  const all: Column<Intervention>[] = [
    { key: "id", title: "#", sortable: true, cell: ({ id }) => id },
    {
      key: "name",
      title: t("record.name"),
      sortable: true,
      cell: ({ id, name }) => <a href={`#/interventions/${id}`}>{name}</a>,
    },
    {
      key: "status",
      title: t("record.status"),
      sortable: true,
      cell: (record) => t(`status.${record.status}`),
    },
    {
      key: "priority",
      title: t("record.priority"),
      sortable: true,
      cell: ({ priority }) => <Badge tone={PRIORITY_TONES[priority]}>{t(`priority.${priority}`)}</Badge>,
    },
    {
      key: "dateStart",
      title: t("record.dateStart"),
      sortable: true,
      cell: ({ dateStart }) => formatRecordDate(dateStart),
    },
  ];
  if (phases) {
    const cell = ({ id }: Intervention) => <SyncBadge phase={phases.get(id)} />;
    all.push({ key: "sync", title: t("record.sync"), cell });
  }
  return all;
}

const PRIORITY_TONES: Readonly<Record<Priority, Tone>> = { high: "bad", medium: "warn", low: "quiet" };

function queryPath({ search, sort, descending, start, ...filters }: Query): string {
  const parameters = new URLSearchParams({
    _start: String(start),
    _end: String(start + PAGE_SIZE),
    _sort: sort,
    _order: descending ? "DESC" : "ASC",
  });
  for (const [name, value] of Object.entries({ ...filters, q: search.trim() }))
    if (value !== "") parameters.set(name, value);
  return apiPath(`/interventii?${parameters.toString()}`);
}

import type { Intervention, SiteView } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { formatRecordDate } from "../record-date.ts";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { journalVersion } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { objectiveOf, useObjectiveNames } from "../objective-names.ts";
import { NameLink, Table, type Column } from "../table.tsx";
import { objectiveParameters } from "./intervention-search.tsx";

/** The history of the site is below them; the total is beside the heading. */
const SHOWN_MAX = 5;

/** The unfinished interventions at the objective that a site reports, that of its silence among them. */
export function SiteInterventions({ site: { report } }: { readonly site: SiteView }) {
  const reference = report.objective ?? "";
  const objective = objectiveOf(reference);
  const nameOf = useObjectiveNames(objective ? [objective] : []);
  const parameters = new URLSearchParams({
    ...Object.fromEntries(objectiveParameters(reference)),
    status_ne: "done",
    _sort: "priorityRank,id",
    _order: "DESC,DESC",
    _end: String(SHOWN_MAX),
  });
  const path = objective && apiPath(`/interventii?${parameters.toString()}`);
  const { response, error, reload } = useQuery<Intervention[]>(path, journalVersion.value);
  if (!objective) return null;
  const total = Number(response?.headers.get("X-Total-Count") ?? 0);
  const all = new URLSearchParams({ status: "open", objective: reference });
  const title = t("sites.unfinished", { objective: nameOf(objective) });
  return (
    <section class="card">
      <div class="row">
        <h2 class="grow">{title}</h2>
        {response && <span class="quiet">{total}</span>}
      </div>
      {!response && <Pending error={error} reload={reload} />}
      {response?.body.length === 0 && <p class="quiet">{t("home.noneUnfinished")}</p>}
      {response && response.body.length > 0 && (
        <Table caption={title} columns={columns()} rows={response.body} keyOf={(record) => record.id} />
      )}
      {total > SHOWN_MAX && (
        <p>
          <a href={`#/interventions?${all.toString()}`}>{t("home.allUnfinished")}</a>
        </p>
      )}
    </section>
  );
}

function columns(): Column<Intervention>[] {
  return [
    {
      key: "name",
      title: t("record.name"),
      isLead: true,
      cell: ({ id, name }) => <NameLink href={`#/interventions/${id}`} name={name} />,
    },
    { key: "id", title: "#", isShort: true, cell: ({ id }) => id },
    { key: "status", title: t("record.status"), isShort: true, cell: ({ status }) => t(`status.${status}`) },
    { key: "priority", title: t("record.priority"), cell: ({ priority }) => t(`priority.${priority}`) },
    {
      key: "dateStart",
      title: t("record.dateStart"),
      isShort: true,
      cell: ({ dateStart }) => formatRecordDate(dateStart),
    },
  ];
}

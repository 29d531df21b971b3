import type { Intervention, ObjectiveType, SiteView } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { formatRecordDate } from "../date-format.ts";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { journalVersion } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { useObjectiveNames } from "../objective-names.ts";
import { NameLink, Table, type Column } from "../table.tsx";

/** More than one site has open at once; the total is beside the heading. */
const SHOWN_MAX = 50;

/** The unfinished interventions at the objective that a site reports, that of its silence among them. */
export function SiteInterventions({ site: { report } }: { readonly site: SiteView }) {
  const [, type, id] = /^(.+)\/(\d+)$/.exec(report.objective ?? "") ?? [];
  const objective = { objectiveType: type as ObjectiveType, objectiveId: Number(id) };
  const nameOf = useObjectiveNames(type === undefined ? [] : [objective]);
  const parameters = new URLSearchParams({
    objectiveType: type ?? "",
    objectiveId: id ?? "",
    status_ne: "done",
    _sort: "status,id",
    _order: "DESC,DESC",
    _end: String(SHOWN_MAX),
  });
  const path = type === undefined ? undefined : apiPath(`/interventii?${parameters.toString()}`);
  const { response, error, reload } = useQuery<Intervention[]>(path, journalVersion.value);
  if (path === undefined) return null;
  const title = t("sites.unfinished", { objective: nameOf(objective) });
  return (
    <section class="card">
      <div class="row">
        <h2 class="grow">{title}</h2>
        <span class="quiet">{response?.headers.get("X-Total-Count")}</span>
      </div>
      {!response && <Pending error={error} reload={reload} />}
      {response?.body.length === 0 && <p class="quiet">{t("home.noneUnfinished")}</p>}
      {response && response.body.length > 0 && (
        <Table caption={title} columns={columns()} rows={response.body} keyOf={(record) => record.id} />
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

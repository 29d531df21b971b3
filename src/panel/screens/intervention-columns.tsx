import type { Intervention, RecordSite, Status } from "../../generated/types.ts";
import type { SyncRecordStatus } from "../../site/sync-view.ts";
import { Badge, type Tone } from "../badge.tsx";
import { formatRecordDate } from "../date-format.ts";
import { t } from "../i18n.ts";
import type { IconName } from "../icons.ts";
import { status } from "../live-updates.ts";
import type { ObjectiveNames } from "../objective-names.ts";
import type { RecordSites } from "../record-sites.ts";
import { AtCentre } from "../sync-badge.tsx";
import type { Column } from "../table.tsx";
import { InterventionMenu } from "./intervention-menu.tsx";

/**
 * The columns of the list of interventions.
 * @param sites that have created the records, at a dispatch centre
 * @param sync null without a dispatch centre, undefined before it is known
 */
export function interventionColumns(
  sync: readonly SyncRecordStatus[] | undefined | null,
  names: ObjectiveNames,
  sites: RecordSites,
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
    all.splice(1, 0, {
      key: "objective",
      title: t("record.objective"),
      cell: (record) => <Place objective={names(record)} site={sites(record)} />,
    });
  if (sync !== null) {
    const cell = ({ id }: Intervention) => {
      const record = sync?.find(({ interventionId }) => interventionId === id);
      return record ? <AtCentre record={record} /> : "–";
    };
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

function Place({ objective, site }: { readonly objective: string; readonly site: RecordSite | undefined }) {
  return (
    <>
      {objective}
      {site && <div class="quiet">{`${t("interventions.site")}: ${site.name ?? site.ref}`}</div>}
    </>
  );
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

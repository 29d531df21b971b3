import type { Intervention, RecordSite, Status } from "../../generated/types.ts";
import type { SyncRecordStatus } from "../../site/sync-view.ts";
import { Badge, type Tone } from "../badge.tsx";
import { t } from "../i18n.ts";
import type { IconName } from "../icons.ts";
import { RecordTime } from "../list-time.tsx";
import type { ObjectiveNames } from "../objective-names.ts";
import type { RecordSites } from "../record-sites.ts";
import { AtCentre } from "../sync-badge.tsx";
import { NameLink, type Column } from "../table.tsx";
import { InterventionMenu, type MenuChanges } from "./intervention-menu.tsx";

/**
 * The columns of the list of interventions.
 * @param sites that have created the records, at a dispatch centre
 * @param sync null without a dispatch centre, undefined before it is known
 */
export function interventionColumns(
  sync: readonly SyncRecordStatus[] | undefined | null,
  names: ObjectiveNames,
  sites: RecordSites,
  changes: MenuChanges,
): Column<Intervention>[] {
  return [
    {
      key: "name",
      title: t("record.name"),
      sortable: true,
      isLead: true,
      isWide: true,
      cell: (record) => (
        <>
          <NameLink href={`#/interventions/${record.id}`} name={record.name} />
          <Facts record={record} objective={names(record)} site={sites(record)} />
        </>
      ),
    },
    { key: "id", title: "#", sortable: true, isShort: true, place: "rest", cell: ({ id }) => id },
    {
      key: "type",
      title: t("record.type"),
      sortable: true,
      isShort: true,
      place: "rest",
      cell: ({ type }) => t(`type.${type}`),
    },
    {
      key: "objective",
      title: t("record.objective"),
      isWide: true,
      place: "extra",
      cell: (record) => <Place objective={names(record)} site={sites(record)} />,
    },
    {
      key: "status",
      title: t("record.status"),
      sortable: true,
      isShort: true,
      place: "state",
      cell: (record) => <StatusBadge status={record.status} />,
    },
    {
      key: "priority",
      title: t("record.priority"),
      sortable: true,
      place: "table",
      cell: ({ priority }) => t(`priority.${priority}`),
    },
    ...(sync === null ? [] : [syncColumn(sync)]),
    {
      key: "dateStart",
      title: t("record.dateStart"),
      sortable: true,
      place: "time",
      cell: ({ dateStart }) => <RecordTime text={dateStart} />,
    },
    {
      key: "actions",
      title: t("zones.actions"),
      isMenu: true,
      cell: (record) => <InterventionMenu record={record} {...changes} />,
    },
  ];
}

function syncColumn(sync: readonly SyncRecordStatus[] | undefined): Column<Intervention> {
  return {
    key: "sync",
    title: t("record.sync"),
    place: "state",
    cell: ({ id }) => {
      const record = sync?.find(({ interventionId }) => interventionId === id);
      return record ? <AtCentre record={record} /> : "–";
    },
  };
}

interface Where {
  readonly objective: string;
  readonly site: RecordSite | undefined;
}

/** The second line of a row where there is no room for the columns of its facts. */
function Facts({
  record: { id, type, priority },
  objective,
  site,
}: Where & { readonly record: Intervention }) {
  const facts = [`#${id}`, objective, ...(site ? [siteText(site)] : [])];
  return (
    <small class="row-facts">
      {facts.join(" · ")}
      <span class="wide-fact"> · {t(`type.${type}`)}</span>
      <span class="narrow-fact"> · {t("journey.priority", { priority: t(`priority.${priority}`) })}</span>
    </small>
  );
}

function Place({ objective, site }: Where) {
  return (
    <>
      <div class="two-lines">{objective}</div>
      {site && <div class="quiet shortened">{siteText(site)}</div>}
    </>
  );
}

function siteText({ name, ref }: RecordSite): string {
  return `${t("interventions.site")}: ${name ?? ref}`;
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

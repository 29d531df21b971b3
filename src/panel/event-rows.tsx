import type { TimelineEntry } from "../site/timeline-view.ts";
import { detailText } from "./event-detail.ts";
import { t, tCode } from "./i18n.ts";
import { formatTime } from "./date-format.ts";
import { Table, type Column } from "./table.tsx";

/** A table of event log entries. */
export function EventRows({
  caption,
  entries,
}: {
  readonly caption: string;
  readonly entries: readonly TimelineEntry[];
}) {
  const rows = entries.map((entry, index) => ({ ...entry, key: `${entry.at} ${entry.event} ${index}` }));
  return <Table caption={caption} columns={columns()} rows={rows} keyOf={({ key }) => key} />;
}

function columns(): Column<TimelineEntry>[] {
  return [
    { key: "at", title: t("events.at"), isShort: true, cell: ({ at }) => formatTime(at) },
    {
      key: "event",
      title: t("events.event"),
      cell: ({ event }) => <strong class="whole">{tCode("event", event)}</strong>,
    },
    { key: "who", title: t("events.who"), isWide: true, cell: userCell },
    { key: "subject", title: t("events.subject"), isWide: true, cell: subjectCell },
    { key: "detail", title: t("events.detail"), cell: ({ detail }) => detailText(detail) },
  ];
}

function userCell({ who, from }: TimelineEntry) {
  return (
    <>
      {who} <span class="quiet">{from}</span>
    </>
  );
}

function subjectCell({ subject }: TimelineEntry) {
  const [, id] = /^intervention (\d+)$/.exec(subject) ?? [];
  return id === undefined ? subject : <a href={`#/interventions/${id}`}>{`#${id}`}</a>;
}

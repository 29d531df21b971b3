import type { JournalEntry } from "../http/site/journal-view.ts";
import { detailText } from "./event-detail.ts";
import { say, sayCode } from "./language.ts";
import { sayMoment } from "./moments.ts";
import { Table, type Column } from "./table.tsx";

/** Entries of the event log as a table. */
export function EventRows({
  caption,
  entries,
}: {
  readonly caption: string;
  readonly entries: readonly JournalEntry[];
}) {
  const rows = entries.map((entry, index) => ({ ...entry, key: `${entry.at} ${entry.event} ${index}` }));
  return <Table caption={caption} columns={columns()} rows={rows} keyOf={({ key }) => key} />;
}

function columns(): Column<JournalEntry>[] {
  return [
    { key: "at", title: say("events.at"), isShort: true, cell: ({ at }) => sayMoment(at) },
    {
      key: "event",
      title: say("events.event"),
      cell: ({ event }) => <strong class="whole">{sayCode("event", event)}</strong>,
    },
    { key: "who", title: say("events.who"), isWide: true, cell: whoOf },
    { key: "subject", title: say("events.subject"), isWide: true, cell: subjectOf },
    { key: "detail", title: say("events.detail"), cell: ({ detail }) => detailText(detail) },
  ];
}

function whoOf({ who, from }: JournalEntry) {
  return (
    <>
      {who} <span class="quiet">{from}</span>
    </>
  );
}

function subjectOf({ subject }: JournalEntry) {
  const [, id] = /^intervention (\d+)$/.exec(subject) ?? [];
  return id === undefined ? subject : <a href={`#/interventions/${id}`}>{`#${id}`}</a>;
}

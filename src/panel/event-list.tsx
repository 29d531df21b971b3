import "./event-list.css";
import type { JourneyView } from "../site/journey-view.ts";
import type { HistoryView, TimelineEntry } from "../site/timeline-view.ts";
import { formatClock } from "./date-format.ts";
import { formatDay } from "./day-format.ts";
import { deliveryTime } from "./delivery-time.ts";
import { EVENT_DETAIL_TEXTS } from "./event-detail-texts.ts";
import { EventFacts, FoldHead, foldsOf, useFold } from "./event-folds.tsx";
import { furtherChanges, type LogRow } from "./event-records.ts";
import { eventSentence } from "./event-sentence.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { withJourney } from "./journey-entries.ts";
import { mayOperate } from "./session.ts";

/**
 * Rows of the event log as sentences, under the day of the site on which they happened.
 * @param isWhole repeated entries are folded, and each entry has its details
 */
export function EventList({
  rows,
  isWhole = false,
}: {
  readonly rows: readonly LogRow[];
  readonly isWhole?: boolean;
}) {
  const days: { readonly day: string; readonly rows: LogRow[] }[] = [];
  for (const row of rows) {
    const day = formatDay(row.entry.at);
    const last = days[days.length - 1];
    if (last?.day === day) last.rows.push(row);
    else days.push({ day, rows: [row] });
  }
  return (
    <>
      {days.map(({ day, rows: ofDay }, index) => (
        <section key={`${day} ${index}`}>
          <h2 class="log-day">{day}</h2>
          <ol class="log">
            {isWhole
              ? foldsOf(ofDay).map((run) => <Run key={keyOfRun(run)} run={run} />)
              : ofDay.map((row, place) => (
                  <EventItem key={`${row.entry.at} ${row.entry.event} ${place}`} row={row} />
                ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** The history of a record, with what only its journey has; its arrival with the time that it took. */
export function HistoryList({
  entries,
  journey,
}: Pick<HistoryView, "entries"> & { readonly journey: JourneyView | null }) {
  const took = journey ? deliveryTime(journey) : undefined;
  const withTime = (entry: TimelineEntry): TimelineEntry => {
    const isIt =
      entry.event === "record-arrived" && entry.detail["upstreamId"] === journey?.centre?.upstreamId;
    return took !== undefined && isIt ? { ...entry, detail: { ...entry.detail, took } } : entry;
  };
  return (
    <EventList
      rows={withJourney(entries, journey).map((entry) => ({ entry: withTime(entry), records: [] }))}
    />
  );
}

/** The oldest entry of a run: it stays while newer ones are added. */
function keyOfRun(run: readonly LogRow[]): string {
  const { at, event, who } = (run[run.length - 1] as LogRow).entry;
  return `${at} ${event} ${who}`;
}

function Run({ run }: { readonly run: readonly LogRow[] }) {
  const [isOpen, toggle] = useFold();
  const [only] = run;
  if (run.length === 1 && only) return <EventItem row={only} hasFacts />;
  return (
    <>
      <FoldHead run={run.map(({ entry }) => entry)} isOpen={isOpen} toggle={toggle} />
      {isOpen && run.map((row, place) => <EventItem key={`${row.entry.at} ${place}`} row={row} hasFacts />)}
    </>
  );
}

function EventItem({
  row: { entry, records },
  hasFacts = false,
}: {
  readonly row: LogRow;
  readonly hasFacts?: boolean;
}) {
  const [isOpen, toggle] = useFold();
  const { icon, tone, text, note, interventionId } = eventSentence(entry);
  const notes = [note, furtherChanges(records, EVENT_DETAIL_TEXTS)].filter((part) => part !== "");
  return (
    <li>
      <time dateTime={entry.at}>{formatClock(entry.at)}</time>
      <span class={`disc s-${tone}`}>
        <Icon name={icon} />
      </span>
      <div class="what">
        {text}{" "}
        {interventionId !== undefined && mayOperate() && (
          <a href={`#/interventions/${interventionId}`}>{`#${interventionId}`}</a>
        )}
        {notes.length > 0 && <small>{notes.join(" · ")}</small>}
        {isOpen && [entry, ...records].map((one, place) => <EventFacts key={place} entry={one} />)}
      </div>
      {hasFacts && (
        <button
          type="button"
          class="plain"
          aria-expanded={isOpen}
          aria-label={`${t("events.details")}: ${text}`}
          onClick={toggle}
        >
          <Icon name="ellipsis" />
        </button>
      )}
    </li>
  );
}

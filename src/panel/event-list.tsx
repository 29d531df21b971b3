import "./event-list.css";
import type { TimelineEntry } from "../site/timeline-view.ts";
import { formatClock, formatDay } from "./date-format.ts";
import { EventFacts, FoldHead, foldsOf, useFold } from "./event-folds.tsx";
import { eventSentence } from "./event-sentence.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { mayOperate } from "./session.ts";

/**
 * Entries of the timeline as sentences, under the day of the site on which they happened.
 * @param isWhole repeated entries are folded, and each entry has its details
 */
export function EventList({
  entries,
  isWhole = false,
}: {
  readonly entries: readonly TimelineEntry[];
  readonly isWhole?: boolean;
}) {
  const days: { readonly day: string; readonly entries: TimelineEntry[] }[] = [];
  for (const entry of entries) {
    const day = formatDay(entry.at);
    const last = days[days.length - 1];
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return (
    <>
      {days.map(({ day, entries: ofDay }, index) => (
        <section key={`${day} ${index}`}>
          <h2 class="log-day">{day}</h2>
          <ol class="log">
            {isWhole
              ? foldsOf(ofDay).map((run) => <Run key={keyOfRun(run)} run={run} />)
              : ofDay.map((entry, place) => (
                  <EventItem key={`${entry.at} ${entry.event} ${place}`} entry={entry} />
                ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** The oldest entry of a run: it stays while newer ones are added. */
function keyOfRun(run: readonly TimelineEntry[]): string {
  const { at, event, who } = run[run.length - 1] as TimelineEntry;
  return `${at} ${event} ${who}`;
}

function Run({ run }: { readonly run: readonly TimelineEntry[] }) {
  const [isOpen, toggle] = useFold();
  const [only] = run;
  if (run.length === 1 && only) return <EventItem entry={only} hasFacts />;
  return (
    <>
      <FoldHead run={run} isOpen={isOpen} toggle={toggle} />
      {isOpen && run.map((entry, place) => <EventItem key={`${entry.at} ${place}`} entry={entry} hasFacts />)}
    </>
  );
}

function EventItem({
  entry,
  hasFacts = false,
}: {
  readonly entry: TimelineEntry;
  readonly hasFacts?: boolean;
}) {
  const [isOpen, toggle] = useFold();
  const { icon, tone, text, note, interventionId } = eventSentence(entry);
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
        {note !== "" && <small>{note}</small>}
        {isOpen && <EventFacts entry={entry} />}
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

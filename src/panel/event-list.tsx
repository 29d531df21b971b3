import "./event-list.css";
import type { TimelineEntry } from "../site/timeline-view.ts";
import { formatClock, formatDay } from "./date-format.ts";
import { eventSentence } from "./event-sentence.ts";
import { Icon } from "./icon.tsx";
import { mayOperate } from "./session.ts";

/** Entries of the timeline as sentences, under the day of the site on which they happened. */
export function EventList({ entries }: { readonly entries: readonly TimelineEntry[] }) {
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
            {ofDay.map((entry, place) => (
              <EventItem key={`${entry.at} ${entry.event} ${place}`} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function EventItem({ entry }: { readonly entry: TimelineEntry }) {
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
      </div>
    </li>
  );
}

import "./facts.css";
import { useState } from "preact/hooks";
import type { TimelineEntry } from "../site/timeline-view.ts";
import type { LogRow } from "./event-records.ts";
import { eventSentence } from "./event-sentence.ts";
import { formatClock } from "./date-format.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";

/** Shorter runs are as quickly read as their number. */
const FOLDED_MIN = 3;

/**
 * Puts rows that follow each other and say the same into one group: the movement of one zone that was not dispatched, or
 * the same event of the same user. An alarm is never folded.
 */
export function foldsOf(rows: readonly LogRow[]): (readonly LogRow[])[] {
  const runs: LogRow[][] = [];
  let lastKey: string | undefined;
  for (const row of rows) {
    const key = foldKey(row.entry);
    const run = runs[runs.length - 1];
    if (run && key !== undefined && key === lastKey) run.push(row);
    else runs.push([row]);
    lastKey = key;
  }
  return runs.flatMap((run) => (run.length < FOLDED_MIN ? run.map((row) => [row]) : [run]));
}

/** The same for entries that may be folded; undefined for an entry that never is. */
function foldKey({ event, who, from, subject, detail }: TimelineEntry): string | undefined {
  // Its entry lies between those of the trips that it has caused.
  if (event === "test-trip") return subject;
  if (!who.startsWith("zone ")) return [event, who, from, subject].join("\n");
  if (event === "restore") return subject === "" ? who : undefined;
  const isMovement = event === "trip" || event === "standing";
  const isSuppressed = !["posted", "merged", "waiting", "refused"].includes(String(detail["state"]));
  return isMovement && isSuppressed ? who : undefined;
}

/** A folded group as its newest trip with the number of times; pressed, it shows all of it. */
export function FoldHead({
  run,
  isOpen,
  toggle,
}: {
  readonly run: readonly TimelineEntry[];
  readonly isOpen: boolean;
  readonly toggle: () => void;
}) {
  const [newest] = run;
  const oldest = run[run.length - 1];
  if (!newest || !oldest) return null;
  const trips = run.filter(({ event }) => event !== "restore" && event !== "test-trip");
  const { icon, tone, text, note } = eventSentence(trips[0] ?? newest);
  return (
    <li>
      <time dateTime={newest.at}>{formatClock(newest.at)}</time>
      <span class={`disc s-${tone}`}>
        <Icon name={icon} />
      </span>
      <div class="what">
        {text}{" "}
        <button type="button" aria-expanded={isOpen} onClick={toggle}>
          {t("events.times", { n: trips.length || run.length, time: formatClock(oldest.at) })}
        </button>
        {note !== "" && <small>{note}</small>}
      </div>
    </li>
  );
}

/** Whether a group or the facts of an entry are open, and how to change that. */
export function useFold(): [boolean, () => void] {
  const [isOpen, setOpen] = useState(false);
  return [isOpen, () => setOpen(!isOpen)];
}

/** What the sentence leaves out, as the daemon stores it. */
export function EventFacts({
  entry: { at, event, who, from, subject, detail },
}: {
  readonly entry: TimelineEntry;
}) {
  const rows = [
    [t("events.fact.event"), `${event} · ${at}`],
    [t("events.fact.who"), who],
    [t("events.fact.from"), from],
    [t("events.fact.subject"), subject],
    // The difference of a file, and notes, in their own lines.
    [t("events.fact.detail"), JSON.stringify(detail).replace(/\\n/g, "\n")],
  ] as const;
  return (
    <dl class="facts event-facts">
      {rows
        .filter(([, value]) => value !== "" && value !== "{}")
        .map(([name, value]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name} lang="en">
            <code>{value}</code>
          </dd>,
        ])}
    </dl>
  );
}

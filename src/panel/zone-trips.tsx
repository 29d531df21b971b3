import "./charts.css";
import { useState } from "preact/hooks";
import type { ZoneHistoryView } from "../site/zone-view.ts";
import { daemonNowMs } from "./clock.ts";
import { formatClock } from "./date-format.ts";
import { formatDay } from "./day-format.ts";
import { t } from "./i18n.ts";
import { Pending } from "./notice.tsx";
import { TimeAxis } from "./time-axis.tsx";
import { TimeRangeChoice } from "./time-range-choice.tsx";
import { tripBars, tripOutcomes, tripsIn, type TripBar, type TripFilter } from "./trip-counts.ts";
import {
  CONTACTS_MAX,
  HOUR_MS,
  IncompleteNote,
  incompleteSince,
  Lane,
  noneText,
  TIME_RANGES,
  useHistories,
} from "./zone-timeline.tsx";

/** Sizes in SVG units. */
const BAR = 10;
const GAP = 2;
const HEIGHT = 48;

/**
 * One zone over a day or a week: its lane, its trips in each hour or day, and what became of them.
 * @param filter the trips that are counted; the lane has all of them, so it is there for all only
 */
export function ZoneTrips({
  id,
  name,
  filter = "all",
}: {
  readonly id: string;
  readonly name: string;
  readonly filter?: TripFilter;
}) {
  const [hours, setHours] = useState<24 | 168>(24);
  const { response, error, reload } = useHistories(hours, id);
  const history = response?.body.find((one) => one.id === id);
  return (
    <section class="zone-trips" aria-label={t("zoneTrips.title")}>
      <TimeRangeChoice ranges={TIME_RANGES} hours={hours} choose={setHours} />
      {!history && error && <Pending error={error} reload={reload} />}
      {history && filter === "all" && <Lane name={name} history={history} hours={hours} isAlone />}
      {history && <TripSummary histories={[history]} hours={hours} filter={filter} />}
      {history && history.contacts.length >= CONTACTS_MAX && (
        <p class="quiet">{t("zoneTrips.newest", { limit: CONTACTS_MAX })}</p>
      )}
    </section>
  );
}

/** The trips of each hour or day, and how many were dispatched, or suppressed for which reason. */
export function TripSummary({
  histories,
  hours,
  filter,
}: {
  readonly histories: readonly ZoneHistoryView[];
  readonly hours: number;
  readonly filter: TripFilter;
}) {
  const all = tripsIn(
    histories.flatMap(({ contacts }) => contacts),
    filter,
  );
  // The daemon's clock is known to a few seconds only.
  const endMs = all.reduce((last, { at }) => Math.max(last, Date.parse(at)), daemonNowMs());
  const beginMs = endMs - hours * HOUR_MS;
  // Until the day's response arrives, that of the week is still there.
  const trips = all.filter(({ at }) => Date.parse(at) >= beginMs);
  const note = <IncompleteNote histories={histories} />;
  if (trips.length === 0)
    return (
      <>
        <p class="quiet">{noneText(incompleteSince(histories), "zoneTrips")}</p>
        {note}
      </>
    );
  return (
    <>
      <Bars bars={tripBars(trips, { beginMs, endMs })} isByHour={hours === 24} />
      <ul class="legend outcomes">
        {tripOutcomes(trips).map(({ text, isDispatched, count }) => (
          <li key={text}>
            <span class={isDispatched ? "" : "legend-bypass"}>{text}</span> <b>{count}</b>
          </li>
        ))}
      </ul>
      {note}
    </>
  );
}

/** What was dispatched at the bottom, what was suppressed above it. */
function Bars({ bars, isByHour }: { readonly bars: readonly TripBar[]; readonly isByHour: boolean }) {
  const most = bars.reduce((a, b) => (totalOf(b) > totalOf(a) ? b : a));
  const scale = HEIGHT / Math.max(1, totalOf(most));
  const nameOf = ({ atMs }: TripBar): string => (isByHour ? hourText(atMs) : dayText(atMs));
  const text = t(isByHour ? "zoneTrips.hours" : "zoneTrips.days", { time: nameOf(most), n: totalOf(most) });
  return (
    <figure>
      <figcaption>{text}</figcaption>
      <svg
        class="trip-bars"
        viewBox={`0 0 ${bars.length * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        <rect class="lane-ground" x={0} y={0} width={bars.length * BAR} height={HEIGHT} />
        {bars.map((bar, index) => {
          const x = index * BAR + GAP / 2;
          const low = bar.dispatched * scale;
          const high = bar.suppressed * scale;
          return (
            <g key={bar.atMs}>
              <title>{`${nameOf(bar)}: ${totalOf(bar)}`}</title>
              <rect class="lane-trip" x={x} y={HEIGHT - low} width={BAR - GAP} height={low} />
              <rect class="lane-bypass" x={x} y={HEIGHT - low - high} width={BAR - GAP} height={high} />
            </g>
          );
        })}
      </svg>
      <TimeAxis
        beginMs={bars[0]?.atMs ?? most.atMs}
        middleMs={bars[Math.floor(bars.length / 2)]?.atMs ?? most.atMs}
        isDay={isByHour}
      />
    </figure>
  );
}

function totalOf({ dispatched, suppressed }: TripBar): number {
  return dispatched + suppressed;
}

function hourText(atMs: number): string {
  const minute = (ms: number): string => formatClock(new Date(ms).toISOString()).slice(0, 5);
  return `${minute(atMs)}–${minute(atMs + HOUR_MS)}`;
}

function dayText(atMs: number): string {
  return formatDay(new Date(atMs).toISOString());
}

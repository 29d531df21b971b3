import "./charts.css";
import { useEffect, useState } from "preact/hooks";
import type { LinkHistoryView } from "../site/sync-view.ts";
import { useQuery } from "./api.ts";
import { everyShown } from "./clock.ts";
import { t } from "./i18n.ts";
import { status } from "./live-updates.ts";
import { formatDuration } from "./duration.ts";
import { Pending } from "./notice.tsx";
import { TimeAxis } from "./time-axis.tsx";
import { TimeRangeChoice } from "./time-range-choice.tsx";

const TIME_RANGES = [
  [24, "timeRange.day"],
  [720, "timeRange.month"],
] as const;
const RELOAD_EVERY_MS = 60_000;
/** As often as the daemon looks at the link: how long it is down is asked for at once. */
const RELOAD_WHILE_DOWN_MS = 10_000;
const DAY_MS = 86_400_000;
/** Heights in SVG units. */
const HEIGHT = 16;
const CURVE_HEIGHT = 60;

/** State of the link and age of the oldest unsent record, over a day or a month. */
export function LinkHistory() {
  const [hours, setHours] = useState<24 | 720>(24);
  const { history, ...query } = useLinkHistory(hours);
  return (
    <section class="card lanes">
      <div class="row">
        <h2>{t("linkHistory.title")}</h2>
        <TimeRangeChoice ranges={TIME_RANGES} hours={hours} choose={setHours} />
      </div>
      {history ? <LinkStrip history={history} /> : <Pending {...query} />}
      {history && <AgeCurve history={history} />}
    </section>
  );
}

/** State of the link in the last 24 hours. */
export function LinkDay() {
  const { history, ...query } = useLinkHistory(24);
  return history ? <LinkStrip history={history} /> : <Pending {...query} />;
}

function useLinkHistory(hours: number) {
  const { response, error, reload, refresh } = useQuery<LinkHistoryView>(
    `/site/sync/history?hours=${hours}`,
    status.value?.link.state,
  );
  const isDown = status.value?.link.state === "down";
  useEffect(() => everyShown(isDown ? RELOAD_WHILE_DOWN_MS : RELOAD_EVERY_MS, refresh), [isDown]);
  return { history: response?.body, error, reload };
}

/** Green while up, red from below while down, empty without samples. */
function LinkStrip({ history }: { readonly history: LinkHistoryView }) {
  const { since, until, intervals } = history;
  const intervalS = (Date.parse(until) - Date.parse(since)) / 1000 / intervals.length;
  const seconds = (of: "up" | "down"): number =>
    intervals.reduce((sum, interval) => sum + interval[of], 0) * intervalS;
  const text = t("linkHistory.strip", {
    up: formatDuration(seconds("up")),
    down: formatDuration(seconds("down")),
  });
  return (
    <figure>
      <figcaption>{text}</figcaption>
      <svg
        viewBox={`0 0 ${intervals.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        <title>{text}</title>
        <rect class="lane-ground" x={0} y={0} width={intervals.length} height={HEIGHT} />
        {runsOf(intervals).map(({ up, down, x, width }) => (
          <g key={x}>
            {up > 0 && (
              <rect class="link-up" x={x} y={0} width={width} height={HEIGHT * Math.min(1, up + down)} />
            )}
            {down > 0 && (
              <rect
                class="link-down"
                x={x}
                y={HEIGHT * (1 - Math.min(1, Math.max(0.25, down)))}
                width={width}
                height={HEIGHT * Math.min(1, Math.max(0.25, down))}
              />
            )}
          </g>
        ))}
      </svg>
      <PeriodAxis history={history} />
    </figure>
  );
}

interface Run {
  readonly up: number;
  readonly down: number;
  readonly x: number;
  readonly width: number;
}

/** Merges equal neighbours, because adjacent rectangles would show seams. */
function runsOf(intervals: LinkHistoryView["intervals"]): readonly Run[] {
  const runs: Run[] = [];
  for (const [x, { up, down }] of intervals.entries()) {
    const last = runs[runs.length - 1];
    if (last && last.up === up && last.down === down) runs.splice(-1, 1, { ...last, width: last.width + 1 });
    else runs.push({ up, down, x, width: 1 });
  }
  return runs;
}

/** Age of the oldest unsent record, scaled to the maximum of the period. */
function AgeCurve({ history }: { readonly history: LinkHistoryView }) {
  const { intervals } = history;
  const highest = Math.max(0, ...intervals.map(({ oldestUnsentS }) => oldestUnsentS ?? 0));
  const waiting = status.value?.outbox.waiting ?? 0;
  // A record that waits since the last sample has no age yet.
  const none = waiting === 0 ? t("linkHistory.noAge") : t("sync.waiting", { n: waiting });
  const text = highest === 0 ? none : t("linkHistory.age", { time: formatDuration(highest) });
  const scale = (seconds: number): number => (highest === 0 ? 0 : (seconds / highest) * CURVE_HEIGHT);
  return (
    <figure>
      <figcaption>{text}</figcaption>
      <svg
        class="curve"
        viewBox={`0 0 ${intervals.length} ${CURVE_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        <title>{text}</title>
        <rect class="lane-ground" x={0} y={0} width={intervals.length} height={CURVE_HEIGHT} />
        {intervals.map(({ oldestUnsentS }, x) =>
          oldestUnsentS === null || oldestUnsentS === 0 ? null : (
            <rect
              class="age"
              key={x}
              x={x}
              y={CURVE_HEIGHT - scale(oldestUnsentS)}
              width={1.05}
              height={scale(oldestUnsentS)}
            />
          ),
        )}
      </svg>
      <PeriodAxis history={history} />
    </figure>
  );
}

function PeriodAxis({ history: { since, until } }: { readonly history: LinkHistoryView }) {
  const [beginMs, endMs] = [Date.parse(since), Date.parse(until)];
  const middleMs = (beginMs + endMs) / 2;
  return <TimeAxis beginMs={beginMs} middleMs={middleMs} isDay={endMs - beginMs <= DAY_MS} />;
}

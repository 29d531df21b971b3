import { formatClock, formatTime } from "./date-format.ts";
import { t } from "./i18n.ts";

/** When a chart begins, its middle and its end, below it. For screen readers the buttons beside it name the period. */
export function TimeAxis({
  beginMs,
  middleMs,
  isDay,
}: {
  /** Milliseconds since 1970. */
  readonly beginMs: number;
  readonly middleMs: number;
  /** Whether it is a day, which needs times; a longer period needs days. */
  readonly isDay: boolean;
}) {
  return (
    <p class="time-axis" aria-hidden="true">
      {[beginMs, middleMs].map((atMs) => {
        const iso = new Date(atMs).toISOString();
        return <span key={atMs}>{(isDay ? formatClock : formatTime)(iso).slice(0, 5)}</span>;
      })}
      <span>{t("span.now")}</span>
    </p>
  );
}

import { daemonNowMs, minute } from "./clock.ts";
import { formatClock, shortDay, siteDay } from "./date-format.ts";
import { formatDay } from "./day-format.ts";
import { t } from "./i18n.ts";
import { formatRecordDate, recordMinute } from "./record-date.ts";

const DAY_MINUTES = 1_440;

/** An instant (ISO 8601 UTC) in a list: how long ago, the time of day, or the day; all of it on demand. */
export function ListTime({ iso }: { readonly iso: string | null }) {
  if (iso === null) return "–";
  const moment = { day: siteDay(Date.parse(iso)), clock: formatClock(iso).slice(0, 5) };
  return (
    <time dateTime={iso} title={`${formatDay(iso)}, ${formatClock(iso)}`}>
      {listed(moment, (daemonNowMs() - Date.parse(iso)) / 60_000)}
    </time>
  );
}

/** As `ListTime`, for a date of a record. */
export function RecordTime({ text }: { readonly text: string | null }) {
  const local = recordMinute(text ?? "");
  const [day = "", clock] = local.split("T");
  if (clock === undefined) return text ?? "–";
  const now = new Date(daemonNowMs()).toISOString();
  const nowMs = Date.parse(`${siteDay(daemonNowMs())}T${formatClock(now)}Z`);
  return (
    <time dateTime={local} title={formatRecordDate(text)}>
      {listed({ day, clock }, (nowMs - Date.parse(`${local}Z`)) / 60_000)}
    </time>
  );
}

/** @param minutes since then; negative for what is ahead */
function listed({ day, clock }: { readonly day: string; readonly clock: string }, minutes: number): string {
  void minute.value;
  if (minutes >= 0 && minutes < 1) return t("span.now");
  if (minutes >= 0 && minutes < 60) return t("span.ago", { n: Math.floor(minutes) });
  return Math.abs(minutes) < DAY_MINUTES ? clock : shortDay(day);
}

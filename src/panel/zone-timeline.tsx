import "./charts.css";
import { useEffect, useState } from "preact/hooks";
import type { ZoneHistoryView, ZoneView } from "../site/zone-view.ts";
import { useQuery } from "./api.ts";
import { daemonNowMs, minute } from "./clock.ts";
import { historyVersion } from "./history-version.ts";
import { t } from "./i18n.ts";
import { formatTime } from "./date-format.ts";
import { Pending } from "./notice.tsx";
import { TimeAxis } from "./time-axis.tsx";
import { TimeRangeChoice } from "./time-range-choice.tsx";

/** As many trips and contacts as the daemon lists of a zone, `TRIPS_SHOWN` of the history of zones. */
export const CONTACTS_MAX = 500;
export const HOUR_MS = 3_600_000;
export const TIME_RANGES = [
  [24, "timeRange.day"],
  [168, "timeRange.week"],
] as const;

/** Size of one lane and width of a mark, in SVG units. */
const WIDTH = 336;
const HEIGHT = 16;
const MARK = 2;

/** History of each zone, one lane per zone; repeated trips at the same hour are visible at once. */
export function ZoneHistory({ zones }: { readonly zones: readonly ZoneView[] }) {
  const [hours, setHours] = useState<24 | 168>(24);
  const { response, error, reload } = useHistories(hours);
  const histories = response?.body;
  const names = new Map(zones.map(({ id, name }) => [id, name]));
  const lanes = (histories ?? []).filter(
    ({ id, trips, faults, bypasses }) => names.has(id) && trips.length + faults.length + bypasses.length > 0,
  );
  return (
    <section class="card lanes">
      <div class="row">
        <h2 class="grow">{t("zoneHistory.title")}</h2>
        <TimeRangeChoice ranges={TIME_RANGES} hours={hours} choose={setHours} />
      </div>
      {!histories && <Pending error={error} reload={reload} />}
      {histories && lanes.length === 0 && (
        <p class="quiet">{noneText(incompleteSince(histories), "zoneHistory")}</p>
      )}
      {lanes.map((history) => (
        <Lane key={history.id} name={names.get(history.id) ?? ""} history={history} hours={hours} />
      ))}
      {lanes.length > 0 && (
        <div class="lane">
          <LaneAxis hours={hours} />
        </div>
      )}
      {lanes.length > 0 && (
        <p class="legend quiet" aria-hidden="true">
          <span class="legend-trip">{t("zoneHistory.tripMark")}</span>
          <span class="legend-fault">{t("zoneHistory.faultMark")}</span>
          <span class="legend-bypass">{t("zoneHistory.bypassMark")}</span>
        </p>
      )}
      {lanes.some(({ trips }) => trips.length >= CONTACTS_MAX) && (
        <p class="quiet">{t("zoneHistory.newest", { limit: CONTACTS_MAX })}</p>
      )}
      {histories && <IncompleteNote histories={histories} />}
    </section>
  );
}

type Completeness = Pick<ZoneHistoryView, "completeSince">;

/** What was before is missing, of any zone; null if the histories are complete. */
export function incompleteSince(histories: readonly Completeness[]): string | null {
  return histories.find(({ completeSince }) => completeSince !== null)?.completeSince ?? null;
}

/** Says that there is nothing, as far as the histories go back. */
export function noneText(since: string | null, of: "zoneHistory" | "zoneTrips"): string {
  return since === null ? t(`${of}.none`) : t(`${of}.noneAfter`, { time: formatTime(since) });
}

/** Says from when histories with too many trips are complete. */
export function IncompleteNote({ histories }: { readonly histories: readonly Completeness[] }) {
  const since = incompleteSince(histories);
  if (since === null) return null;
  return <p class="quiet">{t("zoneHistory.incomplete", { time: formatTime(since) })}</p>;
}

/**
 * The history of each zone, again after changes, and each minute: what is older than the period leaves it.
 * @param zone only of the zone with this id
 */
export function useHistories(hours: number, zone?: string) {
  const only = zone === undefined ? "" : `&zone=${encodeURIComponent(zone)}`;
  const path = `/site/zones/history?hours=${hours}${only}`;
  const query = useQuery<readonly ZoneHistoryView[]>(path, historyVersion.value);
  const now = minute.value;
  // While the page waits for the password, one request waits with it, and not one more with each minute.
  useEffect(() => query.refresh(), [now]);
  return query;
}

/** Trips over the whole height, faults in the upper half, bypasses in the lower half. */
export function Lane({
  name,
  history: { trips, faults, bypasses },
  hours,
  isAlone = false,
}: {
  readonly name: string;
  readonly history: ZoneHistoryView;
  readonly hours: number;
  readonly isAlone?: boolean;
}) {
  const end = daemonNowMs();
  const begin = end - hours * HOUR_MS;
  const place = (iso: string): number =>
    Math.max(0, Math.min(1, (Date.parse(iso) - begin) / (end - begin))) * (WIDTH - MARK);
  const last =
    trips.length === 0
      ? ""
      : `, ${t("zoneHistory.last", { time: formatTime(trips[trips.length - 1] ?? null) })}`;
  const text = [
    t("zoneHistory.zone", { zone: name, n: trips.length }) + last,
    ...(faults.length > 0 ? [t("zoneHistory.faults", { n: faults.length })] : []),
    ...(bypasses.length > 0 ? [t("zoneHistory.bypasses", { n: bypasses.length })] : []),
  ].join("; ");
  const bar = (kind: string, y: number) => (span: { readonly from: string; readonly to: string }) => (
    <rect
      class={kind}
      key={`${kind} ${span.from}`}
      x={place(span.from)}
      y={y}
      width={Math.max(MARK, place(span.to) - place(span.from))}
      height={HEIGHT / 2}
    />
  );
  return (
    <div class={isAlone ? "lane alone" : "lane"}>
      {!isAlone && <span aria-hidden="true">{name}</span>}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
        <title>{text}</title>
        <rect class="lane-ground" x={0} y={0} width={WIDTH} height={HEIGHT} />
        {faults.map(bar("lane-fault", 0))}
        {bypasses.map(bar("lane-bypass", HEIGHT / 2))}
        {trips.map((at, index) => (
          <rect class="lane-trip" key={index} x={place(at)} y={0} width={MARK} height={HEIGHT} />
        ))}
      </svg>
      {!isAlone && (
        <span class="total" aria-hidden="true">
          {trips.length}
        </span>
      )}
      {isAlone && <LaneAxis hours={hours} />}
    </div>
  );
}

function LaneAxis({ hours }: { readonly hours: number }) {
  const end = daemonNowMs();
  return (
    <TimeAxis beginMs={end - hours * HOUR_MS} middleMs={end - (hours / 2) * HOUR_MS} isDay={hours === 24} />
  );
}

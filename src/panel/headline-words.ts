import type { HeadlineReason } from "../domain/headline.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { JourneyView } from "../site/journey-view.ts";
import type { StatusView } from "../site/status-view.ts";
import { formatTime } from "./date-format.ts";
import { hasMoreTexts, t, translateCode } from "./i18n.ts";
import { LINK_CONDITIONS } from "./link-conditions.ts";
import { zones } from "./live-updates.ts";

/** A longer name of a record is no title. */
const TITLE_WORDS_MAX = 5;
/** Between the kind and the zone in the name of a record that a trip has made. */
export const COLON = ": ";

/** What is wrong, in at most five words; empty while all is well. */
export function headlineTitle(now: StatusView): string {
  const { level, reasons } = now.headline;
  if (level === "alarm") return alarmTitle(now);
  const offline = offlineOf(now);
  if (offline) return t("home.offline", { time: formatTime(offline.since) });
  const [worst] = reasons;
  return worst && hasText(worst) ? reasonTitle(worst) : t(`headline.${level}`);
}

/** The condition that names why the dispatch centre is out of reach, once the daemon calls it a fault. */
export function offlineOf({ headline: { level }, conditions }: StatusView) {
  if (level !== "fault") return undefined;
  return conditions.find(({ code, severity }) => severity === "error" && LINK_CONDITIONS.has(code));
}

export function alarmCount(reasons: readonly HeadlineReason[]): number {
  return reasons.filter(({ code }) => code.startsWith("alarm")).reduce((n, { count }) => n + count, 0);
}

/** The zone of the worst alarm, or the first one that is open while armed, life safety first. */
export function worstZone({ journeys, headline }: StatusView) {
  const first = firstAlarm(journeys);
  if (first) return first.zone ?? undefined;
  const [open] = headline.reasons.find(({ code }) => code === "zone-open")?.items ?? [];
  return zones.value.find(({ id }) => id === open?.id);
}

/** The journeys begin with the worst. */
export function firstAlarm(journeys: readonly JourneyView[]): JourneyView | undefined {
  return journeys.find(({ isAlarm }) => isAlarm);
}

/** The kind of the alarm; of several their number, because each has its kind beneath. */
function alarmTitle(now: StatusView): string {
  const n = alarmCount(now.headline.reasons);
  if (n > 1) return t("headline.alarms", { n });
  const kind = worstZone(now)?.kind;
  return kind ? kindText(kind) : (partsOf(firstAlarm(now.journeys)).what ?? t("headline.alarm"));
}

export function kindText(kind: ZoneKind): string {
  return translateCode("alarm", kind, t("alarm.intrusion"));
}

/** What has happened and where, from the name of a record: a dispatch centre does not know the zone. */
export function partsOf(alarm: JourneyView | undefined): { readonly what?: string; readonly where: string } {
  const name = alarm?.name ?? "";
  const [what = "", ...where] = name.split(COLON);
  const isTitle = what !== "" && what.split(" ").length <= TITLE_WORDS_MAX;
  return isTitle ? { what, where: where.join(COLON) } : { where: name };
}

/** Reasons whose own text is too long for a title. */
export const SHORT: Readonly<Partial<Record<HeadlineReason["code"], "nav.walkTest" | "sync.waiting">>> = {
  "walk-test": "nav.walkTest",
  backlog: "sync.waiting",
};

function reasonTitle({ code, count, items }: HeadlineReason): string {
  const faults = items.flatMap(({ id }) => zoneOf(id)?.faults ?? []).map(({ fault }) => fault);
  const [fault, ...others] = new Set(faults.filter((one) => one !== "battery"));
  if (code === "zone-fault" && fault && others.length === 0) {
    if (fault === "supervision") return t("headline.supervision", { n: count });
    if (count === 1) return t(`fault.${fault}`);
  }
  return t(SHORT[code] ?? `reason.${code}`, { n: count });
}

export function zoneOf(id: string | number) {
  return zones.value.find((zone) => zone.id === id);
}

/** The texts of reasons about sites, which only a dispatch centre has, are loaded later. */
export function hasText({ code }: HeadlineReason): boolean {
  return hasMoreTexts() || !code.startsWith("site");
}

import type { HeadlineItem, HeadlineReason } from "../../domain/headline.ts";
import type { JourneyView } from "../../site/journey-view.ts";
import type { StatusView } from "../../site/status-view.ts";
import { formatMinute } from "../date-format.ts";
import {
  alarmCount,
  COLON,
  hasText,
  kindText,
  offlineOf,
  partsOf,
  SHORT,
  worstZone,
  zoneOf,
} from "../headline-words.ts";
import { t, translateCode } from "../i18n.ts";
import { pinnedZones, SendNow } from "../journey-card.tsx";
import { status } from "../live-updates.ts";
import { mayOperate } from "../session.ts";

/** Names shown of a reason, as in `santinela status`. */
const NAMED_MAX = 2;

/** Where an alarm or a fault is, or what needs attention, and since when. */
export function HeadlineDetail() {
  const now = status.value;
  return now ? <>{detailOf(now)}</> : null;
}

/** Of an alarm its place on the floor plan; of a lost link a new attempt. */
export function FurtherActions() {
  const now = status.value;
  if (!now) return null;
  const zone = now.headline.level === "alarm" ? worstZone(now)?.id : undefined;
  if (zone !== undefined && pinnedZones.value.includes(zone))
    return (
      <a class="button" href={`#/plan?zone=${encodeURIComponent(zone)}`}>
        {t("nav.plan")}
      </a>
    );
  if (!offlineOf(now)) return null;
  return (
    <>
      {mayOperate() && <SendNow />}
      <a class="button" href="#/sync">
        {t("nav.sync")}
      </a>
    </>
  );
}

/** Where it is and since when; the other reasons of the level follow. Empty for a reason without names. */
function detailOf(now: StatusView): string {
  const { level, reasons } = now.headline;
  if (level === "alarm") return joined(alarmDetails(now));
  const shown = reasons.filter((reason) => reason.level === level && hasText(reason));
  if (offlineOf(now)) {
    const { waiting } = now.outbox;
    const others = shown.filter(({ code, count }) => code !== "condition-error" || count > 1);
    return joined([waiting > 0 && t("sync.waiting", { n: waiting }), ...others.map(reasonText)]);
  }
  const [worst, ...others] = shown;
  if (!worst) return "";
  const text = t(`reason.${worst.code}`, { n: worst.count });
  return joined([
    worst.code in SHORT && text,
    namesOf(worst),
    sinceText(sinceOf(worst, now)),
    ...others.map(reasonText),
  ]);
}

/** A reason with what it is about. */
function reasonText(reason: HeadlineReason): string {
  const names = namesOf(reason);
  const text = t(`reason.${reason.code}`, { n: reason.count });
  return names === "" ? text : `${text}${COLON}${names}`;
}

/** The first names of a reason, and how many more there are. */
function namesOf({ count, items }: HeadlineReason): string {
  // What has a number only, such as several trips of one zone, has no others to name.
  return withMore(items.slice(0, NAMED_MAX).map(itemName), items.length > NAMED_MAX ? count : 0);
}

function itemName({ about, id, name }: HeadlineItem): string {
  return about === "condition" ? translateCode("condition", id, name) : name;
}

/** When it began, of what the reason names. */
function sinceOf({ code, items }: HeadlineReason, { conditions }: StatusView): string | undefined {
  return earliest(
    items.flatMap(({ about, id }) => {
      if (about === "condition") return conditions.filter((one) => one.code === id).map(({ since }) => since);
      const zone = about === "zone" ? zoneOf(id) : undefined;
      if (!zone || code === "zone-shut-down") return [];
      if (code === "zone-bypassed") return zone.bypass?.since;
      if (code !== "zone-fault" && code !== "battery-low") return zone.since;
      const isBattery = code === "battery-low";
      return zone.faults.filter(({ fault }) => (fault === "battery") === isBattery).map(({ since }) => since);
    }),
  );
}

function alarmDetails(now: StatusView): readonly (string | false)[] {
  const { headline, journeys, alarmZones, role } = now;
  const n = alarmCount(headline.reasons);
  const alarms = journeys.filter(({ isAlarm }) => isAlarm);
  const names = alarms.slice(0, NAMED_MAX).map((alarm) => {
    const { zone, objective, name } = alarm;
    const isAtCentre = role === "centre";
    if (n > 1) {
      const what = zone?.kind ? `${kindText(zone.kind)}${COLON}${zone.name}` : name;
      return isAtCentre ? `${what} (${objective.name})` : what;
    }
    return joined([zone?.name ?? partsOf(alarm).where, isAtCentre && objective.name]);
  });
  // The others are in the alarms that are named.
  const open = headline.reasons.flatMap(({ code, items }) =>
    code === "zone-open" ? items.filter(({ id }) => !alarmZones.some((zone) => zone.id === id)) : [],
  );
  const since = n > 0 ? earliest(alarms.map(startOf)) : earliest(open.map(({ id }) => zoneOf(id)?.since));
  return [
    withMore(names, n),
    n > 0 && sinceText(since),
    open.length > 0 &&
      `${t("reason.zone-open", { n: open.length })}${COLON}${withMore(
        open.slice(0, NAMED_MAX).map(({ name }) => name),
        open.length,
      )}`,
    n === 0 && sinceText(since),
  ];
}

/** When the contact opened; of an alarm that a user has made, when it was recorded. */
function startOf({ contactAt, recordedAt, zone }: JourneyView): string | null {
  return contactAt ?? (zone ? null : recordedAt);
}

function earliest(times: readonly (string | null | undefined)[]): string | undefined {
  return times.filter((time) => typeof time === "string").sort()[0];
}

function sinceText(since: string | undefined): string | false {
  return since !== undefined && t("status.since", { time: formatMinute(since) });
}

function withMore(names: readonly string[], count: number): string {
  const more = count - names.length;
  return names.join(", ") + (more > 0 && names.length > 0 ? ` ${t("headline.more", { n: more })}` : "");
}

function joined(parts: readonly (string | false)[]): string {
  return parts.filter(Boolean).join(" · ");
}

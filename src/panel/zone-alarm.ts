import type { JourneyView } from "../site/journey-view.ts";
import type { AlarmZoneView } from "../site/status-view.ts";
import type { ZoneView } from "../site/zone-view.ts";
import { t } from "./i18n.ts";
import { status, walkTest } from "./live-updates.ts";
import { zoneAppearance, type ZoneAppearance } from "./zone-appearance.ts";

/** Whether the zone is open while armed, or takes part in an alarm that is not done. */
export function isInAlarm(zone: ZoneView): boolean {
  const isOpen = zoneAppearance(zone).tone === "alarm";
  return isOpen || alarmOf(zone) !== undefined || workOf(zone).journey?.isAlarm === true;
}

function alarmOf({ id }: Pick<ZoneView, "id">): AlarmZoneView | undefined {
  return status.value?.alarmZones.find((zone) => zone.id === id);
}

/** What is not done and has openings of a zone. */
interface ZoneWork {
  /** Undefined for none, and beyond those that the status has. */
  readonly journey: JourneyView | undefined;
  /** The intervention; null for none. */
  readonly interventionId: number | null;
}

/** The alarm of a zone, also if another zone began it, else other work that the zone began, such as an inspection. */
export function workOf(zone: Pick<ZoneView, "id">): ZoneWork {
  const interventionId = alarmOf(zone)?.interventionId ?? null;
  const journeys = status.value?.journeys ?? [];
  const journey =
    interventionId === null
      ? journeys.find((one) => one.zone?.id === zone.id)
      : journeys.find((one) => one.interventionId === interventionId);
  return { journey, interventionId: interventionId ?? journey?.interventionId ?? null };
}

/** The look of a zone beside a plan: red until its alarm is done, as its pin. */
export function lookInAlarm(zone: ZoneView): ZoneAppearance {
  const look = zoneAppearance(zone);
  if (look.tone === "alarm" || !isInAlarm(zone)) return look;
  return { ...look, tone: "alarm", word: `${look.word}, ${t("plan.unfinished")}` };
}

/** The look of a pin: as `lookInAlarm`, else a running walk test turns what is tested green. */
export function planLook(zone: ZoneView): ZoneAppearance {
  const look = lookInAlarm(zone);
  if (look.tone === "alarm") return look;
  const tested = walkTest.value?.running === true ? walkTest.value.zones : [];
  const isTested = tested.some(({ id, passed }) => id === zone.id && passed);
  return isTested ? { ...look, tone: "fine", word: t("plan.tested") } : look;
}

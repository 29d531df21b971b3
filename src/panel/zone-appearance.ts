import type { ZoneView } from "../site/zone-view.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { Tone } from "./badge.tsx";
import { t } from "./i18n.ts";
import type { IconName } from "./icons.ts";
import { status } from "./live-updates.ts";
import { inOrderOfUrgency } from "./zone-order.ts";

/** How a zone is shown. */
export interface ZoneAppearance {
  /** Undefined for a zone that needs nothing from a user: it stays grey. */
  readonly tone: Tone | undefined;
  readonly icon: IconName;
  /** Its state, in the word of its kind. */
  readonly word: string;
  /** When that state began; null if it is not known. */
  readonly since: string | null;
  readonly isBatteryLow: boolean;
}

const ICONS_OF_KIND: Readonly<Record<ZoneKind, IconName>> = {
  intrusion: "door-closed",
  perimeter: "fence",
  motion: "footprints",
  glass: "grid-2x2-x",
  fire: "flame",
  panic: "octagon-alert",
  holdup: "hand-coins",
  medical: "heart-pulse",
  flood: "droplets",
  gas: "cloud-fog",
  tamper: "unplug",
  technical: "wrench",
  power: "zap",
};

/** The icon of a kind of zone; a door is drawn open or closed. */
export function kindIcon(kind: ZoneKind | null, isOpen = false): IconName {
  if (kind === null) return "siren";
  return kind === "intrusion" && isOpen ? "door-open" : ICONS_OF_KIND[kind];
}

/** Describes a zone by its most serious state. */
export function zoneAppearance(zone: ZoneView): ZoneAppearance {
  const { kind, contact, disposition, faults } = zone;
  const isOpen = contact === "open";
  const isBatteryLow = faults.some(({ fault }) => fault === "battery");
  const look = (tone: Tone | undefined, word: string, since: string | null = zone.since): ZoneAppearance => ({
    tone,
    word,
    since,
    icon: kindIcon(kind, isOpen),
    isBatteryLow,
  });
  // The daemon names the most serious first.
  const [fault, ...others] = faults.filter((one) => one.fault !== "battery");
  const more = others.filter((one) => one.fault !== fault?.fault).length;
  const faultWord = fault && t(`fault.${fault.fault}`) + (more ? ` +${more}` : "");
  const opened = t(`zoneWord.${kind}.open`);
  const isShut = disposition === "swinger";
  const isBypassed = disposition === "bypassed";
  if (isOpen && disposition === "waiting") return look("alarm", opened);
  if (isOpen && (isShut || isBypassed)) {
    const isInAlarm = status.value?.alarmZones.some(({ id }) => id === zone.id);
    const words = [opened, ...[t(`zoneWord.${disposition}`), !isShut && faultWord].map(lowerCase)];
    return look(isInAlarm ? "alarm" : isShut || fault ? "fault" : "off", words.filter(Boolean).join(" · "));
  }
  // Its shutdown begins with one of many trips; what is known is when it ends.
  if (isShut) return look("fault", t("zoneWord.swinger"), null);
  if (fault && faultWord) return look("fault", faultWord, fault.since);
  if (isBypassed) return look("off", t("zoneWord.bypassed"), zone.bypass?.since);
  if (contact === "unknown")
    return look("attention", t(zone.unnamedValue ? "contact.unnamed" : "contact.unknown"));
  // A motion zone returns to normal when people leave: while disarmed it needs no action.
  if (isOpen) return look(kind === "motion" ? undefined : "attention", opened);
  return look(isBatteryLow ? "attention" : undefined, t(`zoneWord.${kind}.normal`));
}

/** A word after another. */
function lowerCase(word: string | false | undefined): string {
  return word ? word.toLowerCase() : "";
}

/** The zones with what is most urgent first, see `inOrderOfUrgency`. */
export function byUrgency(zones: readonly ZoneView[]): readonly ZoneView[] {
  return inOrderOfUrgency(zones, (zone) => zoneAppearance(zone).tone);
}

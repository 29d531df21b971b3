import type { Locale } from "./trip-text.ts";
import type { ZoneKind } from "./zone.ts";

/** The texts about a zone type. */
export interface KindTexts {
  readonly kinds: Readonly<Record<ZoneKind, string>>;
  /** Begins the name of a trip's record. Complete phrases: Romanian does not join them alike. */
  readonly alarms: Readonly<Record<ZoneKind, string>>;
}

export const KIND_TEXTS: Readonly<Record<Locale, KindTexts>> = {
  ro: {
    kinds: {
      intrusion: "efracție",
      perimeter: "perimetru",
      motion: "mișcare",
      glass: "geam spart",
      fire: "incendiu",
      panic: "panică",
      holdup: "jaf armat",
      medical: "urgență medicală",
      flood: "inundație",
      gas: "gaz",
      tamper: "sabotaj",
      technical: "tehnică",
      power: "lipsă alimentare",
    },
    alarms: {
      intrusion: "Alarmă de efracție",
      perimeter: "Alarmă perimetrală",
      motion: "Alarmă de mișcare",
      glass: "Alarmă de geam spart",
      fire: "Alarmă de incendiu",
      panic: "Alarmă de panică",
      holdup: "Alarmă de jaf armat",
      medical: "Urgență medicală",
      flood: "Alarmă de inundație",
      gas: "Alarmă de gaz",
      tamper: "Alarmă de sabotaj",
      technical: "Alarmă tehnică",
      power: "Lipsă alimentare",
    },
  },
  en: {
    kinds: {
      intrusion: "intrusion",
      perimeter: "perimeter",
      motion: "motion",
      glass: "glass break",
      fire: "fire",
      panic: "panic",
      holdup: "hold-up",
      medical: "medical emergency",
      flood: "flood",
      gas: "gas",
      tamper: "tamper",
      technical: "technical",
      power: "power loss",
    },
    alarms: {
      intrusion: "Alarm, intrusion",
      perimeter: "Alarm, perimeter",
      motion: "Alarm, motion",
      glass: "Alarm, glass break",
      fire: "Alarm, fire",
      panic: "Alarm, panic",
      holdup: "Alarm, hold-up",
      medical: "Alarm, medical emergency",
      flood: "Alarm, flood",
      gas: "Alarm, gas",
      tamper: "Alarm, tamper",
      technical: "Alarm, technical",
      power: "Alarm, power loss",
    },
  },
};

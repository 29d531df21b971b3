import type { TripCause } from "./zone-step.ts";
import type { ZoneKind } from "./zone.ts";

export type Locale = "ro" | "en";

/** What a text about a trip may speak of. */
export interface TripWords {
  readonly zone: string;
  readonly zoneId: string;
  readonly kind: string;
  /** Local time of the site, `YYYY-MM-DD HH:MM:SS`. */
  readonly time: string;
}

/** The texts of one language. Both catalogues have the same keys because they have the same type. */
export interface Wording {
  readonly kinds: Readonly<Record<ZoneKind, string>>;
  name(words: TripWords): string;
  description(words: TripWords, cause: TripCause): string;
  /** Name of an objective that only the zones of the configuration know. */
  unnamedObjective(id: number): string;
}

/** The catalogue of a language. */
export function wording(locale: Locale): Wording {
  return CATALOGUES[locale];
}

const CATALOGUES: Readonly<Record<Locale, Wording>> = {
  ro: {
    kinds: {
      intrusion: "efracție",
      perimeter: "perimetru",
      motion: "mișcare",
      glass: "geam spart",
      fire: "incendiu",
      panic: "panică",
      holdup: "jaf",
      medical: "urgență medicală",
      flood: "inundație",
      gas: "scurgere de gaz",
      tamper: "sabotaj",
      technical: "alarmă tehnică",
    },
    name: ({ zone, kind }) => `Alarmă ${kind}: ${zone}`,
    description: ({ zone, zoneId, kind, time }, cause) =>
      `Zona ${zone} (${zoneId}, ${kind}) ${RO_CAUSES[cause]} ${time}.`,
    unnamedObjective: (id) => `Obiectiv ${id}`,
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
      gas: "gas leak",
      tamper: "tamper",
      technical: "technical alarm",
    },
    name: ({ zone, kind }) => `Alarm, ${kind}: ${zone}`,
    description: ({ zone, zoneId, kind, time }, cause) =>
      `Zone ${zone} (${zoneId}, ${kind}) ${EN_CAUSES[cause]} ${time}.`,
    unnamedObjective: (id) => `Objective ${id}`,
  },
};

const RO_CAUSES: Readonly<Record<TripCause, string>> = {
  edge: "declanșată la",
  "first-sight": "găsită declanșată la prima citire, la",
  "after-restart": "declanșată în timpul unei întreruperi, observată la",
  chatter: "declanșată de un contact care oscilează, la",
};

const EN_CAUSES: Readonly<Record<TripCause, string>> = {
  edge: "tripped at",
  "first-sight": "found open at first sight, at",
  "after-restart": "tripped while nobody was looking, noticed at",
  chatter: "tripped by a contact that chatters, at",
};

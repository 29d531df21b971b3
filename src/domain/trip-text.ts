import type { Fault } from "./fault.ts";
import type { TripCause } from "./zone-step.ts";
import type { ZoneKind } from "./zone.ts";

export type Locale = "ro" | "en";

/** What a text about a trip may speak of. */
export interface TripTextValues {
  readonly zone: string;
  readonly zoneId: string;
  readonly kind: string;
  /** Local time of the site, `YYYY-MM-DD HH:MM:SS`, or the words for a time that is not known yet. */
  readonly time: string;
  /** For what was found after an interruption: the local time before which it cannot have been; null otherwise. */
  readonly earliest: string | null;
  /** For a contact that was open already: since when, local time; null where that is not known. */
  readonly since: string | null;
}

/** What a text about a bridge may speak of. */
export interface BridgeWords {
  readonly name: string;
  /** Name and id of each zone behind it. */
  readonly zones: readonly string[];
}

/** The texts of one language. Both catalogues have the same keys because they have the same type. */
export interface TextCatalogue {
  readonly kinds: Readonly<Record<ZoneKind, string>>;
  name(words: TripTextValues): string;
  readonly causes: Readonly<Record<TripCause, string>>;
  readonly unknownTime: string;
  description(words: TripTextValues, cause: TripCause): string;
  /** What a zone's line in the notes says of a trip that was not seen as it happened; empty for one that was. */
  remark(words: TripTextValues, cause: TripCause): string;
  /** Stands before the time at which a zone closed, in its line of the notes. */
  readonly closed: string;
  /** Refers to the record that this one continues. @param at its start, local time */
  continues(record: { readonly id: number; readonly name: string; readonly at: string | null }): string;
  /** Name of the record that lists the zones found open at an arming. */
  standingName(zones: number): string;
  standingDescription(time: string): string;
  /** The line of one zone in that list. */
  standingLine(words: TripTextValues): string;
  faultName(words: TripTextValues, fault: Fault): string;
  faultDescription(words: TripTextValues, fault: Fault): string;
  /** The line that a fault that comes again, or is over, adds to the notes of its work. */
  faultLine(words: TripTextValues, fault: Fault, isOver: boolean): string;
  /** Of a bridge that is lost, which is one fault of all the zones behind it. */
  bridgeName(bridge: BridgeWords): string;
  bridgeDescription(words: TripTextValues, bridge: BridgeWords): string;
  bridgeLine(words: TripTextValues, bridge: BridgeWords, isOver: boolean): string;
  signalName(words: TripTextValues): string;
  /** @param who who has asked for the test */
  signalDescription(words: TripTextValues, who: string): string;
  /** Name of an objective that only the zones of the configuration know. */
  unnamedObjective(id: number): string;
}

/** The catalogue of a language. */
export function wording(locale: Locale): TextCatalogue {
  return CATALOGUES[locale];
}

const RO_CAUSES: Readonly<Record<TripCause, string>> = {
  edge: "declanșată la",
  "first-sight": "găsită declanșată la prima citire, la",
  "after-restart": "declanșată în timpul unei întreruperi, observată la",
  chatter: "declanșată de un contact care oscilează, la",
  standing: "încă deschisă la",
};

const EN_CAUSES: Readonly<Record<TripCause, string>> = {
  edge: "tripped at",
  "first-sight": "found open at first sight, at",
  "after-restart": "tripped during an interruption, noticed at",
  chatter: "tripped by a contact that chatters, at",
  standing: "still open at",
};

const RO_FAULTS: Readonly<Record<Fault, string>> = {
  tamper: "Sabotaj al carcasei",
  battery: "Baterie descărcată",
  supervision: "Senzor fără comunicație",
  faulty: "Zonă defectă",
};

const EN_FAULTS: Readonly<Record<Fault, string>> = {
  tamper: "Tamper",
  battery: "Battery low",
  supervision: "Sensor not heard",
  faulty: "Zone faulty",
};

const CATALOGUES: Readonly<Record<Locale, TextCatalogue>> = {
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
    causes: RO_CAUSES,
    unknownTime: "o oră încă necunoscută",
    description: ({ zone, zoneId, kind, time, earliest, since }, cause) =>
      `Zona ${zone} (${zoneId}, ${kind}) ${RO_CAUSES[cause]} ${time}${earliest === null ? "" : `, după ${earliest}`}${since === null ? "" : `, deschisă din ${since}`}.`,
    remark: ({ earliest, since }, cause) => {
      if (cause === "standing") return since === null ? "era deschisă" : `deschisă din ${since}`;
      if (cause === "after-restart") return earliest === null ? "după întrerupere" : `după ${earliest}`;
      return cause === "chatter" ? "contact instabil" : "";
    },
    closed: "restabilită",
    continues: ({ id, name, at }) =>
      `Continuă intervenția ${id} „${name}”${at === null ? "" : ` din ${at}`}.`,
    standingName: (zones) =>
      `Armat cu ${zones === 1 ? "o zonă deschisă" : `${zones} ${quantityOf(zones)}zone deschise`}`,
    standingDescription: (time) => `La ${time}, la armare sau la reactivare, erau deschise:`,
    standingLine: ({ zone, zoneId, kind, since }) =>
      `${zone} (${zoneId}, ${kind})${since === null ? "" : `, deschisă din ${since}`}`,
    faultName: ({ zone }, fault) => `${RO_FAULTS[fault]}: ${zone}`,
    faultDescription: ({ zone, zoneId, kind, time }, fault) =>
      `${RO_FAULTS[fault]} la zona ${zone} (${zoneId}, ${kind}), constatat la ${time}.`,
    faultLine: ({ zone, zoneId, time }, fault, isOver) =>
      `${RO_FAULTS[fault]} la zona ${zone} (${zoneId}): ${isOver ? "restabilit" : "din nou"} la ${time}.`,
    bridgeName: ({ name, zones }) => `Gateway fără comunicație: ${name} (zone: ${zones.length})`,
    bridgeDescription: ({ time }, { name, zones }) =>
      `Gateway-ul ${name} nu comunică, constatat la ${time}. Zone fără supraveghere până la restabilirea comunicației: ${listed(zones, "și încă")}.`,
    bridgeLine: ({ time }, { name, zones }, isOver) =>
      `Gateway-ul ${name} (zone: ${zones.length}): ${isOver ? "comunicație restabilită" : "din nou fără comunicație"} la ${time}.`,
    signalName: ({ zone }) => `Test de semnal: ${zone}`,
    signalDescription: ({ time }, who) => `Test de semnal cerut de ${who} la ${time}. Nu este o alarmă.`,
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
    causes: EN_CAUSES,
    unknownTime: "a time not known yet",
    description: ({ zone, zoneId, kind, time, earliest, since }, cause) =>
      `Zone ${zone} (${zoneId}, ${kind}) ${EN_CAUSES[cause]} ${time}${earliest === null ? "" : `, after ${earliest}`}${since === null ? "" : `, open since ${since}`}.`,
    remark: ({ earliest, since }, cause) => {
      if (cause === "standing") return since === null ? "was open" : `open since ${since}`;
      if (cause === "after-restart") return earliest === null ? "after an interruption" : `after ${earliest}`;
      return cause === "chatter" ? "unstable contact" : "";
    },
    closed: "closed",
    continues: ({ id, name, at }) =>
      `Continues intervention ${id} "${name}"${at === null ? "" : ` of ${at}`}.`,
    standingName: (zones) => `Armed with ${zones} ${zones === 1 ? "zone" : "zones"} open`,
    standingDescription: (time) =>
      `At ${time}, when the zones were armed or returned to service, these were open:`,
    standingLine: ({ zone, zoneId, kind, since }) =>
      `${zone} (${zoneId}, ${kind})${since === null ? "" : `, open since ${since}`}`,
    faultName: ({ zone }, fault) => `${EN_FAULTS[fault]}: ${zone}`,
    faultDescription: ({ zone, zoneId, kind, time }, fault) =>
      `${EN_FAULTS[fault]} at zone ${zone} (${zoneId}, ${kind}), noticed at ${time}.`,
    faultLine: ({ zone, zoneId, time }, fault, isOver) =>
      `${EN_FAULTS[fault]} at zone ${zone} (${zoneId}): ${isOver ? "over" : "again"} at ${time}.`,
    bridgeName: ({ name, zones }) => `Bridge lost: ${name} (zones: ${zones.length})`,
    bridgeDescription: ({ time }, { name, zones }) =>
      `Bridge ${name} is unavailable, noticed at ${time}. Zones without supervision until it returns: ${listed(zones, "and a further")}.`,
    bridgeLine: ({ time }, { name, zones }, isOver) =>
      `Bridge ${name} (zones: ${zones.length}): ${isOver ? "available again" : "unavailable again"} at ${time}.`,
    signalName: ({ zone }) => `Signal test: ${zone}`,
    signalDescription: ({ time }, who) => `Signal test asked for by ${who} at ${time}. This is no alarm.`,
    unnamedObjective: (id) => `Objective ${id}`,
  },
};

/** Code points of a list of zones; the interface's text has 4,000 for all of it. */
const LISTED_LENGTH_MAX = 3_500;

/** @param more the word before the number of those that are too many */
function listed(names: readonly string[], more: string): string {
  let length = 0;
  const fitting = names.filter((name) => (length += [...name].length + 2) <= LISTED_LENGTH_MAX);
  const rest = names.length - fitting.length;
  return fitting.join(", ") + (rest === 0 ? "" : `, ${more} ${rest}`);
}

/** Romanian puts "de" between a number and its noun where the last two digits are 0 or above 19. */
function quantityOf(count: number): string {
  const rest = count % 100;
  return count > 0 && (rest === 0 || rest > 19) ? "de " : "";
}

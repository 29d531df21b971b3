import { bridgeText } from "./alarm-panel-name.ts";
import type { Fault } from "./fault.ts";
import { KIND_TEXTS, type KindTexts } from "./kind-text.ts";
import { SINCE_TEXTS } from "./since-text.ts";
import { SILENCE_TEXTS, type SilenceTexts } from "./silence-text.ts";
import type { TripCause } from "./zone-step.ts";

export type Locale = "ro" | "en";

/** Values of a text about a trip. */
export interface TripTextValues {
  readonly zone: string;
  readonly zoneId: string;
  readonly kind: string;
  /** Local time of the site as `localTime` has it, or the text for a time that is not known yet. */
  readonly time: string;
  /** For a trip detected after an interruption: the local time before which it cannot have been; otherwise null. */
  readonly earliest: string | null;
  /** For a contact that was already open, or a late report: local time of its opening; null if unknown. */
  readonly since: string | null;
}

/** Why zones are listed as open: they are armed or in service again, or their intervention is done or deleted. */
export type OpenContactsCause = "armed" | "after-alarm";

/** Values of a text about a bridge. */
interface BridgeTextValues {
  readonly name: string;
  /** Name and id of each zone behind it. */
  readonly zones: readonly string[];
}

/** The texts of one language. Both catalogues have the same type, so no key can be missing. */
interface TextCatalogue extends KindTexts, SilenceTexts {
  readonly causes: Readonly<Record<TripCause, string>>;
  readonly unknownTime: string;
  description(values: TripTextValues, cause: TripCause): string;
  /** Remark in a zone's line about a trip that was not detected as it happened; otherwise empty. */
  remark(values: TripTextValues, cause: TripCause): string;
  /** Precedes the time of the restore in a zone's line of the notes. */
  readonly closed: string;
  /** Refers to the record that this one continues. @param at its start, local time */
  continues(record: { readonly id: number; readonly name: string; readonly at: string | null }): string;
  /** Name of the record that lists zones found open, by `OpenContactsCause`. */
  openContactsName(cause: OpenContactsCause, zones: number): string;
  openContactsDescription(cause: OpenContactsCause, time: string): string;
  /** The line of one zone in that list. */
  openContactLine(values: TripTextValues): string;
  faultName(values: TripTextValues, fault: Fault): string;
  faultDescription(values: TripTextValues, fault: Fault): string;
  /** Line in the notes for a repeated fault or its end. */
  faultLine(values: TripTextValues, fault: Fault, isOver: boolean): string;
  /** For an unavailable bridge, which is one fault of all zones behind it. */
  bridgeName(bridge: BridgeTextValues): string;
  bridgeDescription(values: TripTextValues, bridge: BridgeTextValues): string;
  bridgeLine(values: TripTextValues, bridge: BridgeTextValues, isOver: boolean): string;
  signalName(values: TripTextValues): string;
  /** @param who the account that requested the test; null if it came from the command line */
  signalDescription(values: TripTextValues, who: string | null): string;
  /** Name of an objective that only zones of the configuration use. */
  unnamedObjective(id: number): string;
}

/** The catalogue of a language. */
export function wording(locale: Locale): TextCatalogue {
  return CATALOGUES[locale];
}

const RO_CAUSES: Readonly<Record<TripCause, string>> = {
  edge: "declanșată la",
  "first-sight": "găsită deschisă la prima citire, la",
  "after-restart": "declanșată în timpul unei întreruperi, detectată la",
  chatter: "declanșată de un contact instabil, la",
  standing: "încă deschisă la",
};

const EN_CAUSES: Readonly<Record<TripCause, string>> = {
  edge: "tripped at",
  "first-sight": "found open at the first reading, at",
  "after-restart": "tripped during an interruption, detected at",
  chatter: "tripped by an unstable contact, at",
  standing: "still open at",
};

const RO_FAULTS: Readonly<Record<Fault, string>> = {
  tamper: "Sabotaj",
  battery: "Baterie descărcată",
  supervision: "Senzor fără comunicație",
  faulty: "Zonă defectă",
};

const EN_FAULTS: Readonly<Record<Fault, string>> = {
  tamper: "Tamper",
  battery: "Low battery",
  supervision: "Sensor supervision failure",
  faulty: "Faulty zone",
};

const CATALOGUES: Readonly<Record<Locale, TextCatalogue>> = {
  ro: {
    ...KIND_TEXTS.ro,
    ...SILENCE_TEXTS.ro,
    causes: RO_CAUSES,
    unknownTime: "o oră încă necunoscută",
    description: ({ zone, zoneId, kind, time, earliest, since }, cause) =>
      `Zona ${zone} (${zoneId}, ${kind}) ${RO_CAUSES[cause]} ${time}${earliest === null ? "" : `, declanșare produsă după ${earliest}`}${since === null ? "" : `, ${SINCE_TEXTS.ro(cause, since)}`}.`,
    remark: ({ earliest, since }, cause) => {
      if (cause === "standing" || since !== null) return SINCE_TEXTS.ro(cause, since);
      if (cause === "after-restart") return earliest === null ? "după întrerupere" : `după ${earliest}`;
      return cause === "chatter" ? "contact instabil" : "";
    },
    closed: "restabilită",
    continues: ({ id, name, at }) =>
      `În continuarea intervenției ${id} „${name}”${at === null ? "" : ` din ${at}`}.`,
    openContactsName: (cause, zones) => {
      const count = `${zones} ${quantityOf(zones)}zone`;
      if (cause === "armed") return `Armare cu ${zones === 1 ? "o zonă deschisă" : `${count} deschise`}`;
      return zones === 1 ? "Încă deschisă după alarmă: o zonă" : `Încă deschise după alarmă: ${count}`;
    },
    openContactsDescription: (cause, time) =>
      cause === "armed"
        ? `La ${time}, la armare sau la reactivare, erau deschise:`
        : `La ${time}, după finalizarea sau ștergerea intervenției lor, erau încă deschise:`,
    openContactLine: ({ zone, zoneId, kind, since }) =>
      `${zone} (${zoneId}, ${kind})${since === null ? "" : `, deschisă de la ${since}`}`,
    faultName: ({ zone }, fault) => `${RO_FAULTS[fault]}: ${zone}`,
    faultDescription: ({ zone, zoneId, kind, time }, fault) =>
      `${RO_FAULTS[fault]}: zona ${zone} (${zoneId}, ${kind}), deranjament constatat la ${time}.`,
    faultLine: ({ zone, zoneId, time }, fault, isOver) =>
      `${RO_FAULTS[fault]}, zona ${zone} (${zoneId}): ${isOver ? "deranjament remediat" : "din nou"} la ${time}.`,
    bridgeName: ({ name, zones }) =>
      `${bridgeText(name, "Gateway fără comunicație: ", "Centrală de alarmă fără comunicație: ")} (zone: ${zones.length})`,
    bridgeDescription: ({ time }, { name, zones }) =>
      `La ${time} s-a constatat că ${bridgeText(name, "gatewayul ", "centrala de alarmă ")} nu comunică. Zone nemonitorizate până la restabilirea comunicației: ${listed(zones, "și încă")}.`,
    bridgeLine: ({ time }, { name, zones }, isOver) =>
      `${bridgeText(name, "Gatewayul ", "Centrala de alarmă ")} (zone: ${zones.length}): ${isOver ? "comunicație restabilită" : "din nou fără comunicație"} la ${time}.`,
    signalName: ({ zone }) => `Test de comunicație: ${zone}`,
    signalDescription: ({ time }, who) =>
      `Test de comunicație solicitat ${who === null ? "din linia de comandă" : `de ${who}`} la ${time}. Nu este o alarmă.`,
    unnamedObjective: (id) => `Obiectiv ${id}`,
  },
  en: {
    ...KIND_TEXTS.en,
    ...SILENCE_TEXTS.en,
    causes: EN_CAUSES,
    unknownTime: "a time not known yet",
    description: ({ zone, zoneId, kind, time, earliest, since }, cause) =>
      `Zone ${zone} (${zoneId}, ${kind}) ${EN_CAUSES[cause]} ${time}${earliest === null ? "" : `, not before ${earliest}`}${since === null ? "" : `, ${SINCE_TEXTS.en(cause, since)}`}.`,
    remark: ({ earliest, since }, cause) => {
      if (cause === "standing" || since !== null) return SINCE_TEXTS.en(cause, since);
      if (cause === "after-restart")
        return earliest === null ? "after an interruption" : `not before ${earliest}`;
      return cause === "chatter" ? "unstable contact" : "";
    },
    closed: "restored",
    continues: ({ id, name, at }) =>
      `Continues intervention ${id} "${name}"${at === null ? "" : ` of ${at}`}.`,
    openContactsName: (cause, zones) => {
      const count = `${zones} ${zones === 1 ? "zone" : "zones"}`;
      return cause === "armed" ? `Armed with ${count} open` : `Still open after the alarm: ${count}`;
    },
    openContactsDescription: (cause, time) =>
      cause === "armed"
        ? `At ${time}, when the zones were armed or returned to service, these were open:`
        : `At ${time}, after their intervention was done or deleted, these zones were still open:`,
    openContactLine: ({ zone, zoneId, kind, since }) =>
      `${zone} (${zoneId}, ${kind})${since === null ? "" : `, open since ${since}`}`,
    faultName: ({ zone }, fault) => `${EN_FAULTS[fault]}: ${zone}`,
    faultDescription: ({ zone, zoneId, kind, time }, fault) =>
      `${EN_FAULTS[fault]}: zone ${zone} (${zoneId}, ${kind}), detected at ${time}.`,
    faultLine: ({ zone, zoneId, time }, fault, isOver) =>
      `${EN_FAULTS[fault]}, zone ${zone} (${zoneId}): ${isOver ? "restored" : "again"} at ${time}.`,
    bridgeName: ({ name, zones }) =>
      `${bridgeText(name, "Bridge unavailable: ", "Alarm panel unavailable: ")} (zones: ${zones.length})`,
    bridgeDescription: ({ time }, { name, zones }) =>
      `${bridgeText(name, "Bridge ", "Alarm panel ")} is unavailable, detected at ${time}. Zones not monitored until it is available again: ${listed(zones, "and a further")}.`,
    bridgeLine: ({ time }, { name, zones }, isOver) =>
      `${bridgeText(name, "Bridge ", "Alarm panel ")} (zones: ${zones.length}): ${isOver ? "available again" : "unavailable again"} at ${time}.`,
    signalName: ({ zone }) => `Signal test: ${zone}`,
    signalDescription: ({ time }, who) =>
      `Signal test requested ${who === null ? "from the command line" : `by ${who}`} at ${time}. This is not an alarm.`,
    unnamedObjective: (id) => `Objective ${id}`,
  },
};

/** Maximum code points of a list of zones; the whole text may have 4,000. */
const LISTED_LENGTH_MAX = 3_500;

/** @param more text before the number of omitted names */
function listed(names: readonly string[], more: string): string {
  let length = 0;
  const fitting = names.filter((name) => (length += [...name].length + 2) <= LISTED_LENGTH_MAX);
  const rest = names.length - fitting.length;
  return fitting.join(", ") + (rest === 0 ? "" : `, ${more} ${rest}`);
}

/** Romanian needs "de" between a number and its noun if the last two digits are 0 or above 19. */
function quantityOf(count: number): string {
  const rest = count % 100;
  return count > 0 && (rest === 0 || rest > 19) ? "de " : "";
}

/** Placeholders of a text about a trip. The list is closed, so that no content of messages or records gets into texts. */
export const PLACEHOLDERS = [
  "zone.name",
  "zone.id",
  "zone.kind",
  "objective.name",
  "event.time",
  "event.cause",
] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

const BRACED = /\{([^{}]*)\}/g;

/** Names in braces that are not placeholders. */
export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(BRACED)].map(([, name = ""]) => name).filter((name) => !isPlaceholder(name));
}

/** The template with every placeholder replaced. */
export function renderTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replaceAll(BRACED, (braced: string, name: string) =>
    isPlaceholder(name) ? values[name] : braced,
  );
}

function isPlaceholder(name: string): name is Placeholder {
  return (PLACEHOLDERS as readonly string[]).includes(name);
}

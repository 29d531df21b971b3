import type { Fault } from "../domain/fault.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import { CLASS_OF_KIND } from "./home-assistant-device.ts";

/** What a zone shows: its contact and its open faults. */
export interface ShownZone {
  readonly id: string;
  readonly contact: Contact;
  readonly faults: readonly { readonly fault: Fault }[];
}

/** An entity of a zone in Home Assistant; all of them are binary sensors. */
export interface ZoneEntity {
  /** Unique within the site. */
  readonly key: string;
  readonly topic: string;
  readonly component: object;
  readonly valueOf: (zone: ShownZone) => string;
}

/** Home Assistant's payload for an unknown state. */
const UNKNOWN = "None";

export function homeAssistantState(value: string): string {
  return value === "unknown" ? UNKNOWN : value;
}

/**
 * The entities of a zone: its contact, and battery and tamper where its sensor can report them.
 * @param topics first levels of the topics of zones
 */
export function zoneEntities(zone: Zone, topics: string): ZoneEntity[] {
  const { id, name, kind } = zone;
  const topic = `${topics}/${id}`;
  const contact: ZoneEntity = {
    key: `zone_${id}`,
    topic,
    component: {
      name,
      device_class: CLASS_OF_KIND[kind],
      payload_on: "open",
      payload_off: "normal",
    },
    valueOf: (shown) => homeAssistantState(shown.contact),
  };
  const faults = reportedFaults(zone).map((fault): ZoneEntity => ({
    key: `${fault}_${id}`,
    topic: `${topic}/${fault}`,
    component: { name: `${name} ${fault}`, device_class: fault, ...(fault === "battery" ? DIAGNOSTIC : {}) },
    valueOf: ({ faults: open }) => (open.some((one) => one.fault === fault) ? "ON" : "OFF"),
  }));
  return [contact, ...faults];
}

/** Category of what concerns the installation and not the building: Home Assistant keeps it off its dashboards. */
export const DIAGNOSTIC = { entity_category: "diagnostic" } as const;

function reportedFaults({
  input: { source },
  statusSources: { battery, tamper },
}: Zone): ("battery" | "tamper")[] {
  const isOfAlarmPanel = source === "dc09";
  return [
    ...(battery || isOfAlarmPanel ? (["battery"] as const) : []),
    // A loop with end-of-line resistors reports its own tamper.
    ...(tamper || isOfAlarmPanel || source === "adc" ? (["tamper"] as const) : []),
  ];
}

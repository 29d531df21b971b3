import type { Scalar } from "../plain-value.ts";
import type { OnLeftOut } from "./left-out.ts";
import { statesOf, templateIn, type EntityStates } from "./home-assistant-states.ts";
import { readTemplate } from "./home-assistant-template.ts";
import { isTamperName } from "./name-hints.ts";
import { isFields as isRecord, listOf, sentOf, textOf, type Fields } from "./values.ts";

/** Sorts of entities that a zone can read. */
const ENTITIES = {
  binary_sensor: "sensor",
  alarm_control_panel: "alarm-panel",
  cover: "cover",
  event: "event",
  device_automation: "trigger",
} as const;

type Entity = (typeof ENTITIES)[keyof typeof ENTITIES] | "measurement";

/**
 * Sensors from Home Assistant discovery messages, which zigbee2mqtt, ESPHome, Tasmota and most bridges publish. They
 * contain the topic, the values and the device class, which is what a zone needs.
 * Format: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
 */
export interface DiscoveredSensor extends Omit<EntityStates, "deviceClass" | "endsAfterS"> {
  readonly entity: Entity;
  /** Identifies the device; the same for all of its sensors. */
  readonly device: string;
  /** Whether a device is announced for it. */
  readonly hasDevice: boolean;
  /** Name of the device; undefined if it has none. */
  readonly deviceName: string | undefined;
  readonly model: string | undefined;
  readonly name: string;
  /** `door`, `smoke`, `battery` …; undefined if not specified. */
  readonly deviceClass: string | undefined;
  /** Whether the value is a measurement, such as a percentage, instead of one of two states. */
  readonly isMeasurement: boolean;
  readonly topic: string;
  /** Seconds after which the sensor returns to normal without a message. */
  readonly offDelayS: number | undefined;
  /** Seconds without a message after which the sensor is unavailable. */
  readonly expireAfterS: number | undefined;
  /** Whether it reports on the device itself, such as its settings. */
  readonly isAuxiliary: boolean;
  readonly availability: readonly DiscoveredAvailability[];
}

export interface DiscoveredAvailability {
  readonly topic: string;
  readonly path: string | undefined;
  readonly up: readonly Scalar[];
  readonly down: readonly Scalar[];
}

type Announcement = Fields;

/** Of one device; an announcement with all inputs of an alarm panel has a few hundred. */
const COMPONENTS_MAX = 1_000;
/** Of one sensor: its own, and those of its bridges. */
const AVAILABILITIES_MAX = 8;

/**
 * Reads one discovery message.
 * @param topic without the prefix: `<component>/[<node>/]<object>/config`
 * @param announcement its parsed payload
 * @returns the sensors with a state; none if the message is not about sensors or not understood
 */
export function discoveredSensors(
  topic: string,
  announcement: unknown,
  onLeftOut: OnLeftOut = () => {},
): DiscoveredSensor[] {
  const levels = topic.split("/");
  const component = levels[0] ?? "";
  const key = levels.at(-2) ?? "";
  if (levels.length < 3 || levels.at(-1) !== "config" || !isRecord(announcement)) return [];
  const whole = expanded(announcement);
  if (component !== "device") {
    const sensor = sensorOf(component, whole, key);
    return sensor ? [sensor] : [];
  }
  const { components, ...shared } = whole;
  if (!isRecord(components)) return [];
  const names = Object.keys(components);
  if (names.length > COMPONENTS_MAX) onLeftOut("components", COMPONENTS_MAX);
  return names.slice(0, COMPONENTS_MAX).flatMap((name) => {
    const part = components[name];
    // Only its platform: the part is removed.
    if (!isRecord(part) || Object.keys(part).every((field) => field === "p" || field === "platform"))
      return [];
    const own = expanded({ ...("~" in whole ? { "~": whole["~"] } : {}), ...part });
    return sensorOf(String(own["platform"]), { ...shared, ...own }, name) ?? [];
  });
}

function sensorOf(component: string, fields: Announcement, key: string): DiscoveredSensor | undefined {
  const announcedClass = textOf(fields["device_class"]);
  const isMeasurement = component === "sensor";
  const entity = isMeasurement ? "measurement" : entityOf(component);
  const topic = textOf(fields[entity === "trigger" ? "topic" : "state_topic"]);
  // Of measurements, only a battery level matters to a zone.
  if (topic === undefined || !entity || (isMeasurement && announcedClass !== "battery")) return undefined;
  const states = statesOf(component, fields);
  if (!states) return undefined;
  const device = isRecord(fields["device"]) ? fields["device"] : {};
  const { identifiers, connections } = device;
  const identifier: unknown = Array.isArray(identifiers) ? identifiers[0] : identifiers;
  // Pairs such as a MAC address with its type, of a device without identifiers.
  const address: unknown = listOf(listOf(connections)[0])[1];
  const identified = textOf(identifier) ?? textOf(address) ?? textOf(device["name"]);
  const named = entity === "trigger" ? { name: buttonOf(fields) } : fields;
  const name = nameOf(named, textOf(device["name"])) ?? key;
  const { endsAfterS, deviceClass = moreExactClass(announcedClass, `${name} ${key}`), ...values } = states;
  return {
    device: identified ?? key,
    hasDevice: identified !== undefined,
    deviceName: textOf(device["name"]),
    model: textOf(device["model"]),
    name,
    entity,
    deviceClass,
    isMeasurement,
    topic,
    ...values,
    offDelayS: secondsIn(fields["off_delay"]) ?? endsAfterS,
    expireAfterS: secondsIn(fields["expire_after"]),
    isAuxiliary: textOf(fields["entity_category"]) !== undefined,
    availability: availabilityOf(fields),
  };
}

function entityOf(component: string): Entity | undefined {
  return Object.hasOwn(ENTITIES, component) ? ENTITIES[component as keyof typeof ENTITIES] : undefined;
}

/**
 * The name of the device and that of its part, unless this has the other in it. A part without a name is called by its class; one
 * with null has the name of the device.
 */
function nameOf(fields: Announcement, device: string | undefined): string | undefined {
  const own = textOf(fields["name"]);
  const unnamed = "name" in fields ? undefined : textOf(fields["device_class"])?.replaceAll("_", " ");
  if (device === undefined || own?.toLowerCase().startsWith(device.toLowerCase()) === true) return own;
  return [device, own ?? unnamed].filter((part) => part !== undefined).join(" ");
}

/** The name of the button of a device trigger, such as `button_1`; with the type `action` its subtype is the press. */
function buttonOf({ type, subtype }: Announcement): string | undefined {
  return type === "action" ? undefined : textOf(subtype)?.replaceAll("_", " ");
}

/** Bridges without a class for covers announce them as a problem (ring-mqtt) or as unsafe (rtl_433). */
function moreExactClass(announced: string | undefined, name: string): string | undefined {
  const isVague = announced === "problem" || announced === "safety";
  return isVague && isTamperName(name) ? "tamper" : announced;
}

/** Zero means never. */
function secondsIn(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}

function availabilityOf(fields: Announcement): DiscoveredAvailability[] {
  const { availability = [] } = fields;
  const listed = (Array.isArray(availability) ? availability : [availability])
    .slice(0, AVAILABILITIES_MAX)
    .filter(isRecord)
    .map((entry) => expanded({ "~": fields["~"], ...entry }));
  const single = textOf(fields["availability_topic"]);
  const all =
    single === undefined
      ? listed
      : [{ ...fields, topic: single, value_template: fields["availability_template"] }, ...listed];
  // One that is offline is no failure while another is online, which a zone cannot combine.
  if (fields["availability_mode"] === "any" && all.length > 1) return [];
  return all.flatMap((entry: Announcement) => {
    const topic = textOf(entry["topic"]);
    const template = templateIn(entry["value_template"]);
    const on = sentOf(entry["payload_available"]) ?? "online";
    const off = sentOf(entry["payload_not_available"]) ?? "offline";
    const reading = template === undefined ? undefined : readTemplate(template, { on, off });
    if (topic === undefined || reading?.isComputed === true || reading?.bits !== undefined) return [];
    const { path, on: up = [on], off: down } = reading ?? { path: undefined, off: [off] };
    // Without a value that means unavailable nothing would be reported.
    return down === undefined ? [] : [{ topic, path, up, down }];
  });
}

/** Abbreviations from Home Assistant's documentation, as far as a zone needs them. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  atype: "automation_type",
  avty: "availability",
  avty_mode: "availability_mode",
  avty_t: "availability_topic",
  avty_tpl: "availability_template",
  cmps: "components",
  cns: "connections",
  dev: "device",
  dev_cla: "device_class",
  ent_cat: "entity_category",
  evt_typ: "event_types",
  exp_aft: "expire_after",
  mdl: "model",
  ids: "identifiers",
  off_dly: "off_delay",
  p: "platform",
  pl: "payload",
  pl_avail: "payload_available",
  pl_not_avail: "payload_not_available",
  pl_off: "payload_off",
  pl_on: "payload_on",
  stat_closing: "state_closing",
  stat_clsd: "state_closed",
  stat_open: "state_open",
  stat_opening: "state_opening",
  stat_t: "state_topic",
  stype: "subtype",
  t: "topic",
  val_tpl: "value_template",
};

/** What is read, in full. Others are left out: shared fields are copied for each component. */
const READ: ReadonlySet<string> = new Set([
  ...Object.values(ABBREVIATIONS),
  "~",
  "identifiers",
  "model",
  "name",
  "payload_available",
  "payload_off",
  "payload_on",
  "type",
  "value_template",
]);

/** Expands abbreviations, and `~` in topics to the base topic. */
function expanded(fields: Announcement): Record<string, unknown> {
  const base = textOf(fields["~"]);
  const found: [string, unknown][] = [];
  for (const [short, value] of Object.entries(fields)) {
    const key = (Object.hasOwn(ABBREVIATIONS, short) ? ABBREVIATIONS[short] : undefined) ?? short;
    if (!READ.has(key)) continue;
    const isTopic = key.endsWith("topic") && typeof value === "string" && base !== undefined;
    if (key === "device" && isRecord(value)) found.push([key, expanded(value)]);
    else found.push([key, isTopic ? value.replace(/^~/, () => base).replace(/~$/, () => base) : value]);
  }
  return Object.fromEntries(found);
}

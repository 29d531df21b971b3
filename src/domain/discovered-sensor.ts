/**
 * Sensors as they announce themselves: the discovery messages that zigbee2mqtt, ESPHome, Tasmota and most bridges keep at
 * the broker for Home Assistant. They name topics, values and kinds of sensors, which is what a zone needs.
 * Format: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
 */
export interface DiscoveredSensor {
  /** What is the same for all sensors of one device. */
  readonly device: string;
  readonly name: string;
  /** `door`, `smoke`, `battery` …; undefined where the announcement says none. */
  readonly deviceClass: string | undefined;
  /** A percentage or the like, not one of two states. */
  readonly isMeasurement: boolean;
  readonly topic: string;
  /** JSON Pointer; undefined for a bare value. */
  readonly path: string | undefined;
  /** Set where the way to the value is a program that a pointer cannot stand for. */
  readonly template: string | undefined;
  readonly open: Scalar;
  readonly normal: Scalar;
  /** The sensor goes off by itself after so many seconds and never says so. */
  readonly offDelayS: number | undefined;
  readonly availability: readonly DiscoveredAvailability[];
}

export interface DiscoveredAvailability {
  readonly topic: string;
  readonly path: string | undefined;
  readonly up: Scalar;
  readonly down: Scalar;
}

type Scalar = string | number | boolean;
type Announcement = Readonly<Record<string, unknown>>;

/**
 * Reads one discovery message.
 * @param topic below the prefix: `<component>/[<node>/]<object>/config`
 * @param announcement its parsed payload
 * @returns the sensors in it that have a state of their own; none for what is no sensor or is not understood
 */
export function discoveredSensors(topic: string, announcement: unknown): DiscoveredSensor[] {
  const levels = topic.split("/");
  const component = levels[0] ?? "";
  const key = levels.at(-2) ?? "";
  if (levels.length < 3 || levels.at(-1) !== "config" || !isRecord(announcement)) return [];
  const whole = spelledOut(announcement);
  if (component !== "device") {
    const sensor = sensorOf(component, whole, key);
    return sensor ? [sensor] : [];
  }
  const { components, ...shared } = whole;
  if (!isRecord(components)) return [];
  return Object.entries(components).flatMap(([name, part]) => {
    if (!isRecord(part)) return [];
    const own = spelledOut({ ...("~" in whole ? { "~": whole["~"] } : {}), ...part });
    return sensorOf(String(own["platform"]), { ...shared, ...own }, name) ?? [];
  });
}

function sensorOf(component: string, said: Announcement, key: string): DiscoveredSensor | undefined {
  const deviceClass = textOf(said["device_class"]);
  const isMeasurement = component === "sensor";
  const topic = textOf(said["state_topic"]);
  // Of what is measured only the battery matters to a zone.
  if (topic === undefined || (isMeasurement ? deviceClass !== "battery" : component !== "binary_sensor"))
    return undefined;
  const device = isRecord(said["device"]) ? said["device"] : {};
  const identifier: unknown = [device["identifiers"]].flat()[0];
  const names = [textOf(device["name"]), textOf(said["name"])].filter((name) => name !== undefined);
  const template = textOf(said["value_template"]);
  const path = template === undefined ? undefined : pathOf(template);
  return {
    device: textOf(identifier) ?? textOf(device["name"]) ?? key,
    name: names.join(" ") || key,
    deviceClass,
    isMeasurement,
    topic,
    path: path === WHOLE ? undefined : path,
    template: template !== undefined && path === undefined ? template : undefined,
    open: scalarOf(said["payload_on"]) ?? "ON",
    normal: scalarOf(said["payload_off"]) ?? "OFF",
    offDelayS: typeof said["off_delay"] === "number" ? said["off_delay"] : undefined,
    availability: availabilityOf(said),
  };
}

function availabilityOf(said: Announcement): DiscoveredAvailability[] {
  const listed = Array.isArray(said["availability"])
    ? said["availability"].filter(isRecord).map((one) => spelledOut({ "~": said["~"], ...one }))
    : [];
  const single = textOf(said["availability_topic"]);
  const all =
    single === undefined
      ? listed
      : [{ ...said, topic: single, value_template: said["availability_template"] }, ...listed];
  return all.flatMap((one: Announcement) => {
    const topic = textOf(one["topic"]);
    const template = textOf(one["value_template"]);
    const path = template === undefined ? WHOLE : pathOf(template);
    if (topic === undefined || path === undefined) return [];
    return [
      {
        topic,
        path: path === WHOLE ? undefined : path,
        up: scalarOf(one["payload_available"]) ?? "online",
        down: scalarOf(one["payload_not_available"]) ?? "offline",
      },
    ];
  });
}

/** What bridges abbreviate, as Home Assistant's documentation lists it; only what a zone needs. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  avty: "availability",
  avty_t: "availability_topic",
  avty_tpl: "availability_template",
  cmps: "components",
  dev: "device",
  dev_cla: "device_class",
  ids: "identifiers",
  off_dly: "off_delay",
  p: "platform",
  pl_avail: "payload_available",
  pl_not_avail: "payload_not_available",
  pl_off: "payload_off",
  pl_on: "payload_on",
  stat_t: "state_topic",
  t: "topic",
  val_tpl: "value_template",
};

/** Replaces abbreviations, and `~` in topics by what it stands for. */
function spelledOut(said: Announcement): Record<string, unknown> {
  const base = textOf(said["~"]);
  return Object.fromEntries(
    Object.entries(said).map(([short, value]) => {
      const key = (Object.hasOwn(ABBREVIATIONS, short) ? ABBREVIATIONS[short] : undefined) ?? short;
      if (key === "device" && isRecord(value)) return [key, spelledOut(value)];
      const isTopic = key.endsWith("topic") && typeof value === "string" && base !== undefined;
      return [key, isTopic ? value.replace(/^~/, () => base).replace(/~$/, () => base) : value];
    }),
  );
}

/** A template that gives the payload as it is. */
const WHOLE = Symbol("the whole payload");

/** The pointer that does the same as a template; undefined where none does. */
function pathOf(template: string): string | typeof WHOLE | undefined {
  const expression = /^\{\{\s*(.+?)\s*\}\}$/s.exec(template.trim())?.[1];
  if (expression === undefined) return undefined;
  if (expression === "value") return WHOLE;
  // value_json.a.b, value_json['a'], value_json["a"][0]
  const steps = /^value_json((?:\.\w+|\[(?:'[^'\]]+'|"[^"\]]+"|\d+)\])+)$/.exec(expression)?.[1];
  const keys = steps?.match(/\w+(?=$|\.|\[)|'[^']+'|"[^"]+"|\d+(?=\])/g);
  return keys
    ?.map(
      (key) =>
        `/${key
          .replaceAll(/^['"]|['"]$/g, "")
          .replaceAll("~", "~0")
          .replaceAll("/", "~1")}`,
    )
    .join("");
}

function isRecord(value: unknown): value is Announcement {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function scalarOf(value: unknown): Scalar | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

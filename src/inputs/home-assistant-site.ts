import { HEADLINE_LEVELS } from "../domain/headline.ts";
import { DIAGNOSTIC, type ZoneEntity } from "./home-assistant-zones.ts";

/** Topics of the site as a whole, below its first levels. */
export const SITE_TOPICS = ["headline", "headline/text", "link", "queue", "clock", "availability"] as const;

interface ShownDevice {
  readonly id: string;
  /** Of the site. */
  readonly name: string;
  readonly version: string;
  readonly panelUrl: string | undefined;
  /** First levels of its topics. */
  readonly base: string;
  readonly entities: readonly ZoneEntity[];
  /** Keys of entities that are no longer there. */
  readonly removed: readonly string[];
}

/** The announcement of a device: what Home Assistant needs to show it. */
export function announcementOf({
  id,
  name,
  version,
  panelUrl,
  base,
  entities,
  removed,
}: ShownDevice): object {
  const component = (key: string, more: object): [string, object] => [
    key,
    { unique_id: `${id}_${key}`, ...more },
  ];
  return {
    device: {
      identifiers: [id],
      name: `Santinela ${name}`,
      manufacturer: "Santinela",
      sw_version: version,
      ...(panelUrl === undefined ? {} : { configuration_url: panelUrl }),
    },
    origin: { name: "Santinela", sw_version: version },
    availability: [{ topic: `${base}/availability` }],
    qos: 1,
    components: Object.fromEntries([
      ...entities.map(({ key, topic, component: own }) =>
        component(key, { platform: "binary_sensor", state_topic: topic, ...own }),
      ),
      // A component with only its platform is removed.
      ...removed.map((key) => [key, { platform: "binary_sensor" }] as const),
      ...Object.entries(siteComponents(base)).map(([key, more]) => component(key, more)),
    ]),
  };
}

/** Components of the site as a whole. @param base first levels of its topics */
function siteComponents(base: string): Readonly<Record<string, object>> {
  return {
    headline: {
      platform: "sensor",
      name: "Headline",
      device_class: "enum",
      options: HEADLINE_LEVELS,
      state_topic: `${base}/headline`,
      json_attributes_topic: `${base}/headline/text`,
    },
    // Unsafe while an alarm is unfinished or a zone is open while armed.
    alarm: {
      platform: "binary_sensor",
      name: "Alarm",
      device_class: "safety",
      state_topic: `${base}/headline`,
      value_template: "{{ 'ON' if value == 'alarm' else 'OFF' }}",
    },
    link: {
      platform: "binary_sensor",
      name: "Link",
      device_class: "connectivity",
      ...DIAGNOSTIC,
      state_topic: `${base}/link`,
      payload_on: "up",
      payload_off: "down",
    },
    queue: {
      platform: "sensor",
      name: "Queue",
      state_class: "measurement",
      ...DIAGNOSTIC,
      state_topic: `${base}/queue`,
    },
    clock: {
      platform: "binary_sensor",
      name: "Clock",
      device_class: "problem",
      ...DIAGNOSTIC,
      state_topic: `${base}/clock`,
      payload_on: "not trusted",
      payload_off: "trusted",
    },
  };
}

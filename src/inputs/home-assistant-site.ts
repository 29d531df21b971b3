import { HEADLINE_LEVELS } from "../domain/headline.ts";
import { DIAGNOSTIC } from "./home-assistant-zones.ts";

/** Components of the site as a whole. @param base first levels of its topics */
export function siteComponents(base: string): Readonly<Record<string, object>> {
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

import type { Message, DeviceScenario } from "./device-scenarios.ts";

/* A sensor announced for Home Assistant, with the topic casa/usa. */

export const announced = (fields: object, component = "binary_sensor"): Message => [
  `homeassistant/${component}/casa/usa/config`,
  {
    name: "Usa",
    unique_id: "casa-usa",
    state_topic: "casa/usa",
    device: { identifiers: ["casa"], name: "Casa" },
    ...fields,
  },
];
export const sent = (message: unknown): Message => ["casa/usa", message];
export const door = (
  fields: object,
  steps: DeviceScenario["steps"],
  doubts: readonly string[] = [],
): DeviceScenario => ({
  announced: [announced({ device_class: "door", ...fields })],
  zone: "casa-usa",
  kind: "intrusion",
  doubts,
  steps,
});
/** A message while it is closed and one while it is open. */
export const opening = (closed: unknown, open: unknown): DeviceScenario["steps"] => [
  [sent(closed), "nothing"],
  [sent(open), "trip"],
  [sent(open), "nothing"],
  [sent(closed), "restore"],
];

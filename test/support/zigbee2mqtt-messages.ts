import type { Message } from "./device-scenarios.ts";

/* What zigbee2mqtt says about a device. `access`: 1 the value is in its messages, 2 it can be set, 4 it can be asked for. */

type Exposed = Readonly<Record<string, unknown>>;

export const binary = (
  name: string,
  on: unknown = true,
  off: unknown = false,
  more: object = {},
): Exposed => ({
  type: "binary",
  name,
  property: name,
  label: name,
  access: 1,
  value_on: on,
  value_off: off,
  ...more,
});
export const states = (name: string, values: readonly string[], more: object = {}): Exposed => ({
  type: "enum",
  name,
  property: name,
  label: name,
  access: 1,
  values,
  ...more,
});
export const numeric = (name: string, more: object = {}): Exposed => ({
  type: "numeric",
  name,
  property: name,
  label: name,
  access: 1,
  ...more,
});
/** A light, cover or lock, with what belongs to it. */
export const composed = (type: string, ...features: readonly Exposed[]): Exposed => ({ type, features });
export const contact = binary("contact", false, true);
export const battery = numeric("battery", { unit: "%" });
export const batteryLow = binary("battery_low");
export const tamper = binary("tamper");
export const linkquality = numeric("linkquality", { unit: "lqi" });

interface Definition {
  readonly model?: string;
  readonly vendor?: string;
  readonly description?: string;
  readonly exposes: readonly Exposed[];
}

/** The retained messages of a bridge with one device besides its coordinator. */
export function bridged(name: string, definition: Definition, base = "zigbee2mqtt"): Message[] {
  return [
    [`${base}/bridge/info`, { version: "2.6.1", config: { advanced: { output: "json" } } }],
    [`${base}/bridge/state`, { state: "online" }],
    [`${base}/bridge/groups`, [{ id: 1, friendly_name: "parter", members: [] }]],
    [
      `${base}/bridge/devices`,
      [
        {
          ieee_address: "0x00124b0029e8f1c2",
          type: "Coordinator",
          friendly_name: "Coordinator",
          definition: null,
        },
        {
          ieee_address: "0xa4c138d9758e9b5f",
          friendly_name: name,
          type: "EndDevice",
          supported: true,
          disabled: false,
          interview_state: "SUCCESSFUL",
          power_source: "Battery",
          definition: {
            model: "M-1",
            vendor: "Maker",
            description: "",
            options: [],
            supports_ota: true,
            ...definition,
          },
        },
      ],
    ],
    [`${base}/${name}/availability`, { state: "online" }],
  ];
}

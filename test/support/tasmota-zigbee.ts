import type { DeviceScenario, Message } from "./device-scenarios.ts";
import { announced } from "./tasmota-messages.ts";

/* Zigbee sensors behind a bridge with Tasmota, which publishes what it receives under the address or the name of each. */

export const BRIDGE = announced({ dn: "Zigbee", md: "Sonoff ZbBridge" });
const at =
  (key: string, common: Record<string, unknown>, topic = "tele/tasmota_3D5E26/SENSOR") =>
  (fields: Record<string, unknown>): Message => [
    topic,
    { ZbReceived: { [key]: { ...common, ...fields, Endpoint: 1, LinkQuality: 84 } } },
  ];
const door = at("0x662E", { Device: "0x662E", Name: "Ușa din spate " });
const hall = at("Hol PIR", { Device: "0x6172", Name: "Hol PIR" }, "tele/tasmota_3D5E26/6172/SENSOR");
export const leak = at("0x099F", { Device: "0x099F" });
export const lamp = at("0x5ADF", { Device: "0x5ADF", Name: "Lampa" });
const changed = (contact: 0 | 1): Message =>
  door({
    "0500<00": `0${contact}0000010000`,
    ZoneStatusChange: contact,
    ZoneStatusChangeZone: 1,
    Contact: contact,
  });

/** A contact of a bridge with options that move the name of the message and the address of the device. */
function optionScenarios(): [title: string, device: DeviceScenario][] {
  const TELE = "tele/tasmota_3D5E26";
  const fields = (address: string, contact: number) => ({ Device: address, Name: "Geam", Contact: contact });
  const forms: [title: string, (address: string, contact: number) => Message][] = [
    ["without the name", (address, contact) => [`${TELE}/SENSOR`, { [address]: fields(address, contact) }]],
    [
      "with the name in the topic",
      (address, contact) => [`${TELE}/ZbReceived`, { [address]: fields(address, contact) }],
    ],
    [
      "without the address as key",
      (address, contact) => [`${TELE}/SENSOR`, { ZbReceived: fields(address, contact) }],
    ],
    [
      "with its values alone in a topic of its own",
      (address, contact) => [`${TELE}/${address.slice(2)}/ZbReceived`, fields(address, contact)],
    ],
  ];
  return forms.map(([title, sent]) => [
    `a contact in messages ${title}`,
    {
      announced: [...BRIDGE, sent("0x1C3B", 0)],
      zone: "geam",
      kind: "intrusion",
      steps: [
        [sent("0x1C3B", 0), "nothing"],
        [sent("0x5ADF", 1), "nothing"],
        [sent("0x1C3B", 1), "trip"],
        [sent("0x1C3B", 0), "restore"],
      ],
    },
  ]);
}

export const TASMOTA_ZIGBEE_SENSORS: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "a contact, which is 1 while it is open",
    {
      announced: [...BRIDGE, lamp({ Power: 1, Dimmer: 80 }), changed(0), door({ BatteryPercentage: 90 })],
      zone: "usa-din-spate",
      kind: "intrusion",
      steps: [
        [changed(0), "nothing"],
        [leak({ Water: 1 }), "nothing"],
        [changed(1), "trip"],
        [door({ ZoneStatusChange: 5, ZoneStatusChangeZone: 1, Contact: 1 }), "tamper"],
        [door({ BatteryVoltage: 2.9, BatteryPercentage: 88 }), "nothing"],
        [changed(0), "restore"],
        [door({ BatteryPercentage: 6 }), "battery"],
        [["tele/tasmota_3D5E26/LWT", "Offline"], "supervision"],
      ],
    },
  ],
  [
    "a motion sensor with its name as key and a topic of its own",
    {
      announced: [...BRIDGE, hall({ Occupancy: 1, Illuminance: 12 })],
      zone: "hol-pir",
      kind: "motion",
      steps: [
        [hall({ Occupancy: 0 }), "nothing"],
        [hall({ Occupancy: 1 }), "trip"],
        [hall({ Occupancy: 0 }), "restore"],
      ],
    },
  ],
  ...optionScenarios(),
  [
    "a leak sensor that has only answered what it is",
    {
      announced: [
        ...BRIDGE,
        [
          "tele/tasmota_3D5E26/SENSOR",
          {
            ZbInfo: {
              "0x099F": {
                Device: "0x099F",
                Name: "Baie",
                ZoneType: 42,
                ZoneStatus: 0,
                BatteryPercentage: 71,
              },
            },
          },
        ],
      ],
      zone: "baie",
      kind: "flood",
      steps: [
        [leak({ Water: 0 }), "nothing"],
        [leak({ Water: 1 }), "trip"],
        [leak({ Water: 0 }), "restore"],
      ],
    },
  ],
  ...(
    [
      ["Fire", "fire"],
      ["CO", "gas"],
      ["Panic", "panic"],
      ["GlassBreak", "glass"],
    ] as const
  ).map(([field, kind]): readonly [string, DeviceScenario] => [
    `a sensor that reports ${field}`,
    {
      announced: [...BRIDGE, leak({ [field]: 0 })],
      zone: "0x099f",
      kind,
      steps: [
        [leak({ [field]: 0 }), "nothing"],
        [leak({ [field]: 1 }), "trip"],
      ],
    },
  ]),
];

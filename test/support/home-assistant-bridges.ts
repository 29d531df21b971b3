import type { DeviceScenario, Message } from "./device-scenarios.ts";

/* Bridges that announce their sensors for Home Assistant, each in the way of its program. */

/** As the script of rtl_433 announces the fields of a transmitter's messages. */
const HONEYWELL = "Honeywell-Security-8-123456";
const heard = (field: string, suffix: string, config: object, component = "binary_sensor"): Message => [
  `homeassistant/${component}/${HONEYWELL}/${HONEYWELL}-${suffix}/config`,
  {
    name: field,
    ...config,
    state_topic: `rtl_433/pi/devices/Honeywell-Security/8/123456/${field}`,
    unique_id: `${HONEYWELL}-${suffix}`,
    device: { identifiers: [HONEYWELL], name: HONEYWELL, model: "Security", manufacturer: "Honeywell" },
  },
];
const value = (field: string, text: string): Message => [
  `rtl_433/pi/devices/Honeywell-Security/8/123456/${field}`,
  text,
];
const SAFETY = { device_class: "safety", payload_on: "1", payload_off: "0", entity_category: "diagnostic" };
const TRANSMITTER = [
  heard("reed_open", "reed_open", SAFETY),
  heard("tamper", "tamper", SAFETY),
  heard("alarm", "alarm", SAFETY),
  heard(
    "battery_ok",
    "B",
    {
      name: "Battery",
      device_class: "battery",
      unit_of_measurement: "%",
      value_template: "{{ ((float(value) * 99)|round(0)) + 1 }}",
    },
    "sensor",
  ),
];

/** An alarm panel as one device: each of its zones has a contact, a tamper and a battery. */
const PANEL: Message = [
  "homeassistant/device/centrala-1/config",
  {
    "~": "centrala/1",
    avty: [{ t: "~/bridge/state", pl_avail: "up", pl_not_avail: "down" }],
    dev: { cns: [["mac", "02:00:5e:00:53:af"]], name: "Centrala", mdl: "Panel 16" },
    o: { name: "panel2mqtt", sw: "2.1" },
    cmps: Object.fromEntries(
      [
        [1, "door", "Ușa din față"],
        [2, "motion", "Hol"],
        [10, "smoke", "Bucătărie"],
      ].flatMap(([zone, dev_cla, name]) => [
        [
          `z${zone}`,
          {
            p: "binary_sensor",
            dev_cla,
            name,
            stat_t: `~/zone/${zone}`,
            val_tpl: "{{ value_json.open }}",
            pl_on: true,
            pl_off: false,
          },
        ],
        [
          `z${zone}_t`,
          {
            p: "binary_sensor",
            dev_cla: "tamper",
            name: `${name} sabotaj`,
            stat_t: `~/zone/${zone}/tamper`,
            pl_on: "Open",
            pl_off: "Closed",
          },
        ],
        [
          `z${zone}_b`,
          {
            p: "binary_sensor",
            dev_cla: "battery",
            name: `${name} baterie`,
            stat_t: `~/zone/${zone}/battery`,
            pl_on: "low",
            pl_off: "ok",
          },
        ],
        [`z${zone}_s`, { p: "sensor", dev_cla: "signal_strength", stat_t: `~/zone/${zone}/rssi` }],
      ]),
    ),
  },
];

/** A board with several wired contacts, a cover contact and a siren, in the abbreviated form of its firmware. */
const board = (component: string, key: string, config: object): Message => [
  `homeassistant/${component}/placa/${key}/config`,
  {
    name: key,
    stat_t: `placa/${component}/${key}/state`,
    avty_t: "placa/status",
    uniq_id: `ESP${component}${key}`,
    dev: { ids: "5ccf7f123456", name: "placa", sw: "2026.7.0", mdl: "esp32dev", mf: "Espressif" },
    ...config,
  },
];
export const BOARD = [
  board("binary_sensor", "usa", { dev_cla: "door" }),
  board("binary_sensor", "miscare_hol", { dev_cla: "motion" }),
  board("binary_sensor", "carcasa", { dev_cla: "tamper", ent_cat: "diagnostic" }),
  board("binary_sensor", "stare", { dev_cla: "connectivity", ent_cat: "diagnostic" }),
  board("switch", "sirena", { cmd_t: "placa/switch/sirena/command" }),
  board("siren", "sirena_2", { cmd_t: "placa/siren/sirena_2/command" }),
  board("sensor", "temperatura", { dev_cla: "temperature", unit_of_meas: "°C" }),
];

/** A Z-Wave door contact: its own state, and those of its network and its program, of which each has to be there. */
const zwave = (key: string, config: object): Message => [
  `homeassistant/binary_sensor/nodeID_7/${key}/config`,
  {
    availability_mode: "all",
    availability: [
      {
        topic: "zwave/_CLIENTS/ZWAVE/status",
        value_template: "{{'online' if value_json.value else 'offline'}}",
      },
      {
        topic: "zwave/Hol/nodeID_7/status",
        payload_available: "true",
        payload_not_available: "false",
        value_template: "{{'true' if value_json.value else 'false'}}",
      },
    ],
    device: { identifiers: ["zwave_0xe1_node7"], manufacturer: "Maker", model: "ZW089", name: "Hol" },
    value_template: "{{ value_json.value }}",
    ...config,
  },
];
const sensed = (name: string, value: unknown): Message => [
  `zwave/Hol/nodeID_7/${name}`,
  { time: 1_767_225_600_000, value },
];

export const BRIDGED_DEVICES: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "a door of a radio that announces it as unsafe, by its name",
    {
      announced: TRANSMITTER,
      zone: "honeywell-security-8-123456-reed-open",
      kind: "intrusion",
      doubts: ["kind-guessed"],
      steps: [
        [value("reed_open", "0"), "nothing"],
        [value("battery_ok", "1"), "nothing"],
        [value("reed_open", "1"), "trip"],
        [value("reed_open", "0"), "restore"],
        [value("tamper", "1"), "tamper"],
        [value("battery_ok", "0"), "battery"],
      ],
    },
  ],
  [
    "an alarm of a radio whose name says nothing, as a panic button",
    {
      announced: TRANSMITTER,
      zone: "honeywell-security-8-123456-alarm",
      kind: "panic",
      doubts: ["kind-guessed"],
      steps: [
        [value("alarm", "0"), "nothing"],
        [value("alarm", "1"), "trip"],
        [value("alarm", "0"), "restore"],
      ],
    },
  ],
  [
    "a zone of a panel with its own tamper and battery, not those of another zone",
    {
      announced: [PANEL],
      zone: "centrala-hol",
      kind: "motion",
      doubts: ["zones-confirm"],
      steps: [
        [["centrala/1/zone/2", { open: false }], "nothing"],
        [["centrala/1/zone/2", { open: true }], "trip"],
        [["centrala/1/zone/2", { open: false }], "restore"],
        [["centrala/1/zone/1/tamper", "Open"], "nothing"],
        [["centrala/1/zone/2/tamper", "Open"], "tamper"],
        [["centrala/1/zone/1/battery", "low"], "nothing"],
        [["centrala/1/zone/2/battery", "low"], "battery"],
        [["centrala/1/bridge/state", "down"], "supervision"],
      ],
    },
  ],
  [
    "a zone of a panel whose number begins like that of another",
    {
      announced: [PANEL],
      zone: "centrala-bucatarie",
      kind: "fire",
      doubts: [],
      steps: [
        [["centrala/1/zone/10", { open: false }], "nothing"],
        [["centrala/1/zone/1/tamper", "Open"], "nothing"],
        [["centrala/1/zone/10/tamper", "Open"], "tamper"],
        [["centrala/1/zone/10", { open: true }], "trip"],
      ],
    },
  ],
  [
    "a contact of a board with the cover of the board",
    {
      announced: BOARD,
      zone: "placa-miscare-hol",
      kind: "motion",
      doubts: [],
      steps: [
        [["placa/binary_sensor/miscare_hol/state", "OFF"], "nothing"],
        [["placa/binary_sensor/miscare_hol/state", "ON"], "trip"],
        [["placa/binary_sensor/miscare_hol/state", "OFF"], "restore"],
        [["placa/binary_sensor/carcasa/state", "ON"], "tamper"],
        [["placa/status", "offline"], "supervision"],
      ],
    },
  ],
  [
    "a zone of a panel's bridge that writes True and False",
    {
      announced: [
        [
          "homeassistant/binary_sensor/0584b067/zone_usa_garaj_open/config",
          {
            availability_topic: "paradox/interface/availability",
            device: {
              manufacturer: "Paradox",
              model: "SP6000",
              identifiers: ["Paradox_SP6000_0584b067"],
              name: "SP6000",
            },
            device_class: "motion",
            name: "Zone Usa Garaj Open",
            payload_on: "True",
            payload_off: "False",
            state_topic: "paradox/states/zones/Usa_Garaj/open",
            unique_id: "paradox_0584b067_zone_usa_garaj_open",
          },
        ],
      ],
      zone: "sp6000-zone-usa-garaj-open",
      kind: "motion",
      doubts: [],
      steps: [
        [["paradox/states/zones/Usa_Garaj/open", "False"], "nothing"],
        [["paradox/states/zones/Usa_Garaj/open", "True"], "trip"],
        [["paradox/states/zones/Usa_Garaj/open", "False"], "restore"],
        [["paradox/interface/availability", "offline"], "supervision"],
      ],
    },
  ],
  [
    "a flood sensor of a hub whose battery is a share of 255",
    {
      announced: [
        [
          "homeassistant/binary_sensor/hub/apa/config",
          {
            device_class: "moisture",
            device: { identifiers: ["hub-7"], name: "Spălătorie" },
            name: null,
            state_topic: "hub/7",
            value_template: "{% if value_json.leak == 'wet' %}ON{% else %}OFF{% endif %}",
          },
        ],
        [
          "homeassistant/sensor/hub/apa_battery/config",
          {
            device_class: "battery",
            device: { identifiers: ["hub-7"], name: "Spălătorie" },
            state_topic: "hub/7",
            value_template: "{{ (value_json.battery / 2) | round(0) }}",
          },
        ],
      ],
      zone: "spalatorie",
      kind: "flood",
      doubts: [],
      steps: [
        [["hub/7", { leak: "dry", battery: 200 }], "nothing"],
        [["hub/7", { leak: "wet", battery: 190 }], "trip"],
        [["hub/7", { leak: "dry", battery: 31 }], "restore"],
        [["hub/7", { leak: "dry", battery: 28 }], "battery"],
      ],
    },
  ],
  [
    "a contact of a network with a tamper that is called a cover, and codes for its states",
    {
      announced: [
        zwave("door_state", {
          device_class: "door",
          name: "door_state",
          payload_on: 22,
          payload_off: 23,
          state_topic: "zwave/Hol/nodeID_7/113/0/Access_Control/Door_state",
        }),
        zwave("cover_status", {
          device_class: "safety",
          name: "cover_status",
          payload_on: 3,
          payload_off: 0,
          state_topic: "zwave/Hol/nodeID_7/113/0/Home_Security/Cover_status",
        }),
        zwave("low", {
          device_class: "battery",
          name: "isLow",
          payload_on: true,
          payload_off: false,
          state_topic: "zwave/Hol/nodeID_7/128/0/isLow",
        }),
      ],
      zone: "hol-door-state",
      kind: "intrusion",
      doubts: [],
      steps: [
        [sensed("113/0/Access_Control/Door_state", 23), "nothing"],
        [sensed("113/0/Access_Control/Door_state", 22), "trip"],
        [sensed("113/0/Access_Control/Door_state", 23), "restore"],
        [sensed("113/0/Home_Security/Cover_status", 3), "tamper"],
        [sensed("128/0/isLow", true), "battery"],
        [sensed("status", false), "supervision"],
      ],
    },
  ],
  [
    "a Bluetooth contact that any gateway may receive",
    {
      announced: [
        [
          "homeassistant/binary_sensor/A4C138000001-open/config",
          {
            stat_t: "+/+/BTtoMQTT/A4C138000001",
            dev_cla: "door",
            name: "open",
            val_tpl: "{{ value_json.open | is_defined }}",
            pl_on: "True",
            pl_off: "False",
            dev: { ids: ["A4C138000001"], cns: [["mac", "A4C138000001"]], name: "Geam mansardă" },
          },
        ],
        [
          "homeassistant/sensor/A4C138000001-batt/config",
          {
            stat_t: "+/+/BTtoMQTT/A4C138000001",
            dev_cla: "battery",
            name: "batt",
            val_tpl: "{{ value_json.batt | is_defined }}",
            unit_of_meas: "%",
            dev: { ids: ["A4C138000001"], name: "Geam mansardă" },
          },
        ],
      ],
      zone: "geam-mansarda-open",
      kind: "intrusion",
      doubts: [],
      steps: [
        [["home/etaj/BTtoMQTT/A4C138000001", { open: false, batt: 90 }], "nothing"],
        [["home/etaj/BTtoMQTT/A4C138000001", { open: true, batt: 90 }], "trip"],
        [["home/etaj/BTtoMQTT/A4C138000001", { rssi: -80 }], "nothing"],
        [["home/etaj/BTtoMQTT/A4C138000001", { open: false, batt: 90 }], "restore"],
        [["home/etaj/BTtoMQTT/A4C138000001", { open: false, batt: 12 }], "battery"],
        // Both gateways receive the opening, and only one the closing.
        [["home/etaj/BTtoMQTT/A4C138000001", { open: true, batt: 90 }], "trip"],
        [["home/parter/BTtoMQTT/A4C138000001", { open: true, batt: 90 }], "nothing"],
        [["home/parter/BTtoMQTT/A4C138000001", { open: false, batt: 90 }], "restore"],
        [["home/parter/BTtoMQTT/A4C138000001", { open: true, batt: 90 }], "trip"],
      ],
    },
  ],
];

import type { DeviceScenario, Message } from "./device-scenarios.ts";
import {
  battery,
  batteryLow,
  binary,
  bridged,
  composed,
  contact,
  linkquality,
  numeric,
  states,
  tamper,
} from "./zigbee2mqtt-messages.ts";

/* Devices of many makers, with the values that zigbee2mqtt exposes for them and its messages. */

type Steps = DeviceScenario["steps"];
type Device = readonly [title: string, device: DeviceScenario];
type Fields = Readonly<Record<string, unknown>>;
type Exposes = Parameters<typeof bridged>[1]["exposes"];

const messagesOf =
  (name: string) =>
  (fields: Fields): Message => [`zigbee2mqtt/${name}`, { linkquality: 120, ...fields }];

/** A sensor with one value: the messages while it is normal and while it is open, with the same other values. */
function sensor(
  title: string,
  name: string,
  definition: Parameters<typeof bridged>[1],
  {
    zone,
    kind,
    doubts = [],
    normal,
    open,
    more = [],
  }: {
    zone: string;
    kind: DeviceScenario["kind"];
    doubts?: readonly string[];
    normal: Fields;
    open: Fields;
    more?: Steps;
  },
): Device {
  const sent = messagesOf(name);
  const steps: Steps = [
    [sent(normal), "nothing"],
    [sent(open), "trip"],
    [sent(open), "nothing"],
    [sent(normal), "restore"],
    ...more,
    [[`zigbee2mqtt/${name}/availability`, { state: "offline" }], "supervision"],
  ];
  return [title, { announced: bridged(name, definition), zone, kind, doubts, steps }];
}

const SHIFTED = { access: 7 };
const DOORS: readonly Device[] = [
  sensor(
    "a contact whose name has accents and a space",
    "Ușă intrare",
    { model: "MCCGQ11LM", vendor: "Aqara", exposes: [contact, battery, numeric("voltage"), linkquality] },
    {
      zone: "usa-intrare",
      kind: "intrusion",
      normal: { contact: true, battery: 97, voltage: 2995 },
      open: { contact: false, battery: 97, voltage: 2995 },
      more: [[messagesOf("Ușă intrare")({ contact: true, battery: 11, voltage: 2755 }), "battery"]],
    },
  ),
  sensor(
    "a contact without a name, as it joins",
    "0x00158d0001a2b3c4",
    { exposes: [contact, battery] },
    {
      zone: "0x00158d0001a2b3c4",
      kind: "intrusion",
      normal: { contact: true, battery: 100 },
      open: { contact: false, battery: 100 },
    },
  ),
  sensor(
    "a contact whose tamper can be asked for",
    "etaj 1/birou/geam",
    {
      model: "SNZB-04P",
      vendor: "SONOFF",
      exposes: [contact, batteryLow, binary("tamper", true, false, { access: 5 })],
    },
    {
      zone: "etaj-1-birou-geam",
      kind: "intrusion",
      normal: { contact: true, battery_low: false, tamper: false },
      open: { contact: false, battery_low: false, tamper: false },
      more: [
        [messagesOf("etaj 1/birou/geam")({ contact: true, battery_low: false, tamper: true }), "tamper"],
        [messagesOf("etaj 1/birou/geam")({ contact: true, battery_low: true, tamper: true }), "battery"],
      ],
    },
  ),
  ...[
    ["true", true, false],
    ["ON", "ON", "OFF"],
  ].map(([word, closed, opened]) =>
    sensor(
      `a contact that calls ${String(word)} on, which is closed, and that could be set`,
      "magazie",
      { exposes: [binary("contact", closed, opened, SHIFTED), battery] },
      { zone: "magazie", kind: "intrusion", normal: { contact: closed }, open: { contact: opened } },
    ),
  ),
  sensor(
    "a contact with both alarms of its standard, true while they are closed",
    "poarta",
    { exposes: [binary("contact_alarm_1"), binary("contact_alarm_2"), tamper, batteryLow] },
    {
      zone: "poarta-contact-alarm-1",
      kind: "intrusion",
      normal: { contact_alarm_1: true, contact_alarm_2: true, tamper: false },
      open: { contact_alarm_1: false, contact_alarm_2: true, tamper: false },
    },
  ),
  sensor(
    "a window handle",
    "fereastra",
    {
      exposes: [
        states("opening_state", ["open", "closed", "tilted"]),
        states("vibration", ["off", "low", "high"], { access: 3 }),
        battery,
      ],
    },
    {
      zone: "fereastra",
      kind: "intrusion",
      doubts: ["check-contact"],
      normal: { opening_state: "closed", vibration: "low" },
      open: { opening_state: "tilted", vibration: "low" },
    },
  ),
  sensor(
    "a door lock that knows its door",
    "yala",
    {
      description: "Smart door lock",
      exposes: [
        composed(
          "lock",
          binary("state", "LOCK", "UNLOCK", SHIFTED),
          states("lock_state", ["locked", "unlocked"]),
        ),
        states("door_state", [
          "open",
          "closed",
          "error_jammed",
          "error_forced_open",
          "error_unspecified",
          "undefined",
        ]),
        states("action", ["lock", "unlock", "pin_lock", "one_touch_lock"]),
        battery,
      ],
    },
    {
      zone: "yala",
      kind: "intrusion",
      doubts: ["check-contact"],
      normal: { state: "LOCK", door_state: "closed" },
      open: { state: "UNLOCK", door_state: "error_forced_open" },
      more: [[messagesOf("yala")({ state: "LOCK", door_state: "undefined" }), "nothing"]],
    },
  ),
  sensor(
    "a garage door with its motor",
    "garaj",
    {
      exposes: [
        composed("cover", states("state", ["OPEN", "CLOSE", "STOP"], { access: 3 })),
        binary("garage_door_contact", true, false),
        binary("moving"),
      ],
    },
    {
      zone: "garaj",
      kind: "intrusion",
      normal: { garage_door_contact: true, moving: false },
      open: { garage_door_contact: false, moving: true },
    },
  ),
  sensor(
    "a contact in words, which calls its closed state on",
    "chepeng",
    { exposes: [binary("dry_contact", "contact_closed", "contact_open", { access: 5 }), battery] },
    {
      zone: "chepeng",
      kind: "intrusion",
      normal: { dry_contact: "contact_closed" },
      open: { dry_contact: "contact_open" },
    },
  ),
  sensor(
    "a wired input, of which nothing says what is connected",
    "interfață",
    {
      exposes: [
        binary("input", "ON", "OFF", { access: 5, endpoint: "1", property: "input_1" }),
        binary("input", "ON", "OFF", { access: 5, endpoint: "2", property: "input_2" }),
      ],
    },
    {
      zone: "interfata-input-2",
      kind: "intrusion",
      doubts: ["check-contact", "kind-guessed"],
      normal: { input_1: "ON", input_2: "OFF" },
      open: { input_1: "ON", input_2: "ON" },
    },
  ),
  sensor(
    "a door sensor of which the bridge knows only that it alarms, with the settings of a siren",
    "ușa din spate",
    {
      description: "Zigbee door sensor",
      exposes: [
        { ...composed("composite"), name: "warning", property: "warning" },
        binary("alarm_1"),
        tamper,
      ],
    },
    {
      zone: "usa-din-spate",
      kind: "intrusion",
      doubts: ["kind-guessed"],
      normal: { alarm_1: false, tamper: false },
      open: { alarm_1: true, tamper: false },
    },
  ),
  sensor(
    "a window whose words are called on and off the other way round",
    "luminator",
    { exposes: [binary("window_open", "CLOSE", "OPEN")] },
    { zone: "luminator", kind: "intrusion", normal: { window_open: "CLOSE" }, open: { window_open: "OPEN" } },
  ),
];

const MOTION: readonly Device[] = [
  sensor(
    "a motion sensor with its illuminance",
    "hol PIR",
    {
      model: "E2134",
      vendor: "IKEA",
      exposes: [binary("occupancy", true, false, { access: 5 }), numeric("illuminance"), battery],
    },
    {
      zone: "hol-pir",
      kind: "motion",
      normal: { occupancy: false, illuminance: 20 },
      open: { occupancy: true, illuminance: 18 },
    },
  ),
  sensor(
    "a motion sensor with both alarms of its standard",
    "casa scării",
    { exposes: [binary("occupancy_alarm_1"), binary("occupancy_alarm_2"), tamper, batteryLow] },
    {
      zone: "casa-scarii-occupancy-alarm-1",
      kind: "motion",
      normal: { occupancy_alarm_1: false, occupancy_alarm_2: false, tamper: false },
      open: { occupancy_alarm_1: true, occupancy_alarm_2: false, tamper: false },
      more: [
        [
          messagesOf("casa scării")({ occupancy_alarm_1: false, occupancy_alarm_2: false, tamper: true }),
          "tamper",
        ],
      ],
    },
  ),
  sensor(
    "a radar, beside its settings and what it saw last",
    "dormitor",
    {
      model: "RTCZCGQ11LM",
      vendor: "Aqara",
      exposes: [
        binary("presence", true, false, { access: 5 }),
        states("presence_event", ["enter", "leave", "left_enter", "approach", "away"]),
        states("movement", ["unknown_0", "no_presence", "movement", "no_movement"], { access: 5 }),
        states("motion_sensitivity", ["low", "medium", "high"], SHIFTED),
        states("motion_direction", ["standing_still", "moving_forward", "moving_backward"]),
        binary("presence_illuminance_switch", true, false, { access: 3 }),
      ],
    },
    {
      zone: "dormitor",
      kind: "motion",
      normal: { presence: false, presence_event: "leave", movement: "no_presence" },
      open: { presence: true, presence_event: "enter", movement: "movement" },
    },
  ),
  sensor(
    "a radar whose state has the name that a lamp's has",
    "living",
    { exposes: [states("state", ["none", "presence", "move"]), numeric("distance")] },
    {
      zone: "living",
      kind: "motion",
      doubts: ["check-contact"],
      normal: { state: "none" },
      open: { state: "move" },
    },
  ),
  sensor(
    "a bed that notices a fall",
    "salon 3",
    {
      exposes: [
        states("fall_status", ["normal", "fall_warning", "fall_alarm", "unknown"]),
        states("sensor_status", ["none", "activity", "unknown"]),
      ],
    },
    {
      zone: "salon-3-fall-status",
      kind: "medical",
      doubts: ["check-contact"],
      normal: { fall_status: "normal", sensor_status: "none" },
      open: { fall_status: "fall_alarm", sensor_status: "none" },
      more: [[messagesOf("salon 3")({ fall_status: "unknown", sensor_status: "none" }), "nothing"]],
    },
  ),
];

const HAZARDS: readonly Device[] = [
  sensor(
    "a smoke detector with its stages, its self-test and its faults",
    "bucătărie",
    {
      model: "HS1SA-E",
      vendor: "Heiman",
      exposes: [
        binary("smoke"),
        states("alarm_state", ["normal", "prealarm", "alarmed", "critical_alarm"], { access: 5 }),
        batteryLow,
        binary("test"),
        states("fault", ["none", "smoke_sensor_fault"]),
        states("self_test", ["checking", "check_success", "check_failure"]),
      ],
    },
    {
      zone: "bucatarie",
      kind: "fire",
      normal: { smoke: false, alarm_state: "normal", battery_low: false, test: false },
      open: { smoke: true, alarm_state: "alarmed", battery_low: false, test: false },
      more: [[messagesOf("bucătărie")({ smoke: false, battery_low: true }), "battery"]],
    },
  ),
  sensor(
    "a smoke detector with words for its state and its battery",
    "arhiva",
    {
      exposes: [
        states("smoke_state", ["alarm", "normal"]),
        states("battery_state", ["low", "middle", "high"]),
        binary("lifecycle"),
      ],
    },
    {
      zone: "arhiva",
      kind: "fire",
      doubts: ["check-contact"],
      normal: { smoke_state: "normal", battery_state: "high" },
      open: { smoke_state: "alarm", battery_state: "high" },
      more: [[messagesOf("arhiva")({ smoke_state: "normal", battery_state: "low" }), "battery"]],
    },
  ),
  sensor(
    "a detector of which only the description says that it detects carbon monoxide",
    "centrala",
    {
      description: "Carbon monoxide sensor",
      exposes: [binary("alarm", true, false), battery, binary("end_of_life")],
    },
    {
      zone: "centrala",
      kind: "gas",
      doubts: ["kind-guessed"],
      normal: { alarm: false },
      open: { alarm: true },
    },
  ),
  sensor(
    "a gas detector with both alarms of its standard",
    "subsol",
    { exposes: [binary("gas_alarm_1"), binary("gas_alarm_2"), tamper, binary("test")] },
    {
      zone: "subsol-gas-alarm-2",
      kind: "gas",
      normal: { gas_alarm_1: false, gas_alarm_2: false },
      open: { gas_alarm_1: false, gas_alarm_2: true },
    },
  ),
  sensor(
    "a carbon monoxide detector in words, beside carbon dioxide",
    "atelier",
    {
      exposes: [
        states("co_state", ["normal", "alarm"]),
        states("co2_state", ["normal", "alarm"]),
        numeric("co"),
        binary("preheat"),
      ],
    },
    {
      zone: "atelier",
      kind: "gas",
      doubts: ["check-contact"],
      normal: { co_state: "normal", co2_state: "alarm", co: 0 },
      open: { co_state: "alarm", co2_state: "alarm", co: 90 },
    },
  ),
  sensor(
    "a valve with a leak sensor",
    "apometru",
    {
      exposes: [
        composed("switch", binary("state", "ON", "OFF", SHIFTED)),
        states("water_leakage_state", ["water_leakage_yes", "water_leakage_no"]),
        binary("water_volume_alarm_switch", "ON", "OFF", { access: 3 }),
        states("valve_state", ["close", "open"]),
      ],
    },
    {
      zone: "apometru",
      kind: "flood",
      doubts: ["check-contact"],
      normal: { state: "ON", water_leakage_state: "water_leakage_no", valve_state: "open" },
      open: { state: "ON", water_leakage_state: "water_leakage_yes", valve_state: "open" },
    },
  ),
  sensor(
    "a leak that is called active",
    "boiler",
    { exposes: [binary("active_water_leak"), binary("water_leak", true, false, { access: 2 })] },
    {
      zone: "boiler",
      kind: "flood",
      normal: { active_water_leak: false },
      open: { active_water_leak: true },
    },
  ),
  sensor(
    "a sensor whose alarm is described as vibration",
    "seif",
    {
      exposes: [
        states("alarm_status", ["normal", "alarm"], { description: "Indicates when vibration is detected" }),
        battery,
      ],
    },
    {
      zone: "seif",
      kind: "glass",
      doubts: ["check-contact"],
      normal: { alarm_status: "normal" },
      open: { alarm_status: "alarm" },
    },
  ),
  sensor(
    "a detector of which only the description says that it detects heat",
    "bucătărie",
    { description: "Smart heat alarm", exposes: [binary("alarm"), tamper, batteryLow] },
    {
      zone: "bucatarie",
      kind: "fire",
      doubts: ["kind-guessed"],
      normal: { alarm: false, tamper: false },
      open: { alarm: true, tamper: false },
    },
  ),
  [
    "a sensor that reports blows and movements as actions",
    {
      announced: bridged("vitrină", {
        description: "Vibration sensor",
        exposes: [states("action", ["shake", "triple_strike", "movement"]), battery],
      }),
      zone: "vitrina",
      kind: "glass",
      doubts: ["kind-guessed"],
      steps: [
        [messagesOf("vitrină")({ battery: 100 }), "nothing"],
        [messagesOf("vitrină")({ action: "triple_strike" }), "trip"],
        ["30 s", "restore"],
        [messagesOf("vitrină")({ action: "movement" }), "trip"],
      ],
    },
  ],
];

/** What detects nothing but that it is opened. */
const COVERS: readonly Device[] = [
  sensor(
    "the cover of a siren, whose alarm is its own",
    "sirenă",
    {
      description: "Outdoor siren",
      exposes: [
        binary("alarm"),
        states("alarm_state", ["alarm_sound", "alarm_light", "normal"]),
        states("melody", ["1", "2"], { access: 3 }),
        tamper,
        batteryLow,
      ],
    },
    {
      zone: "sirena",
      kind: "tamper",
      normal: { alarm: false, alarm_state: "normal", tamper: false, battery_low: false },
      open: { alarm: true, alarm_state: "alarm_sound", tamper: true, battery_low: false },
      more: [[messagesOf("sirenă")({ tamper: false, battery_low: true }), "battery"]],
    },
  ),
];

/** Values whose names other makers do not use. */
const OTHERS: readonly Device[] = (
  [
    ["flame", "Flame detector", "fire", []],
    ["shock", "Sensor", "glass", []],
    ["natural_gas", "Sensor", "gas", []],
    ["methane_alarm", "Sensor", "gas", []],
    ["occupied", "Sensor", "motion", []],
    ["person_detected", "Sensor", "motion", []],
    ["panic_button", "Sensor", "panic", ["button-restores-itself", "press-repeated", "supervised-weekly"]],
    ["opened", "Window sensor", "intrusion", ["kind-guessed"]],
    ["wet_floor", "Sensor", "flood", ["kind-guessed"], "Indicates whether the device detected a water leak"],
  ] as const
).map(([name, description, kind, doubts, ownDescription]) =>
  sensor(
    `a sensor with the value ${name}`,
    "ceva",
    {
      description,
      exposes: [
        binary(name, true, false, ownDescription === undefined ? {} : { description: ownDescription }),
        binary("trouble"),
        batteryLow,
        tamper,
      ],
    },
    {
      zone: "ceva",
      kind,
      doubts,
      normal: { [name]: false, tamper: false },
      open: { [name]: true, tamper: false },
    },
  ),
);

const UNKNOWN: Device = sensor(
  "a sensor of which nothing but the tamper is recognised",
  "ceva",
  { description: "Something new", exposes: [binary("deranj"), tamper, batteryLow] },
  {
    zone: "ceva",
    kind: "tamper",
    doubts: ["tamper-only"],
    normal: { tamper: false },
    open: { tamper: true },
  },
);

const REMOTE = [1, 2, 3, 4, 5, 6].flatMap((button) =>
  ["hold", "single", "double", "triple", "release"].map((press) => `button_${button}_${press}`),
);
const PRESSED: readonly Device[] = [
  [
    "a panic button, and its keypad's tamper",
    {
      announced: bridged("tastatură", {
        exposes: [
          states("action", ["disarm", "arm_day_zones", "arm_all_zones", "exit_delay", "emergency"], {
            category: "diagnostic",
          }),
          numeric("action_code"),
          tamper,
          battery,
        ],
      }),
      zone: "tastatura",
      kind: "panic",
      doubts: ["button-restores-itself", "supervised-weekly"],
      steps: [
        [messagesOf("tastatură")({ action: "arm_all_zones", battery: 80 }), "nothing"],
        [messagesOf("tastatură")({ action: "emergency", battery: 80 }), "trip"],
        [messagesOf("tastatură")({ battery: 79, tamper: false }), "nothing"],
        ["30 s", "restore"],
        [messagesOf("tastatură")({ action: "emergency" }), "trip"],
        [messagesOf("tastatură")({ battery: 79, tamper: true }), "tamper"],
      ],
    },
  ],
  [
    "a remote control with more presses than a zone can have, by its buttons",
    {
      announced: bridged("telecomandă", { exposes: [states("action", REMOTE), battery] }),
      zone: "telecomanda-action-button-6",
      kind: "panic",
      doubts: ["kind-guessed", "button-restores-itself", "supervised-weekly"],
      steps: [
        [messagesOf("telecomandă")({ action: "button_1_single" }), "nothing"],
        [messagesOf("telecomandă")({ action: "button_6_triple" }), "trip"],
        ["30 s", "restore"],
      ],
    },
  ],
  [
    "a doorbell's button that its user calls a panic button",
    {
      announced: bridged("Buton panică", {
        description: "Smart doorbell button",
        exposes: [states("action", ["pressed"]), battery],
      }),
      zone: "buton-panica",
      kind: "panic",
      steps: [
        [messagesOf("Buton panică")({ battery: 90 }), "nothing"],
        [messagesOf("Buton panică")({ action: "pressed" }), "trip"],
      ],
    },
  ],
];

/** Devices that are no sensors: what they are, their description, and what is exposed for them. */
export const NO_SENSORS: readonly (readonly [title: string, description: string, exposes: Exposes])[] = [
  ["a siren", "Smart siren", [binary("alarm"), states("melody", ["1", "2"], { access: 3 }), batteryLow]],
  [
    "a siren that reports its state",
    "Siren",
    [states("alarm_state", ["alarm_sound", "alarm_light", "normal"]), batteryLow],
  ],
  ["a sensor that a person carries", "Arrival sensor", [binary("presence"), battery]],
  ["a key fob", "Key fob presence sensor", [binary("presence"), battery]],
  ["the button of a doorbell", "Smart doorbell button", [states("action", ["pressed"]), battery]],
  [
    "a cube",
    "Cube",
    [states("action", ["shake", "throw", "tap", "slide", "flip90", "hold", "side_up", "rotate_left"])],
  ],
  [
    "a plug with a button",
    "Smart plug",
    [composed("switch"), states("action", ["single", "double"]), numeric("power")],
  ],
  [
    "a plug that protects",
    "Smart plug",
    [composed("switch"), binary("emergency_overheat"), binary("power_outage_memory")],
  ],
  ["a sensor that reports only itself", "Smoke sensor", [binary("trouble"), binary("self_test"), batteryLow]],
  ["a lamp", "LED bulb", [composed("light"), states("effect", ["blink"], { access: 2 })]],
  ["a thermometer", "Temperature sensor", [numeric("temperature"), numeric("humidity"), battery]],
  [
    "a soil sensor",
    "Soil sensor",
    [
      numeric("soil_moisture"),
      states("moisture_warning", ["none", "low", "high"]),
      states("water_warning", ["none", "alarm"]),
    ],
  ],
  [
    "a radiator valve",
    "Thermostat",
    [
      composed("climate"),
      binary("window_open", "OPEN", "CLOSE"),
      binary("window_detection", "ON", "OFF", { access: 3 }),
      battery,
    ],
  ],
  [
    "a thermostat with a sound",
    "Thermostat",
    [composed("climate"), binary("sound", "ON", "OFF", { access: 3 })],
  ],
  [
    "a curtain",
    "Curtain motor",
    [composed("cover"), binary("moving"), states("motor_state", ["opening", "closing", "stopped"])],
  ],
  [
    "an air quality sensor",
    "Air quality",
    [numeric("co2"), binary("co2_alarm", "ON", "OFF"), numeric("voc")],
  ],
  [
    "a valve that moves",
    "Garden valve",
    [composed("switch"), states("status", ["ON", "OFF", "MOVING", "STUCK"]), binary("alarm_1")],
  ],
  ["a repeater", "Range extender", [linkquality]],
];

export const ZIGBEE_DEVICES: readonly Device[] = [
  ...DOORS,
  ...MOTION,
  ...HAZARDS,
  ...COVERS,
  ...OTHERS,
  UNKNOWN,
  ...PRESSED,
];

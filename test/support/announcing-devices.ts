import { connectAsync, type MqttClient } from "mqtt";

/** Devices of several makes at one broker, each announcing itself as its maker documents it. */
export class AnnouncingDevices {
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
  }

  static async at(url: string): Promise<AnnouncingDevices> {
    const client = await connectAsync(url);
    client.on("error", () => "the broker is away on purpose");
    const devices = new AnnouncingDevices(client);
    client.on("message", (topic, payload) => devices.#asked(topic, payload.toString()));
    await client.subscribeAsync(["shellies/command", "+/rpc", "frigate/onConnect"]);
    for (const [topic, message] of RETAINED) await devices.send(topic, message, true);
    return devices;
  }

  /** Publishes a text as it is, anything else as JSON. */
  async send(topic: string, message: unknown, retain = false): Promise<void> {
    const payload = typeof message === "string" ? message : JSON.stringify(message);
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  end(): Promise<void> {
    return this.#client.endAsync(true);
  }

  #asked(topic: string, payload: string): void {
    if (topic === "shellies/command" && payload === "announce")
      for (const device of SHELLIES) void this.send("shellies/announce", device);
    if (topic === "frigate/onConnect") void this.send("frigate/camera_activity", CAMERAS);
    const id = /^(.+)\/rpc$/.exec(topic)?.[1];
    if (id === undefined) return;
    const {
      id: call,
      src,
      method,
      params,
    } = JSON.parse(payload) as {
      id: number;
      src: string;
      method: string;
      params?: { offset?: number };
    };
    const answer = (SHELLY_RPC[id] ?? {})[params?.offset ? `${method} ${params.offset}` : method];
    if (answer !== undefined) void this.send(`${src}/rpc`, { id: call, src: id, dst: src, result: answer });
  }
}

const binary = (property: string, on: unknown = true, off: unknown = false) => ({
  type: "binary",
  name: property,
  label: property,
  property,
  access: 1,
  value_on: on,
  value_off: off,
});
const numeric = (property: string) => ({ type: "numeric", name: property, property, access: 1 });
const zigbee = (ieee_address: string, friendly_name: string, exposes: unknown) => ({
  ieee_address,
  friendly_name,
  type: "EndDevice",
  supported: true,
  disabled: false,
  power_source: "Battery",
  definition: { model: "SNZB-04", vendor: "SONOFF", description: "Contact sensor", exposes },
});

const TASMOTA = {
  ip: "192.168.1.40",
  dn: "Hol",
  fn: ["Hol", null],
  hn: "tasmota-3D5E26-7718",
  mac: "A4CF123D5E26",
  md: "Sonoff Basic",
  ofln: "Offline",
  onln: "Online",
  state: ["OFF", "ON", "TOGGLE", "HOLD"],
  sw: "13.4.0",
  t: "tasmota_3D5E26",
  ft: "%prefix%/%topic%/",
  tp: ["cmnd", "stat", "tele"],
  rl: [1, 0],
  swc: [1, 15, -1],
  swn: ["Usa", null, null],
  btn: [0, 0],
  so: { "4": 0, "73": 0, "114": 1 },
  ver: 1,
};

const RETAINED: readonly (readonly [topic: string, message: unknown])[] = [
  ["zigbee2mqtt/bridge/info", { version: "2.1.0", config: { advanced: { output: "json" } } }],
  ["zigbee2mqtt/bridge/state", { state: "online" }],
  [
    "zigbee2mqtt/bridge/devices",
    [
      {
        ieee_address: "0x00124b0000000001",
        friendly_name: "Coordinator",
        type: "Coordinator",
        definition: null,
      },
      zigbee("0x00158d0001a2b3c4", "poarta", [
        numeric("battery"),
        binary("contact", false, true),
        binary("tamper"),
        binary("battery_low"),
      ]),
      zigbee("0x005043c95f277c80", "baie/apa", [binary("water_leak"), numeric("battery")]),
      zigbee("0x00158d0000000abc", "buton", [
        { type: "enum", name: "action", property: "action", access: 1, values: ["emergency", "single"] },
      ]),
      zigbee("0x00158d0000000def", "lampa", [{ type: "light", features: [binary("state", "ON", "OFF")] }]),
    ],
  ],
  ["zigbee2mqtt/poarta/availability", { state: "online" }],
  ["tasmota/discovery/A4CF123D5E26/config", TASMOTA],
  [
    "tasmota/discovery/A4CF123D5E26/sensors",
    { sn: { Time: "2026-01-01T00:00:00", Usa: "OFF", Switch2: "OFF" }, ver: 1 },
  ],
  ["tele/tasmota_3D5E26/LWT", "Online"],
  ["shellyplusi4-a8032ab1fe78/online", "true"],
  ["shellyblugwg3-e4b063d4a1c0/online", "true"],
  ["frigate/available", "online"],
  [
    "homeassistant/binary_sensor/livingroom/front_door/config",
    {
      "~": "livingroom",
      dev_cla: "door",
      name: "Front door",
      stat_t: "~/binary_sensor/front_door/state",
      avty_t: "~/status",
      dev: { ids: "5ccf7f", name: "Living room", mf: "Espressif" },
    },
  ],
  [
    "homeassistant/device/ring-1/config",
    {
      dev: { ids: ["ring-1"], name: "Ring" },
      o: { name: "bridge" },
      cmps: {
        motion: {
          p: "binary_sensor",
          dev_cla: "motion",
          name: "Motion",
          stat_t: "ring/1/motion/state",
          val_tpl: "{{ value }}",
          avty: [{ t: "ring/1/status" }],
        },
        battery: {
          p: "sensor",
          dev_cla: "battery",
          stat_t: "ring/1/info/state",
          val_tpl: '{{ value_json["batteryLevel"] | default("") }}',
        },
      },
    },
  ],
  // A zone of zigbee2mqtt that it announces for Home Assistant too.
  [
    "homeassistant/binary_sensor/0x00158d0001a2b3c4/contact/config",
    {
      device: { identifiers: ["zigbee2mqtt_0x00158d0001a2b3c4"], name: "poarta" },
      device_class: "door",
      payload_off: true,
      payload_on: false,
      state_topic: "zigbee2mqtt/poarta",
      value_template: "{{ value_json.contact }}",
    },
  ],
];

const SHELLIES = [
  { id: "shellydw2-A4CF12F43189", model: "SHDW-2", mac: "A4CF12F43189", ip: "192.168.1.41", fw_ver: "v1.14" },
  { id: "shellyflood-7A2B3C", model: "SHWT-1", mac: "E868E77A2B3C", ip: "192.168.1.42", fw_ver: "v1.14" },
];

const CAMERAS = { curte: { motion: false, objects: [] }, strada: { motion: false, objects: [] } };

const BLU = "3c:2e:f5:71:d5:2a";
const object = (id: number, obj_id: number) => ({
  key: `bthomesensor:${id}`,
  config: { id, addr: BLU, name: null, obj_id, idx: 0 },
  status: { id, value: null },
});
const SHELLY_RPC: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "shellyplusi4-a8032ab1fe78": {
    "Shelly.GetDeviceInfo": {
      name: "Intrare",
      id: "shellyplusi4-a8032ab1fe78",
      mac: "A8032AB1FE78",
      model: "SNSN-0024X",
      gen: 2,
      app: "PlusI4",
    },
    "Shelly.GetConfig": {
      "input:0": { id: 0, name: "Ușa din spate", type: "switch", invert: false },
      "input:1": { id: 1, name: "Panică", type: "button", invert: false },
      mqtt: { enable: true, topic_prefix: "shellyplusi4-a8032ab1fe78", rpc_ntf: true, status_ntf: false },
    },
    "Shelly.GetComponents": { components: [], cfg_rev: 1, offset: 0, total: 0 },
  },
  "shellyblugwg3-e4b063d4a1c0": {
    "Shelly.GetDeviceInfo": { name: null, id: "shellyblugwg3-e4b063d4a1c0", model: "S3GW-1DBT001", gen: 3 },
    "Shelly.GetConfig": { mqtt: { enable: true, rpc_ntf: true, status_ntf: false } },
    "Shelly.GetComponents": {
      components: [
        {
          key: "bthomedevice:200",
          config: { id: 200, addr: BLU, name: "Geam birou" },
          status: { id: 200, battery: 100 },
        },
        object(200, 45),
      ],
      cfg_rev: 4,
      offset: 0,
      total: 4,
    },
    "Shelly.GetComponents 2": {
      components: [object(201, 1), object(202, 5)],
      cfg_rev: 4,
      offset: 2,
      total: 4,
    },
  },
};

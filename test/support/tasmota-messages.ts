import type { Message } from "./device-scenarios.ts";

const MAC = "A4CF123D5E26";
const NONE = Array.from({ length: 28 }, () => -1);

/** What a device says of itself at its factory setting: its switches are in the telemetry only. */
export function announced(
  config: Record<string, unknown>,
  telemetry: Record<string, unknown> = {},
): Message[] {
  const shipped = {
    ip: "192.168.1.40",
    dn: "Hol",
    fn: ["Hol", null, null, null, null, null, null, null],
    hn: "tasmota-3D5E26-7718",
    mac: MAC,
    md: "Generic",
    ty: 0,
    if: 0,
    ofln: "Offline",
    onln: "Online",
    state: ["OFF", "ON", "TOGGLE", "HOLD"],
    sw: "14.4.1",
    t: "tasmota_3D5E26",
    ft: "%prefix%/%topic%/",
    tp: ["cmnd", "stat", "tele"],
    rl: [0, 0, 0, 0],
    swc: NONE,
    swn: NONE.map(() => null),
    btn: [0, 0, 0, 0],
    so: { "4": 0, "11": 0, "13": 0, "17": 0, "20": 0, "30": 0, "68": 0, "73": 0, "82": 0, "114": 0 },
    bat: 0,
    dslp: 0,
    ver: 1,
    ...config,
  };
  return [
    [`tasmota/discovery/${MAC}/sensors`, { sn: { Time: "2026-01-01T00:00:00", ...telemetry }, ver: 1 }],
    [`tasmota/discovery/${MAC}/config`, shipped],
    ["tele/tasmota_3D5E26/LWT", "Online"],
  ];
}

export const detached = (mode: number, more: Record<string, unknown> = {}): Message[] =>
  announced({ swc: [mode, -1], swn: ["Switch1", null], so: { "4": 0, "73": 0, "114": 1 }, ...more });
export const result = (action: string, label = "Switch1"): Message => [
  "stat/tasmota_3D5E26/RESULT",
  { [label]: { Action: action } },
];
export const telemetry = (fields: Record<string, unknown>): Message => [
  "tele/tasmota_3D5E26/SENSOR",
  { Time: "2026-01-01T00:05:00", ...fields },
];
export const RADIO = "tele/tasmota_3D5E26/RESULT";
export const radio = (code: string | number): Message => [
  RADIO,
  {
    Time: "2026-01-01T00:05:00",
    RfReceived: { Sync: 12540, Low: 420, High: 1250, Data: code, RfKey: "None" },
  },
];

/** What a person should check before a proposed zone is used. */
export interface Doubt {
  readonly code: DoubtCode;
  readonly values?: Readonly<Record<string, string>>;
}

/** Sentences by code, with values in braces; the panel translates by code. */
const DOUBTS = {
  "computed-value":
    "the value is computed ({template}): check the path and the values that mean open and normal",
  "no-device-class": "the device does not report its device class",
  "kind-guessed": "the device does not report what this contact is: check the kind",
  "check-contact": "check which value means open: it depends on the wiring",
  "telemetry-only":
    "a change is reported only with the periodic telemetry. Set {option} on the device, so that it is reported at once",
  "press-mode":
    "the switch reports presses, as a button does ({mode}). For a contact set {option} on the device",
  "radio-code":
    "the zone opens with the code {code} and returns to normal after autoRestoreS: check that your sensor sends it; if it also sends a code when it closes, add that code to normal",
  "frigate-release":
    "reviews need Frigate 0.14 or later, and none has arrived yet: with an older release use the zone on events, otherwise the one on reviews",
  "frigate-availability":
    "this release of Frigate reports only whether detection is switched on: a camera that fails still counts as available. Later releases report its failure: update Frigate and search again",
  "notifications-off": "the device does not report changes. Switch on {option} in its MQTT settings",
  "wake-up-reports":
    "some firmware reports open for 1 to 2 s at a wake-up; confirmMs filters these out, and short openings too",
  "button-restores-itself": "the button sends no release: the zone returns to normal after autoRestoreS",
  "gate-for-others":
    "the zone opens when the alarm panel reports an alarm. To dispatch trips of other devices' zones only while it is armed, add gate: {gate}",
  "gate-of-panel":
    "its trips are dispatched only while the alarm panel is armed ({topic}): remove armed_home and armed_night from gate if it is crossed by people at home",
  "vibration-tamper":
    "vibration is reported as tamper, and a slammed door may raise it: remove tamper if that happens",
  "tamper-only":
    "of this device only the tamper is recognised: if it also detects something, add a zone that reads that value",
  "tamper-computed": "the tamper is computed ({template}): check it, and add it if it is missing",
  "tamper-of-zone":
    "zone {zone} already reads this tamper: remove it there before you add this zone, because both would report it",
  "battery-left-out": "the device reports a low battery, but not its end: the report is left out",
  "zones-confirm":
    "each zone of this alarm panel counts as a device of its own, so that two of them confirm an alarm: give those that must not confirm each other, such as the alarm of the alarm panel itself and its detectors, the same device",
  "codes-one-device":
    "the codes on this topic count as one device, so that two of them do not confirm an alarm: give each detector its own device",
  "availability-left-out":
    "a zone reads its own availability and that of one bridge; these further topics are left out: {topics}",
  "press-repeated":
    "the device repeats its last press with each periodic update, and each repetition trips the zone. Set {option} on the device",
  "supervised-weekly":
    "the device reports only presses: without any for a week it counts as missing. Press it once a week, or change supervisionTimeoutS",
  "missed-while-offline":
    "a change while the connection is interrupted is not reported afterwards. Set {option} on the device: its telemetry repeats the state",
  "missed-on-events":
    "a change while the connection is interrupted is not reported afterwards. Switch on {option} on the device and search again: the zone is then read from a topic that repeats the state",
  rain: "the sensor is set to report rain: choose another kind, or set it to detect leaks",
} as const;

export type DoubtCode = keyof typeof DOUBTS;

/** The doubt as an English sentence. */
export function doubtText({ code, values = {} }: Doubt): string {
  return DOUBTS[code].replaceAll(/\{(\w+)\}/g, (braced, name: string) => values[name] ?? braced);
}

/** What to check in a proposed zone, in English. */
export const EN_DOUBTS = {
  "doubt.computed-value":
    "The value is computed ({template}): check the path and the values that mean open and normal.",
  "doubt.no-device-class": "The device does not report its device class.",
  "doubt.kind-guessed": "The device does not report what this contact is: check the zone type.",
  "doubt.check-contact": "Check which value means open: it depends on the wiring.",
  "doubt.telemetry-only":
    "A change is reported only with the periodic telemetry. Set {option} on the device, so that it is reported at once.",
  "doubt.press-mode":
    "The switch reports presses, as a button does ({mode}). For a contact set {option} on the device.",
  "doubt.radio-code":
    "The zone opens with the code {code} and returns to normal after autoRestoreS. Check that your sensor sends it. If it also sends a code when it closes, add that code to “Values that mean normal”.",
  "doubt.frigate-release":
    "Reviews need Frigate 0.14 or later, and none has arrived yet. With an older release use the zone on events, otherwise the one on reviews.",
  "doubt.frigate-availability":
    "This release of Frigate reports only whether detection is switched on: a camera that fails still counts as available. Later releases report its failure: update Frigate and search again.",
  "doubt.notifications-off": "The device does not report changes. Switch on {option} in its MQTT settings.",
  "doubt.wake-up-reports":
    "Some firmware reports open for 1 to 2 s at a wake-up; the confirmation time filters these out, and short openings too.",
  "doubt.button-restores-itself":
    "The button sends no release: the zone returns to normal after autoRestoreS.",
  "doubt.gate-for-others":
    "The zone opens when the alarm panel reports an alarm. To dispatch trips of other devices' zones only while it is armed, add gate: {gate}",
  "doubt.gate-of-panel":
    "Its trips are dispatched only while the alarm panel is armed ({topic}). Remove armed_home and armed_night from its arming condition if people who are at home pass this sensor.",
  "doubt.vibration-tamper":
    "Vibration is reported as tamper, and a slammed door may raise it: clear “Tamper” if that happens.",
  "doubt.tamper-only":
    "Of this device only the tamper is recognised: if it also detects something, add a zone that reads that value.",
  "doubt.tamper-computed": "The tamper is computed ({template}): check it, and add it if it is missing.",
  "doubt.tamper-of-zone":
    "Zone {zone} already reads this tamper: remove it there before you add this zone, because both would report it.",
  "doubt.battery-left-out": "The device reports a low battery, but not its end: the report is left out.",
  "doubt.zones-confirm":
    "Each zone of this alarm panel counts as a device of its own, so that two of them confirm an alarm. Give those that must not confirm each other, such as the alarm of the alarm panel itself and its detectors, the same “Device”.",
  "doubt.codes-one-device":
    "The codes on this topic count as one device, so that two of them do not confirm an alarm. Give each detector its own “Device”.",
  "doubt.availability-left-out":
    "A zone reads its own availability and that of one bridge. These further topics are left out: {topics}",
  "doubt.press-repeated":
    "The device repeats its last press with each periodic update, and each repetition trips the zone. Set {option} on the device.",
  "doubt.supervised-weekly":
    "The device reports only presses: without any for a week it counts as missing. Press it once a week, or change “Supervision time (s)”.",
  "doubt.missed-while-offline":
    "A change while the connection is interrupted is not reported afterwards. Set {option} on the device: its telemetry repeats the state.",
  "doubt.missed-on-events":
    "A change while the connection is interrupted is not reported afterwards. Switch on {option} on the device and search again: the zone is then read from a topic that repeats the state.",
  "doubt.rain": "The sensor is set to report rain: choose another zone type, or set it to detect leaks.",
} as const;

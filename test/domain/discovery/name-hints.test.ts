import { expect, test } from "vitest";
import { kindOfName } from "../../../src/domain/discovery/name-hints.ts";

/* Names of contacts as installers write them, with the kind that they expect. */

test.each([
  [
    "intrusion",
    "Ușă apartament 5, usa2, Uși balcon, Ușile din spate, Ferestre etaj, Garden door, Fireplace door, Ușă fumoar",
  ],
  ["intrusion", "Emergency exit, Fire door 2, Ieșire de urgență, Ușă de incendiu, Geam dormitor, Garaj"],
  ["perimeter", "Poarta șosea, Gard, gate1, Front gate, Gardul din spate, Poarta din spate"],
  ["flood", "Senzor apă, Apa baie, Scurgere apei, waterleak, Inundație pivniță"],
  ["fire", "Fire alarm, fire1, firealarm, Detector fum 1, Heat detector, Detector de căldură, Fumul din hol"],
  ["fire", "Smoke detector fire door, Senzor de incendiu ieșire de urgență, Incendiu etaj"],
  ["gas", "Detector de gaze, Gaz bucătărie, Detector CO, gas1, Carbon monoxide"],
  ["panic", "Buton panică, SOS, sos2, Emergency button, Buton de urgență"],
  ["medical", "Buton medical, Urgență medicală, Medical pendant"],
  ["motion", "PIR1, Hol PIR, Mișcare hol, Mișcări hol, Radar"],
  ["glass", "Detector spargere geam, Geam spart, Glass break"],
  ["tamper", "Tamper, Sabotaj centrală"],
] as const)("%s: %s", (kind, names) => {
  expect(names.split(", ").map((name) => [name, kindOfName(name)])).toEqual(
    names.split(", ").map((name) => [name, kind]),
  );
});

test.each(["Gateway input 1", "Garderobă", "Aparat", "Usage", "Input 3", "CO2"])(
  "%s says nothing",
  (name) => {
    expect(kindOfName(name)).toBeUndefined();
  },
);

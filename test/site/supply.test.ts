import { expect, test } from "vitest";
import type { Contact } from "../../src/domain/zone.ts";
import { supplyOf } from "../../src/site/supply.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";

const ON_BATTERY = { mains: "mains", batteryLow: "battery", powerOffAfterMs: 90_000 };
const zoneOf = (id: string, contact: Contact, more: Partial<ZoneView> = {}): ZoneView =>
  ({ id, name: id, kind: "power", source: "gpio", contact, since: null, ...more }) as ZoneView;
const site = (mains: Contact, battery: Contact, voltage: Contact): ZoneView[] => [
  zoneOf("door", "open", { kind: "intrusion" }),
  zoneOf("mains", mains),
  zoneOf("battery", battery),
  zoneOf("voltage", voltage, { source: "supply" }),
];

test.each([
  ["normal", "normal", "normal", "sufficient"],
  ["open", "normal", "normal", "on-battery"],
  ["open", "unknown", "open", "on-battery"],
  ["open", "open", "normal", "battery-low"],
  ["normal", "open", "normal", "charging"],
  ["normal", "normal", "open", "under-voltage"],
  ["unknown", "open", "open", "under-voltage"],
  ["unknown", "normal", "normal", "unknown"],
  ["normal", "open", "unknown", "unknown"],
] as const)("mains %s, battery %s, voltage %s: %s", (mains, battery, voltage, state) => {
  expect(supplyOf(site(mains, battery, voltage), ON_BATTERY)).toMatchObject({
    state,
    powerOffAfterS: 90,
    zones: [
      { id: "mains", watches: "mains", contact: mains },
      { id: "battery", watches: "battery", contact: battery },
      { id: "voltage", watches: "voltage", contact: voltage },
    ],
  });
});

test("without a power-off each zone of a line is mains", () => {
  expect(supplyOf(site("normal", "normal", "normal"), null)).toMatchObject({
    state: "sufficient",
    powerOffAfterS: null,
    zones: [{ watches: "mains" }, { watches: "mains" }, { watches: "voltage" }],
  });
});

test("a site without such a zone shows no supply", () => {
  expect(supplyOf([zoneOf("door", "open", { kind: "intrusion" })], null)).toBeNull();
});

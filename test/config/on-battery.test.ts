import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

const zone = (id: string, kind: string): string =>
  `  - { id: ${id}, name: ${id}, kind: ${kind}, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n`;

function load(section: string) {
  const file = join(folder, "site.yaml");
  writeFileSync(
    file,
    `objectives: { obiective/cladiri: [{ id: 1, name: Hall }] }\n${section}\n` +
      `zones:\n${zone("mains", "power")}${zone("low", "power")}${zone("door", "intrusion")}`,
  );
  return loadConfiguration({ file, env: {}, cwd: folder });
}

test("a machine is powered off only with the section", () => {
  expect(load("").onBattery).toBeNull();
  expect(load("onBattery: { mains: mains, batteryLow: low, powerOffAfterS: 90 }").onBattery).toEqual({
    mains: "mains",
    batteryLow: "low",
    powerOffAfterMs: 90_000,
  });
});

describe("an error is reported", () => {
  test.each([
    ["a zone that does not exist", "{ mains: grid, powerOffAfterS: 90 }", /zone grid does not exist/],
    ["a zone of another kind", "{ mains: door, powerOffAfterS: 90 }", /zone door is of kind intrusion/],
    ["one zone for both", "{ mains: mains, batteryLow: mains }", /the same. Use two zones/],
    ["a section without effect", "{ mains: mains }", /set powerOffAfterS, batteryLow or both/],
    ["a time too short", "{ mains: mains, powerOffAfterS: 5 }", /powerOffAfterS/],
  ])("%s", (_what, section, message) => {
    expect(() => load(`onBattery: ${section}`)).toThrow(message);
  });
});

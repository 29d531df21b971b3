import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The warnings about zones with these gates; the zones are `a`, `b` and so on. */
function warningsFor(gates: readonly string[], kind = "intrusion"): readonly string[] {
  const folder = temporaryFolder();
  const file = join(folder, "santinela.yaml");
  const zones = gates.map(
    (gate, index) =>
      `  - { id: ${"abc"[index]}, name: Z${index}, kind: ${kind}, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: ${index + 1} }, gate: ${gate} }\n`,
  );
  const objectives = "objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }\n";
  writeFileSync(file, `${objectives}zones:\n${zones.join("")}`);
  return loadConfiguration({ file, env: {}, cwd: folder }).warnings;
}

test("a schedule that leaves out the night after a whole day causes a warning, once for all its zones", () => {
  const gap = '{ schedule: "mon-fri 18:00-07:00, sat-sun" }';
  const text =
    'the schedule "mon-fri 18:00-07:00, sat-sun" disarms on mon from 00:00 to 18:00, after a whole day: a range belongs to the days on which it starts, as in "sun-fri 18:00-07:00, sat-sun"';
  expect(warningsFor([gap])).toEqual([`zone a: ${text}`]);
  expect(warningsFor([gap, gap])).toEqual([`several zones: ${text}`]);
  expect(translateToRomanian(`zone a: ${text}`)).toMatch(/^zona a: programul "mon-fri .* ziua „mon”/);
  expect(translateToRomanian(`several zones: ${text}`)).toMatch(/^mai multe zone: programul "mon-fri /);
  expect(warningsFor(['{ schedule: "sun-fri 18:00-07:00, sat-sun" }'])).toEqual([]);
  // Its gate is ignored, of which there is another warning.
  expect(warningsFor([gap], "fire")).toEqual([expect.stringContaining("its gate is ignored")]);
});

test("a gate without normal causes a warning, unless its topic has only two values", () => {
  const gate = "{ mqtt: alarmo/state, open: [armed_away, armed_night] }";
  const text =
    "its gate has no normal: armed_away, armed_night arms, and every other value disarms. Add the values that disarm, such as normal: [disarmed]";
  expect(warningsFor([gate])).toEqual([`zone a: ${text}`]);
  expect(warningsFor([gate, gate])).toEqual([`several zones: ${text}`]);
  expect(translateToRomanian(`zone a: ${text}`)).toMatch(/^zona a: gate nu are normal: armed_away, /);
  expect(translateToRomanian(`several zones: ${text}`)).toMatch(/^mai multe zone: gate nu are normal/);
  const twoValued = ["open: [ON]", "open: [true]", "open: [0]", "open: [armed]", "open: [4], bits: 4"];
  for (const values of [...twoValued, "open: [armed_away], normal: [disarmed]"])
    expect(warningsFor([`{ mqtt: keypad, ${values} }`])).toEqual([]);
  expect(warningsFor(["{ mqtt: keypad, open: [4], bits: 6 }"])).toHaveLength(1);
});

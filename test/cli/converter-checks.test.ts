import { expect, test } from "vitest";
import { converterChecks } from "../../src/cli/converter-checks.ts";
import { FakeConverters } from "../support/fake-converters.ts";
import { zoneOf } from "../support/monitored-zones.ts";

test("the doctor measures each loop, and says which cannot be measured", async () => {
  const eol = { normal: "2k2", alarm: "4k4", pullUp: "2k2" };
  const loopAt = (id: string, adc: string, channel: number) => zoneOf({ id, input: { adc, channel, eol } });
  const converters = new FakeConverters();
  converters.plug("1-0048", "ads1115", 0, [2200, 3000, Infinity]);
  const zones = [
    loopAt("hall", "ads1115", 0),
    loopAt("yard", "1-0048", 1),
    loopAt("shed", "1-0048", 2),
    loopAt("roof", "1-0048", 3),
    loopAt("gate", "mcp3424", 0),
    zoneOf({ id: "door", input: { gpio: 17 } }),
  ];
  const results = await converterChecks({ zones }, converters.root);
  expect(results.map(({ check, status, text }) => `${status} ${check}: ${text}`)).toEqual([
    "ok Loop hall: normal, 2200 Ω at input 0 of ads1115",
    "warning Loop yard: outside, 3000 Ω at input 1 of 1-0048",
    "warning Loop shed: cut at input 2 of 1-0048",
    expect.stringMatching(/^error Loop roof: not read: /),
    "error Loop gate: not read: no converter is called mcp3424 (found: ads1115 = 1-0048)",
  ]);
  expect(results.filter(({ status, remedy }) => status !== "ok" && !remedy)).toEqual([]);
  converters.remove();
});

test("the doctor waits two seconds for a converter that does not answer, and not for each of its loops", async () => {
  const eol = { normal: "2k2", alarm: "4k4", pullUp: "2k2" };
  const loopAt = (id: string, channel: number) => zoneOf({ id, input: { adc: "1-0048", channel, eol } });
  const converters = new FakeConverters();
  converters.plug("1-0048", "ads1115", 0, [2200, 2200]);
  const release = converters.hang("1-0048", 0);
  const results = await converterChecks({ zones: [loopAt("hall", 0), loopAt("yard", 1)] }, converters.root);
  expect(results.map(({ check, status, text }) => `${status} ${check}: ${text}`)).toEqual([
    "error Loop hall: not read: no answer within 2 s",
    "error Loop yard: not read: no answer within 2 s",
  ]);
  expect(results.map(({ remedy }) => remedy)).toEqual(
    Array(2).fill("Check its supply and its I2C or SPI wires."),
  );
  await release();
  converters.remove();
});

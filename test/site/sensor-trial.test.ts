import { expect, test } from "vitest";
import { SystemClock } from "../../src/ops/system-clock.ts";
import { FakeConverters } from "../support/fake-converters.ts";
import { LoopTrials } from "../../src/site/loop-trial.ts";
import { SensorTrial, trialInputOf } from "../../src/site/sensor-trial.ts";

const CONTACT = { mqtt: "zigbee2mqtt/poarta", path: "/contact", open: [false], normal: [true] };
const message = (payload: unknown, topic = "zigbee2mqtt/poarta", isRetained = false) => ({
  topic,
  payload: Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
  isRetained,
  atMs: Date.UTC(2026, 10, 22),
});

test("a sensor that is tried out is read as its zone would read it", () => {
  const trial = new SensorTrial(CONTACT);
  trial.take(message({ contact: true }, "zigbee2mqtt/poarta", true));
  trial.take(message({ contact: false, battery: 60 }));
  trial.take(message({ battery: 59 }));
  trial.take(message({ contact: false }, "zigbee2mqtt/alta"));
  trial.take(message("not JSON"));
  expect(trial.readings.map(({ contact, value, isEarlier }) => [contact, value, isEarlier])).toEqual([
    ["normal", true, true],
    ["open", false, false],
    ["unknown", null, false],
  ]);
  expect(trial.readings[1]?.message).toEqual({
    topic: "zigbee2mqtt/poarta",
    payload: '{"contact":false,"battery":60}',
    at: "2026-11-22T00:00:00.000Z",
    isRetained: false,
  });
});

test("conditions leave out the messages of other devices on the same topic", () => {
  const trial = new SensorTrial({
    mqtt: "433/rx",
    path: "/state",
    open: ["open"],
    where: [{ path: "/id", in: [7] }],
  });
  trial.take(message({ id: 8, state: "open" }, "433/rx"));
  trial.take(message({ id: 7, state: "closed" }, "433/rx"));
  expect(trial.readings.map(({ contact }) => contact)).toEqual(["normal"]);
});

test("only the newest twenty readings are kept", () => {
  const trial = new SensorTrial(CONTACT);
  for (let round = 0; round < 50; round += 1) trial.take(message({ contact: round % 2 === 0 }));
  expect(trial.readings).toHaveLength(20);
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["no values that mean open", { mqtt: "a" }],
  ["an empty topic", { mqtt: "", open: [1] }],
  ["a path that is not a JSON Pointer", { mqtt: "a", open: [1], path: "contact" }],
  ["a list of lists", { mqtt: "a", open: [[1]] }],
  ["conditions without a path", { mqtt: "a", open: [1], where: [{}] }],
  ["a line that no chip has", { gpio: 4000 }],
  ["an unknown contact type", { gpio: 4, contact: "both" }],
  ["a loop without resistors", { adc: "ads1115", channel: 0 }],
  [
    "a resistance that is none",
    { adc: "ads1115", channel: 0, eol: { normal: "x", alarm: "4k4", pullUp: 1 } },
  ],
])("an input with %s is rejected", (_what, input) => {
  expect(() => trialInputOf(input)).toThrow(/as in the configuration/);
});

test("an input is taken without options that only the zone has", () => {
  expect(trialInputOf({ ...CONTACT, dedupe: { path: "/id" } })).toEqual({ source: "mqtt", ...CONTACT });
  expect(trialInputOf({ gpio: 17, bias: "pull-up" })).toEqual({ source: "gpio", gpio: 17, contact: "nc" });
});

test("a loop that is tried out is measured once for each request, with its state and its ohms", async () => {
  const converters = new FakeConverters();
  const trials = new LoopTrials(new SystemClock(), converters.root);
  const input = { adc: "1-0048", channel: 1, eol: { normal: "2k2", alarm: 4400, pullUp: "2k2" } };
  const read = async (): Promise<unknown> => {
    const trial = trialInputOf(input);
    if (trial.source !== "adc") return expect.fail("it is a loop");
    const [reading] = await trials.read(trial);
    return reading && [reading.contact, reading.value];
  };
  expect(await read()).toBeUndefined();
  converters.plug("1-0048", "ads1115", 0, [0, 2200]);
  expect(await read()).toEqual(["normal", "normal, 2200 Ω"]);
  converters.measure("1-0048", 1, 4400);
  expect(await read()).toEqual(["open", expect.stringMatching(/^alarm, 4(399|400) Ω$/)]);
  converters.measure("1-0048", 1, Infinity);
  expect(await read()).toEqual(["unknown", "cut"]);
  converters.remove();
});

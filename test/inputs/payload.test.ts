import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAYLOAD_BYTES_MAX } from "../../src/inputs/message-content.ts";
import { ZoneTopics } from "../../src/inputs/zone-topics.ts";
import type { Availability, Battery, MqttInput } from "../../src/generated/types.ts";
import { zoneOf } from "../support/monitored-zones.ts";

type Rule = Omit<MqttInput, "mqtt">;
type Case = readonly [payload: string, rule: Rule, expected: string];

const CONTACT: Rule = { path: "/contact", open: [false], normal: [true] };

describe("the payload of a message", () => {
  const cases: readonly Case[] = [
    ['{"contact":false}', CONTACT, "open"],
    ['{"contact":true}', CONTACT, "normal"],
    ['{"contact":"False"}', CONTACT, "open"],
    ['{"contact":"maybe"}', CONTACT, "unknown"],
    ['{"contact":null}', CONTACT, "unknown"],
    ['{"contact":[false]}', CONTACT, "unknown"],
    ['{"contact":{"value":false}}', CONTACT, "unknown"],
    ['{"battery":60}', CONTACT, "unknown"],
    ['{"__proto__":{"contact":false}}', CONTACT, "unknown"],
    ["false", CONTACT, "unknown"],
    ["null", CONTACT, "unknown"],
    ["{", CONTACT, "not-json"],
    ["", CONTACT, "unknown"],
    ["  \n", CONTACT, "unknown"],
    // Without a normal value anything but the open value is normal.
    ['{"smoke":0}', { path: "/smoke", open: [1] }, "normal"],
    ['{"smoke":null}', { path: "/smoke", open: [1] }, "unknown"],
    ['{"smoke":"1"}', { path: "/smoke", open: [1] }, "open"],
    ['{"smoke":1.0}', { path: "/smoke", open: ["1"] }, "open"],
    // JSON Pointer (RFC 6901).
    ['{"Switch1":{"Action":"ON"}}', { path: "/Switch1/Action", open: ["on"] }, "open"],
    ['{"a/b":{"m~n":"x"}}', { path: "/a~1b/m~0n", open: ["x"] }, "open"],
    ['{"a":["x","y"]}', { path: "/a/1", open: ["y"] }, "open"],
    ['{"a":["x","y"]}', { path: "/a/length", open: [2] }, "unknown"],
    ['{"":"x"}', { path: "/", open: ["x"] }, "open"],
    ['{"a":"x"}', { path: "/constructor/name", open: ["Object"] }, "unknown"],
    ['{"a":"x"}', { path: "/a/length", open: [1] }, "unknown"],
    // A bare value.
    ["True", { open: ["true"] }, "open"],
    ["ON", { open: ["on"] }, "open"],
    ["on ", { open: ["ON"] }, "open"],
    ["1", { open: [1] }, "open"],
    ["1", { open: ["1"] }, "open"],
    ["0", { open: [1] }, "normal"],
    ["true", { open: [true], normal: [false] }, "open"],
    ['"open"', { open: ["open"] }, "open"],
    ["heavy", { open: ["mild", "heavy"] }, "open"],
    ["1", { open: [true] }, "open"],
    ["False", { open: [0] }, "open"],
    ["2", { open: [true] }, "normal"],
    // Values that mean "unknown", unless a rule uses them.
    ["999", { open: ["ON"] }, "unknown"],
    ['{"lux":-1}', { path: "/lux", open: [1] }, "unknown"],
    ["unavailable", { open: ["ON"] }, "unknown"],
    ["none", { open: ["ON"] }, "unknown"],
    // In an object a missing value is null.
    ['{"alarm":"none"}', { path: "/alarm", open: ["smoke"] }, "normal"],
    ['{"alarm":null}', { path: "/alarm", open: ["smoke"] }, "unknown"],
    ['{"alarm":"None"}', { path: "/alarm", open: ["smoke"], normal: ["idle"] }, "unknown"],
    ["999", { open: [999] }, "open"],
    ["-1", { open: [1], normal: [-1] }, "normal"],
    ['{"state":"ON"}', { open: ["ON"] }, "unknown"],
    ["null", { open: ["ON"] }, "unknown"],
    // The same in the alternative format of bridges.
    ["ON", { open: [true] }, "open"],
    ["off", { open: [1], normal: [false] }, "normal"],
    ["ON\0", { open: ["ON"] }, "open"],
    ['\uFEFF{"contact":false}', CONTACT, "open"],
    ['{"contact":false,"temperature":NaN,"note":"NaN is not Infinity"}', CONTACT, "open"],
    ['{"contact":NaN}', CONTACT, "unknown"],
    ['{"contact":False}', CONTACT, "not-json"],
    ['{"t":-Infinity,"note":"-Infinity"}', { path: "/note", open: ["-Infinity"] }, "open"],
    // Codes are text of any length.
    ["76561198000000001", { open: ["76561198000000002"] }, "normal"],
    ["76561198000000001", { open: ["76561198000000001"] }, "open"],
    ['{"id":76561198000000001}', { path: "/id", open: ["76561198000000002"] }, "normal"],
    [
      '{"id":-76561198000000001,"n":0.12345678901234567,"s":"1234567890123456:"}',
      { path: "/id", open: ["-76561198000000001"] },
      "open",
    ],
    ["0x1A2B", { open: ["0x1a2b"] }, "open"],
    ["12E5", { open: ["1200000"] }, "normal"],
    // Entry by entry.
    ['[{"contact":false}]', CONTACT, "open"],
    ["[]", CONTACT, "nothing"],
    ['{"a":[{"b":[{"c":1}]}]}', { path: "/a/b/c", open: [1] }, "open"],
    ['{"a":[[{"b":1}]]}', { path: "/a/b", open: [1] }, "unknown"],
    ['{"a":[["x",1]]}', { path: "/a/0/1", open: [1] }, "open"],
  ];
  test.each(cases)("%j with the rule %j is %s", (payload, rule, expected) => {
    expect(resultOf(rule, Buffer.from(payload))).toBe(expected);
  });

  test("is dropped unread when it is too large", () => {
    const large = Buffer.from(JSON.stringify({ contact: false, noise: "x".repeat(PAYLOAD_BYTES_MAX) }));
    expect(resultOf(CONTACT, large)).toBe("too-large");
    const padded = Buffer.from(`{"contact":false}${" ".repeat(PAYLOAD_BYTES_MAX - 17)}`);
    expect(resultOf(CONTACT, padded)).toBe("open");
  });

  test("that is not text is rejected", () => {
    expect(resultOf({ open: ["ON"] }, Uint8Array.of(0xff, 0xfe, 0x00))).toBe("not-utf8");
  });

  test("of any bytes returns a contact or a reason, and never throws", () => {
    const rule = fc.constantFrom<Rule>(CONTACT, { open: ["ON"] }, { path: "/a/b/c/d/e/f/g/h", open: [1] });
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.nat(5_000).map((depth) => Buffer.from("[".repeat(depth) + "]".repeat(depth))),
    );
    fc.assert(
      fc.property(rule, payload, (some, bytes) => {
        const known = ["normal", "open", "unknown", "nothing"];
        const refusals = ["too-large", "not-utf8", "not-json", "too-many-entries"];
        expect([...known, ...refusals]).toContain(resultOf(some, bytes));
      }),
    );
  });
});

describe("a battery", () => {
  const cases: readonly (readonly [string, Battery, boolean | undefined])[] = [
    ["true", { low: [true] }, true],
    ["false", { low: [true] }, false],
    ["null", { low: [true] }, undefined],
    ["9", { below: 15 }, true],
    ['"80.00"', { below: 15 }, false],
    ["-1", { below: 15 }, undefined],
    ["255", { below: 15 }, undefined],
    ["empty", { low: ["empty"], below: 15 }, true],
    ["9 %", { below: 15 }, true],
    ["95%", { below: 15 }, false],
    ["%", { below: 15 }, undefined],
    ["", { below: 15 }, undefined],
    ["full", { low: ["empty"] }, false],
    ["true", { below: 15 }, undefined],
  ];
  test.each(cases)("that reports %j with the rule %j is low: %s", (payload, battery, low) => {
    const zone = zoneOf({
      input: { mqtt: "t", path: "/none", open: [1] },
      battery: { mqtt: "b", ...battery },
    });
    const { signals } = new ZoneTopics([zone]).read("b", Buffer.from(payload), { isRetained: false });
    expect(signals[0]?.signal).toMatchObject(
      low === undefined ? { kind: "sign-of-life" } : { kind: "battery", low },
    );
  });

  const LOW: Battery = { path: "/battery_low", low: [true] };
  const charges: readonly (readonly [string, Battery, number | undefined])[] = [
    ["9", { below: 15 }, 9],
    ['"80.00"', { below: 15 }, 80],
    ["95%", { below: 15 }, 95],
    ["empty", { low: ["empty"], below: 15 }, undefined],
    ["true", { low: [true] }, undefined],
    ["50", { low: ["empty"] }, undefined],
    ['{"battery":60,"battery_low":false}', LOW, 60],
    ['{"battery":255,"battery_low":true}', LOW, undefined],
    ['{"battery":60,"weak":false}', { path: "/weak", low: [true] }, undefined],
  ];
  test.each(charges)("that reports %j with the rule %j has this charge: %s", (payload, battery, percent) => {
    const zone = zoneOf({ input: { mqtt: "t", open: [1] }, battery: { mqtt: "b", ...battery } });
    const { signals } = new ZoneTopics([zone]).read("b", Buffer.from(payload), { isRetained: false });
    expect(signals.map(({ signal }) => signal)).toEqual([
      { kind: "battery", low: expect.any(Boolean), ...(percent === undefined ? {} : { percent }) },
    ]);
  });
});

describe("a last will", () => {
  const cases: readonly (readonly [string, Omit<Availability, "mqtt">, boolean | undefined])[] = [
    ["online", {}, true],
    ["Offline", {}, false],
    ['{"state":"offline"}', { path: "/state" }, false],
    ["false", { up: [true], down: [] }, undefined],
    ["sleeping", {}, undefined],
    ['{"state":"offline"}', {}, false],
    ["offline", { path: "/state" }, false],
    ['{"linkquality":3}', { path: "/state" }, undefined],
  ];
  test.each(cases)("%j by the rule %j is up: %s", (payload, availability, up) => {
    const zone = zoneOf({ input: { gpio: 4 }, availability: { mqtt: "a", ...availability } });
    const { signals } = new ZoneTopics([zone]).read("a", Buffer.from(payload), { isRetained: true });
    expect(signals[0]?.signal).toEqual(up === undefined ? undefined : { kind: "availability", up });
  });
});

describe("a gate", () => {
  const cases: readonly [
    payload: string,
    gate: Pick<MqttInput, "open" | "normal">,
    state: string | undefined,
  ][] = [
    ["armed_away", { open: ["armed_away"] }, "open"],
    ["disarmed", { open: ["armed_away"] }, "closed"],
    ["armed_home", { open: ["armed_away"] }, "closed"],
    ["OFF", { open: ["ON"] }, "closed"],
    // The entry delay and the alarm of an alarm panel that is armed.
    ["pending", { open: ["armed_away"] }, undefined],
    ["Triggered", { open: ["armed_away"] }, undefined],
    ["arming", { open: ["armed_away"] }, undefined],
    ["disarming", { open: ["armed_away"] }, undefined],
    ["pending", { open: ["armed_away", "pending"] }, "open"],
    ["pending", { open: ["armed_away"], normal: ["disarmed", "pending"] }, "closed"],
    ["armed_home", { open: ["armed_away"], normal: ["disarmed"] }, undefined],
  ];
  test.each(cases)("is set by %j with the values %j: %s", (payload, values, state) => {
    const zone = zoneOf({ input: { gpio: 4 }, gate: { mqtt: "a", ...values } });
    const { gates } = new ZoneTopics([zone]).read("a", Buffer.from(payload), { isRetained: false });
    expect(gates[0]?.state).toBe(state);
  });
});

function resultOf(rule: Rule, payload: Uint8Array): string {
  const topics = new ZoneTopics([zoneOf({ input: { mqtt: "t", ...rule } })]);
  const { signals, refused } = topics.read("t", payload, { isRetained: false });
  const [first] = signals;
  if (first?.signal.kind === "contact") return first.signal.contact;
  return refused ?? "nothing";
}

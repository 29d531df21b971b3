import { expect, test } from "vitest";
import { likelyContacts } from "../../../src/domain/discovery/contact-guess.ts";
import { scalarsIn } from "../../../src/domain/discovery/message-fields.ts";

const UNKNOWN = { open: [], normal: [] };
const BOTH = { open: ["OPEN", "OPENED"], normal: ["CLOSED", "CLOSE"] };

test.each([
  ["hol/usa", "OPEN", { path: null, kind: "intrusion", ...BOTH }],
  ["hol/usa", "CLOSE", { path: null, kind: "intrusion", ...BOTH, normal: ["CLOSE", "CLOSED"] }],
  ["hol/usa", "Opened", { kind: "intrusion", open: ["Opened", "Open"], normal: ["Closed", "Close"] }],
  ["bucatarie/binary_sensor/smoke/state", "OFF", { kind: "fire", open: ["ON"], normal: ["OFF"] }],
  ["baie/inundatie", "Wet", { kind: "flood", open: ["Wet"], normal: [] }],
  ["pod/x", "ALARM", { open: ["ALARM"], normal: [] }],
  ["pod/x", "clear", { kind: null, ...UNKNOWN }],
  ["pod/x", "True", { kind: null, open: ["True"], normal: ["False"] }],
  ["pod/x", { time: 1700000000000, value: 22 }, { path: "/value", kind: null, ...UNKNOWN }],
  ["pod/x", { time: 1700000000000, val: 1 }, { path: "/val", open: [1], normal: [0] }],
  ["pod/x", { n: 1, door_state: "closed" }, { path: "/door_state", kind: "intrusion" }],
  ["pod/x", { battery: 1, contact: true }, { path: "/contact", open: [false], normal: [true] }],
  ["pod/x", { contact: "true" }, { open: ["false"], normal: ["true"] }],
  ["pod/x", { battery: 90, x: 7 }, { path: "/battery", ...UNKNOWN }],
])("a message on %s with %j most likely has the contact %j", (topic, json, likely) => {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  const values = scalarsIn({ json: typeof json === "string" ? undefined : json, text });
  expect(likelyContacts({ topic, values })[0]).toMatchObject(likely);
});

test("the name of a device tells its kind as well", () => {
  const values = [{ path: "/x", value: 1 }];
  expect(likelyContacts({ topic: "a/b", values }, "Senzor fum")[0]?.kind).toBe("fire");
});

import { describe, expect, test } from "vitest";
import { alarmCode, eventData, faultCode, TEST_CODES } from "../../src/domain/event-code.ts";
import type { Fault } from "../../src/domain/fault.ts";
import type { ZoneKind } from "../../src/domain/zone.ts";
import { contactIdEvent } from "../../src/inputs/dc09/contact-id.ts";
import { siaEvents } from "../../src/inputs/dc09/sia-events.ts";

const PLACE = { partition: 2, number: 17 };
const KINDS = [
  "intrusion",
  "perimeter",
  "motion",
  "fire",
  "panic",
  "holdup",
  "medical",
  "flood",
  "gas",
] as const;

describe("a receiver of Santinela reads", () => {
  test.each([...KINDS, "technical"] as const)(
    "the Contact ID code of a zone of type %s as that type",
    (kind) => {
      const { begins, ends } = eventData("contact-id", alarmCode(kind, ""), PLACE);
      const meaning = { what: "alarm", kind };
      expect(contactIdEvent(begins)).toMatchObject({ change: "new", meaning, partition: 2, number: 17 });
      expect(contactIdEvent(ends)).toMatchObject({ change: "restored", meaning, partition: 2, number: 17 });
    },
  );

  test.each([
    ["intrusion", "intrusion"],
    ["glass", "intrusion"],
    ["fire", "fire"],
    ["panic", "panic"],
    ["holdup", "holdup"],
    ["medical", "medical"],
    ["flood", "flood"],
    ["gas", "gas"],
  ] as const)("the SIA code of a zone of type %s as %s", (kind: ZoneKind, read) => {
    const { begins, ends } = eventData("sia", alarmCode(kind, ""), PLACE);
    const meaning = { what: "alarm", kind: read };
    expect(siaEvents(begins)).toMatchObject([{ change: "new", meaning, partition: 2, number: 17 }]);
    expect(siaEvents(ends)).toMatchObject([{ change: "restored", meaning, partition: 2, number: 17 }]);
  });

  test("the SIA code that the configuration gives a zone, and its restoral", () => {
    const { begins, ends } = eventData("sia", alarmCode("technical", ""), PLACE, "ZA");
    expect([begins, ends]).toEqual(["Nri2/ZA017", "Nri2/ZR017"]);
    const meaning = { what: "alarm", kind: "technical" };
    expect(siaEvents(begins)).toMatchObject([{ change: "new", meaning, number: 17 }]);
    expect(siaEvents(ends)).toMatchObject([{ change: "restored", meaning, number: 17 }]);
  });

  test.each([
    ["tamper", "tamper", "tamper"],
    ["battery", "battery", "battery"],
    ["supervision", "supervision", "trouble"],
    ["faulty", "trouble", "trouble"],
  ] as const)("the codes of the fault %s", (fault: Fault, contactId, sia) => {
    const code = faultCode(fault);
    const [first, second] = [eventData("contact-id", code, PLACE), eventData("sia", code, PLACE)];
    expect(contactIdEvent(first.begins)?.meaning).toEqual({ what: contactId });
    expect(siaEvents(second.begins)?.[0]?.meaning).toEqual({ what: sia });
    expect(siaEvents(second.ends)?.[0]).toMatchObject({ change: "restored", meaning: { what: sia } });
  });

  test.each(["manual", "periodic"] as const)("a %s test as a test", (which) => {
    const { begins } = eventData("contact-id", TEST_CODES[which], { partition: 0, number: 0 });
    expect(contactIdEvent(begins)?.meaning).toEqual({ what: "test" });
    const sia = eventData("sia", TEST_CODES[which], { partition: 0, number: 0 });
    expect(siaEvents(sia.begins)?.[0]?.meaning).toEqual({ what: "test" });
  });
});

test("a zone that is no longer configured has the code of its class", () => {
  expect(alarmCode(null, "fire/obiective/cladiri/1").contactId).toBe("110");
  expect(alarmCode(null, "hold-up/obiective/cladiri/1").contactId).toBe("120");
  expect(alarmCode(null, "something of a later release").contactId).toBe("130");
});

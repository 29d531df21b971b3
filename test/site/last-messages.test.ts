import { expect, test } from "vitest";
import type { ReceivedMessage } from "../../src/domain/discovery/device.ts";
import { uniqueId } from "../../src/domain/discovery/proposed-zone.ts";
import { LastMessages } from "../../src/site/found-devices.ts";

const message = (topic: string, atMs: number, text = topic): ReceivedMessage => ({
  topic,
  text,
  atMs,
  isRetained: false,
  json: undefined,
});

test("the last message of a device is the newest at or below its topics", () => {
  const heard = [message("a/b", 1), message("a/b/c/d", 3), message("a/bc", 9), message("e", 2)];
  const last = new LastMessages(heard, new Set(["a/b", "e", "f"]));
  expect(last.of(["a/b"])?.text).toBe("a/b/c/d");
  expect(last.of(["e", "a/b"])?.text).toBe("a/b/c/d");
  expect(last.of(["e", "f"])?.text).toBe("e");
  expect(last.of(["f"])).toBeUndefined();
});

test("of two messages of one time the second one is the last", () => {
  const last = new LastMessages([message("a", 1, "OFF"), message("a", 1, "ON")], new Set(["a"]));
  expect(last.of(["a"])?.text).toBe("ON");
});

test("20,000 devices of one name get different ids, in order", () => {
  const used = new Set(["usa-3"]);
  const ids = Array.from({ length: 20_000 }, () => uniqueId("Ușă", used));
  expect(ids.slice(0, 2)).toEqual(["usa", "usa-2"]);
  expect(new Set(ids).size).toBe(20_000);
  expect(ids).not.toContain("usa-3");
});

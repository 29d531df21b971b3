import { expect, test } from "vitest";
import { localTime } from "../../src/cli/local-time.ts";
import { rowsOf } from "../../src/cli/zone-commands.ts";

test.each([
  ["2026-11-23T04:36:48.000Z", "Europe/Bucharest", /^2026-11-23 06:36:48 (GMT\+2|EET)$/],
  ["2026-07-01T21:30:00.000Z", "Europe/Bucharest", /^2026-07-02 00:30:00 (GMT\+3|EEST)$/],
  ["2026-11-23T04:36:48.000Z", "UTC", /^2026-11-23 04:36:48 UTC$/],
])("%s in %s", (iso, zone, text) => {
  expect(localTime(iso, zone)).toMatch(text);
});

test("a line that the terminal wraps counts as several rows", () => {
  expect(rowsOf("")).toBe(0);
  expect(rowsOf("ab\n\ncd\n", 80)).toBe(3);
  expect(rowsOf(`${"x".repeat(80)}\n${"x".repeat(81)}\n`, 80)).toBe(3);
  expect(rowsOf("\u0219".repeat(5) + "\n", 2)).toBe(3);
});

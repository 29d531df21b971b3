import { expect, test } from "vitest";
import { logText } from "../../src/cli/log-text.ts";
import { localTime } from "../../src/cli/local-time.ts";
import { readyText } from "../../src/cli/serve-texts.ts";
import type { Config } from "../../src/config/config.ts";
import { rowsOf } from "../../src/cli/zone-commands.ts";

test.each([
  ["2026-11-23T04:36:48.000Z", "Europe/Bucharest", /^2026-11-23 06:36:48 (GMT\+2|EET)$/],
  ["2026-07-01T21:30:00.000Z", "Europe/Bucharest", /^2026-07-02 00:30:00 (GMT\+3|EEST)$/],
  ["2026-11-23T04:36:48.000Z", "UTC", /^2026-11-23 04:36:48 UTC$/],
])("%s in %s", (iso, zone, text) => {
  expect(localTime(iso, zone)).toMatch(text);
});

test("a start in a terminal ends with the address of the web panel", () => {
  const config = { http: { tls: { mode: "off" } }, zones: [{ id: "door" }] } as unknown as Config;
  const text = readyText(config, { host: "0.0.0.0", port: 8080 });
  expect(text).toMatch(/Web panel: http:\/\/localhost:8080\//);
  expect(text).toMatch(/santinela trip --zone door/);
  expect(readyText(config, { host: "::1", port: 1 })).toContain("http://[::1]:1/");
});

test("a line that the terminal wraps counts as several rows", () => {
  expect(rowsOf("")).toBe(0);
  expect(rowsOf("ab\n\ncd\n", 80)).toBe(3);
  expect(rowsOf(`${"x".repeat(80)}\n${"x".repeat(81)}\n`, 80)).toBe(3);
  expect(rowsOf("\u0219".repeat(5) + "\n", 2)).toBe(3);
});

test.each([
  [
    { time: "2026-11-23T04:36:48.000Z", level: "info", event: "ready", host: "127.0.0.1", port: 8080 },
    /^2026-11-23 06:36:48 (GMT\+2|EET) {2}ready {2}host=127\.0\.0\.1 {2}port=8080\n$/,
  ],
  [
    { time: "2026-11-23T04:36:48.000Z", level: "warn", event: "zone-lost", name: "Ușa\nnouă", zones: ["a"] },
    /EET|GMT\+2 {2}warn {2}zone-lost {2}name="Ușa\\nnouă" {2}zones=\["a"\]\n$/,
  ],
])("a line of the log at a terminal: %o", (entry, text) => {
  expect(logText(`${JSON.stringify(entry)}\n`, "Europe/Bucharest")).toMatch(text);
});

test("what is not a line of the log stays as it is", () => {
  for (const line of ["(node:1) Warning\n", "7\n", "null\n"]) expect(logText(line, "UTC")).toBe(line);
});

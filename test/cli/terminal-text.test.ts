import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { documentationPage } from "../../src/cli/shipped-files.ts";
import { logText } from "../../src/cli/log-text.ts";
import { localTime, withLocalTimes, writtenTimeMs } from "../../src/cli/local-time.ts";
import { firstStartText, readyText } from "../../src/cli/serve-texts.ts";
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
  const linked = { main: "/usr/local/bin/santinela", cwd: "/home/ana/santinela" };
  const text = readyText(STARTED, { host: "0.0.0.0", port: 8080 }, linked);
  expect(text).toMatch(/Web panel: http:\/\/localhost:8080\//);
  expect(readyText(STARTED, { host: "::1", port: 1 }, linked)).toContain("http://[::1]:1/");
});

test("the commands for a centre without a file name its data directory", () => {
  const centre = { ...STARTED, role: "centre", dataDir: "/home/ana/santinela/var-centre" } as const;
  const program = { main: "/home/ana/santinela/dist/main.js", cwd: "/home/ana/santinela" };
  const text = readyText(centre, { host: "127.0.0.1", port: 8090 }, program);
  expect(text).toContain("another terminal: SANTINELA_DATA_DIR=var-centre node dist/main.js sites,");
  expect(text).toContain(
    "SANTINELA_DATA_DIR=var-centre node dist/main.js user passwd --email admin@santinela.local",
  );
  expect(readyText({ ...centre, file: "/etc/centre.yaml" }, { host: "::1", port: 1 }, program)).not.toContain(
    "DATA_DIR",
  );
});

const STARTED = { file: null, http: { tls: { mode: "off" } }, zones: [{ id: "door" }] } as unknown as Config;

test.each([
  ["a source tree", "/home/ana/santinela/dist/main.js", null, "node dist/main.js trip --zone door"],
  [
    "another folder",
    "/srv/santinela/dist/main.js",
    null,
    "node /srv/santinela/dist/main.js trip --zone door",
  ],
  ["npm link", "/usr/local/bin/santinela", null, "santinela trip --zone door"],
  [
    "the package",
    "/usr/lib/santinela/current/dist/main.js",
    "/etc/santinela/santinela.yaml",
    "santinela trip --zone door",
  ],
  [
    "a file of its own",
    "/usr/bin/santinela",
    "/home/ana/hala.yaml",
    "santinela trip --zone door --config /home/ana/hala.yaml",
  ],
])("a start from %s shows commands that can be entered as they are", (_what, main, file, command) => {
  const program = { main, cwd: "/home/ana/santinela" };
  const text = readyText({ ...STARTED, file }, { host: "127.0.0.1", port: 8080 }, program);
  expect(text).toMatch(new RegExp(`, ${command.replaceAll(".", "\\.")}\\. Ctrl-C stops the daemon`));
});

test("a new configuration is started with the command by which init was", () => {
  const tree = { main: "/home/ana/santinela/dist/main.js", cwd: "/home/ana/santinela" };
  expect(firstStartText("/home/ana/a.yaml", tree)).toBe(
    "Start it: node dist/main.js serve --config /home/ana/a.yaml. Then: node dist/main.js zones watch --config /home/ana/a.yaml\n",
  );
  expect(firstStartText("/etc/santinela/santinela.yaml", tree)).toMatch(/^Start it: systemctl enable/);
});

test("a remedy names a page of the documentation that is there", () => {
  expect(existsSync(documentationPage("operating.md"))).toBe(true);
  expect(documentationPage("no-page.md")).toBe("/usr/share/doc/santinela/docs/no-page.md");
});

test("the instants in a text of the daemon are shown in the time of the site", () => {
  expect(
    withLocalTimes("since 2026-11-23T04:36:48.000Z, until 2026-07-01T21:30:00Z.", "Europe/Bucharest"),
  ).toMatch(/^since 2026-11-23 06:36:48 (GMT\+2|EET), until 2026-07-02 00:30:00 (GMT\+3|EEST)\.$/);
});

test.each([
  ["2026-11-23 06:36", "2026-11-23T04:36:00.000Z"],
  ["2026-11-23T06:36:48", "2026-11-23T04:36:48.000Z"],
  ["2026-11-23", "2026-11-22T22:00:00.000Z"],
  ["2026-11-23T06:36Z", "2026-11-23T06:36:00.000Z"],
  ["2026-11-23T06:36+01:00", "2026-11-23T05:36:00.000Z"],
])("%s is a time at a site in Romania", (text, instant) => {
  expect(new Date(writtenTimeMs(text, "Europe/Bucharest") ?? 0).toISOString()).toBe(instant);
});

test("each printed time is read as the same instant, also while the clocks are changed", () => {
  for (let ms = Date.parse("2026-10-24T22:00Z"); ms < Date.parse("2026-10-25T03:00Z"); ms += 1_800_000)
    expect(writtenTimeMs(localTime(ms, "Europe/Bucharest"), "Europe/Bucharest")).toBe(ms);
  for (const text of ["2026-11-23 06:36:48 CET", "2026-13-01", "yesterday", "06:36"])
    expect(writtenTimeMs(text, "Europe/Bucharest"), text).toBeUndefined();
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

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { readConfiguration } from "../../src/config/load.ts";
import { changesOf, type ConfigurationChanges } from "../../src/config/reload.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ["one", "two"])
    writeFileSync(join(folder, name), `${name} and sixteen characters`, { mode: 0o600 });
});

const read = (text: string): Config =>
  readConfiguration({ file: join(folder, "santinela.yaml"), text }, { env: {}, cwd: folder });
const changes = (before: string, after: string): ConfigurationChanges => changesOf(read(before), read(after));

const UPSTREAM = "https://centre.example, email: a@site.example";
const CENTRE = `upstream: { baseUrl: ${UPSTREAM}, passwordFile: one }`;
const PANELS =
  "dc09: { accounts: [ { account: '1234', plain: true, from: [10.0.0.1], objective: { type: obiective/cladiri, id: 1 } } ] }\n";

test.each([
  ["dataDir: ./a", "dataDir: ./b", [], ["dataDir"]],
  // Records at a centre carry the reference.
  ["site: { name: A }", "site: { name: B, ref: b }", ["site.name", "site.ref"], []],
  ["site: { ref: a }", `site: { ref: b }\n${CENTRE}`, ["site.ref", "upstream"], []],
  [`site: { ref: a }\n${CENTRE}`, "site: { ref: b }", ["site.ref", "upstream"], []],
  [`site: { ref: a }\n${CENTRE}`, `site: { ref: b }\n${CENTRE}`, [], ["site.ref"]],
  ["site: { name: A }", "site: { name: A, timezone: Europe/Paris }", [], ["site.timezone"]],
  ["http: { port: 1 }", "http: { port: 2, basePath: /api }", [], ["http.port", "http.basePath"]],
  ["http: {}", "http: { tls: own }", [], ["http.tls"]],
  ["{}", "mqtt: off", [], ["mqtt.url", "mqtt.listen.host", "mqtt.listen.port", "mqtt.accounts"]],
  ["mqtt: { listen: { port: 1 } }", "mqtt: { listen: { port: 2 } }", [], ["mqtt.listen.port"]],
  [
    "mqtt: { username: a, passwordFile: one }",
    "mqtt: { username: a, passwordFile: two }",
    [],
    ["mqtt.username", "mqtt.passwordFile"],
  ],
  ["homeAssistant: { enabled: false }", "homeAssistant: { enabled: true }", [], ["homeAssistant.enabled"]],
  ["gpio: { backend: simulated }", "gpio: { backend: cdev }", [], ["gpio.backend"]],
  ["{}", "outputs: [{ name: siren, on: alarm, gpio: 22 }]", ["outputs"], []],
  [
    `${PANELS}profiles: { fire: { crews: 1 } }`,
    `${PANELS}profiles: { fire: { crews: 2 } }`,
    [],
    ["profiles for zones created by alarm panels"],
  ],
  [
    `${PANELS}objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }`,
    `${PANELS}objectives: { obiective/cladiri: [ { id: 1, name: Shop } ] }`,
    ["objectives.obiective/cladiri"],
    ["objectives for zones created by alarm panels"],
  ],
  [PANELS, PANELS.replace("1234", "1235"), [], ["dc09.accounts"]],
  ["log: { level: info }", "log: { level: debug }", ["log.level"], []],
  ["fleet: { silentS: 600 }", "fleet: { silentS: SP3 }", ["fleet.silentS"], []],
  ["{}", "fleet: { sites: { bank-1: { silentS: SP6 } } }", ["fleet.sites"], []],
  ["metrics: { tokenFile: one }", "metrics: { tokenFile: two }", ["metrics.tokenFile"], []],
  ["{}", `upstream: { baseUrl: ${UPSTREAM}, passwordFile: one }`, ["upstream"], []],
  [
    `upstream: { baseUrl: ${UPSTREAM}, passwordFile: one }`,
    `upstream: { baseUrl: ${UPSTREAM}, passwordFile: two, schedule: "*/7 * * * *" }`,
    ["upstream.schedule", "upstream.passwordFile"],
    [],
  ],
  [
    "{}",
    "objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }",
    ["objectives.obiective/cladiri"],
    [],
  ],
  ["site: { name: A, ref: a }", "site: { ref: a, name: A }\n# a remark", [], []],
])("%s → %s is reported by its options, without secrets", (before, after, applied, needsRestart) => {
  const reported = changes(before, after);
  expect(new Set(reported.applied)).toEqual(new Set(applied));
  expect(new Set(reported.needsRestart)).toEqual(new Set(needsRestart));
  expect(JSON.stringify(reported)).not.toContain("sixteen");
});

test("zones are reported as added, changed or removed, a change of their profile included", () => {
  const zone = (id: string, name: string): string =>
    `{ id: ${id}, name: ${name}, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }`;
  const before = `zones: [ ${zone("a", "A")}, ${zone("b", "B")}, ${zone("c", "C")} ]`;
  expect(
    changes(before, `zones: [ ${zone("c", "C")}, ${zone("a", "Aa")}, ${zone("d", "D")} ]`).zones,
  ).toEqual({
    added: ["d"],
    removed: ["b"],
    changed: ["a"],
  });
  expect(changes(before, `profiles: { burglary: { crews: 3 } }\n${before}`).zones.changed).toEqual([
    "a",
    "b",
    "c",
  ]);
});

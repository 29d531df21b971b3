import { writeFileSync } from "node:fs";
import { join } from "node:path";
import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { hashOfText } from "../../src/ops/earlier-configurations.ts";
import { ConfigurationEditor } from "../../src/site/configuration-editor.ts";
import { TestApp } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { UNUSABLE_ALIASES } from "../support/unusable-aliases.ts";

/* The configuration file of a running daemon is edited, and an administrator opens the zones in the web panel. */

let site: TestApp;
let file: string;
beforeEach(async () => {
  const folder = temporaryFolder();
  file = join(folder, "santinela.yaml");
  writeFileSync(file, "http: { configuration: panel }\n");
  const load = { file, env: {}, cwd: folder };
  const control = { applyConfiguration: () => expect.fail("nothing is applied") };
  const editor = new ConfigurationEditor({ config: loadConfiguration(load), load, control });
  site = await TestApp.forTest({ configuration: { editor } });
});

const administrator = async (): Promise<string> => `Bearer ${await site.token("administrator")}`;
const readZones = async (): Promise<request.Response> =>
  request(site.app)
    .get("/site/configuration/zones")
    .set("Authorization", await administrator());
const refused = (line: number, column: number, message: string): object => ({
  error: "Conflict",
  message: `the configuration file cannot be changed here: line ${line}, column ${column}: ${message}. Edit the file on the device, then run santinela reload.`,
  statusCode: 409,
});

test.each(UNUSABLE_ALIASES)("$what is refused with its line and the remedy", async (alias) => {
  writeFileSync(file, alias.yaml);
  const { status, body } = await readZones();
  expect([status, body]).toEqual([409, refused(alias.line, alias.column, alias.message)]);
});

test.each([
  [
    "is no YAML",
    "mqtt: off\nsite: [\n",
    /: line 2, column 7: invalid YAML: the list or section that begins here with \[ does not end/,
  ],
  [
    "nests too deep",
    `site:\n  name: ${"[".repeat(100_000)}`,
    /: line 2, column \d+: nested deeper than 64 levels/,
  ],
])("what %s is refused with its line, also for a change of the site's name", async (_what, yaml, message) => {
  writeFileSync(file, yaml);
  const read = await readZones();
  expect([read.status, read.body]).toMatchObject([
    409,
    { message: expect.stringMatching(message) as string },
  ]);
  const proposed = await request(site.app)
    .post("/site/configuration/proposal")
    .set("Authorization", await administrator())
    .send({ hash: hashOfText(yaml), changes: [{ action: "site", site: { name: "Hala Nord" } }] });
  expect([proposed.status, proposed.body]).toEqual([409, read.body]);
});

test("a file that is not UTF-8 is refused, because saving it would destroy its texts", async () => {
  writeFileSync(file, Buffer.from("mqtt: off\nsite: { name: Fabric\xe3 }\n", "latin1"));
  const { status, body } = await readZones();
  expect([status, (body as { message: string }).message]).toEqual([
    409,
    `${file} is not UTF-8 in line 2. Save the file as UTF-8.`,
  ]);
});

test("what another person has edited without a reload is shown before it is saved along", async () => {
  const zone = "objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true }";
  const yaml = `http: { configuration: panel }\nlog: { level: debug }\nzones:\n  - { id: door, name: D, kind: fire, ${zone} }\n`;
  writeFileSync(file, yaml);
  const { body } = await request(site.app)
    .post("/site/configuration/proposal")
    .set("Authorization", await administrator())
    .send({ hash: hashOfText(yaml), changes: [{ action: "site", site: { name: "Hala Nord" } }] });
  expect(body).toMatchObject({ errors: [], applied: ["log.level", "zones: door"] });
});

test("the zones of a file that uses an alias a hundred times are shown", async () => {
  const zones = Array.from({ length: 150 }, (_, index) => `  - { id: z${index}, objective: *hall }\n`);
  writeFileSync(
    file,
    `objectives: { obiective/cladiri: [ &hall { id: 1, name: Hall } ] }\nzones:\n${zones.join("")}`,
  );
  const { status, body } = await readZones();
  expect([status, (body as { zones: object[] }).zones.at(-1)]).toEqual([
    200,
    { id: "z149", objective: { id: 1, name: "Hall" } },
  ]);
});

import { mkdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { dataDirectories } from "../../src/config/data-directories.ts";
import { configurationToRun, keepLastGood, type EffectiveConfiguration } from "../../src/config/last-good.ts";
import { temporaryCertificate } from "../../src/ops/certificates.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "etc", "santinela.yaml");
  mkdirSync(dirname(file));
});

const toRun = (env: Record<string, string> = {}): EffectiveConfiguration =>
  configurationToRun({ file, env, cwd: folder });

/** Writes the configuration and loads it like a daemon. */
function startedWith(text: string, env: Record<string, string> = {}): void {
  writeFileSync(file, text);
  const { config, source, fault } = toRun(env);
  expect(fault).toBeNull();
  mkdirSync(config.dataDir, { recursive: true });
  keepLastGood(config, source);
}

const GOOD = "dataDir: ../data\nmqtt: off\nsite: { name: Hala Nord }\nhttp: { port: 8081 }\n";

test.each([
  ["a mistyped option", GOOD.replace("port", "prot"), /santinela\.yaml:4:9: http\.prot: unknown option/],
  ["a line of invalid YAML", GOOD.replace("http: {", "http: {{"), /santinela\.yaml:\d+:\d+: invalid YAML/],
  ["a single word", "hello", /santinela\.yaml:1:1: must be a section/],
  ["nothing in it after a power cut", "", /santinela\.yaml:1:1: the file is empty/],
  ["only line breaks", "\n\n", /santinela\.yaml:1:1: the file is empty/],
  ["only comments", "# mqtt: off\n", /santinela\.yaml:1:1: the file is empty, or has only comments/],
  ["only null", "null\n", /santinela\.yaml:1:1: the file is empty/],
  ["only the beginning of a document", "---\n", /santinela\.yaml:1:1: the file is empty/],
  ["only zero bytes after a power cut", "\0".repeat(200), /santinela\.yaml:1:1: must be a section/],
])("a site whose configuration has %s runs with its last good configuration", (_what, broken, fault) => {
  startedWith(GOOD, { STATE_DIRECTORY: join(folder, "data") });
  writeFileSync(file, broken);
  const run = toRun({ STATE_DIRECTORY: join(folder, "data") });
  expect(run.fault).toMatch(fault);
  expect(run.config).toMatchObject({ dataDir: join(folder, "data"), site: { name: "Hala Nord" }, file });
});

test.each(["# mqtt: off\n", "---\n", "null\n"])(
  "a file without options, %j, starts with those of the environment, also after a start with it",
  (text) => {
    const env = { STATE_DIRECTORY: join(folder, "data"), SANTINELA_HTTP__PORT: "8082" };
    startedWith(text, env);
    expect(toRun(env)).toMatchObject({ fault: null, source: { text }, config: { http: { port: 8082 } } });
  },
);

test("a file that has only comments replaces no options, although the environment has some", () => {
  const env = { STATE_DIRECTORY: join(folder, "data"), SANTINELA_HTTP__PORT: "8082" };
  startedWith(GOOD, env);
  writeFileSync(file, "# mqtt: off\n");
  expect(toRun(env)).toMatchObject({
    fault: expect.stringMatching(/only comments/) as string,
    config: { site: { name: "Hala Nord" } },
  });
});

test("a site whose configuration file is missing runs with its last good configuration", () => {
  startedWith("mqtt: off\n");
  unlinkSync(file);
  expect(toRun().fault).toMatch(/cannot read the configuration .*santinela\.yaml/);
});

test("a missing password file costs the link to the dispatch centre, not the alarms", () => {
  const password = join(folder, "etc", "centre.password");
  writeFileSync(password, "correct horse", { mode: 0o600 });
  startedWith(
    "mqtt: off\nupstream: { baseUrl: 'https://c.example', email: a@b.ro, passwordFile: centre.password }\n",
  );
  unlinkSync(password);
  const { config, fault } = toRun();
  expect(fault).toMatch(/santinela\.yaml:2:\d+: upstream\.passwordFile: password file/);
  expect(config.upstream).toMatchObject({ baseUrl: "https://c.example", password: "" });
  expect(config.warnings.join()).toMatch(/password file/);
});

test("a first start with errors fails: there is no last good configuration", () => {
  writeFileSync(file, "http: { prot: 1 }\n");
  expect(() => toRun()).toThrow(/santinela\.yaml:1:9: http\.prot/);
});

test("the last good configuration of one file is not used for another", () => {
  startedWith("mqtt: off\n");
  const other = join(folder, "etc", "other.yaml");
  writeFileSync(other, "http: { prot: 1 }\n");
  expect(() => configurationToRun({ file: other, env: {}, cwd: folder })).toThrow(/other\.yaml:1:9/);
});

test("the newest configuration that worked is the last good one, and only its user may read it", () => {
  startedWith("mqtt: off\nsite: { name: One }\n");
  startedWith("mqtt: off\nsite: { name: Two }\n");
  writeFileSync(file, ":");
  expect(toRun().config.site.name).toBe("Two");
  const copy = join(folder, "etc", "var", "last-good.yaml");
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readFileSync(copy, "utf8")).toMatch(
    /^# The last good copy of ".*santinela\.yaml"\. .*\nmqtt: off\n/,
  );
});

test("the data directory of the package is found for its file, also if the line that names it is mistyped", () => {
  expect(dataDirectories("/etc/santinela/santinela.yaml", { env: {} })).toContain("/var/lib/santinela");
  expect(dataDirectories("/home/ana/santinela.yaml", { env: {} })).toEqual(["/home/ana/var"]);
});

const CENTRE =
  "mqtt: off\nupstream: { baseUrl: 'https://c.example', email: a@b.ro, passwordFile: pw, caFile: ca.crt }\n";
const BROKER =
  "mqtt: { url: 'mqtts://b.example', tls: { caFile: ca.crt, certFile: ca.crt, keyFile: ca.key } }\n";

test.each([
  ["the dispatch centre's authority", CENTRE, "ca.crt", /santinela\.yaml:2:\d+: upstream\.caFile: .*ca\.crt/],
  ["the broker's authority", BROKER, "ca.crt", /santinela\.yaml:1:\d+: mqtt\.tls\.caFile: .*ca\.crt/],
  ["the key for the broker", BROKER, "ca.key", /santinela\.yaml:1:\d+: mqtt\.tls\.keyFile: cannot read/],
])("the lost file of %s costs its connection, not the alarms", async (_what, yaml, lost, fault) => {
  const etc = join(folder, "etc");
  writeFileSync(join(etc, "pw"), "correct horse", { mode: 0o600 });
  writeFileSync(
    join(etc, "ca.crt"),
    (await temporaryCertificate(etc, { names: [], nowMs: Date.now() })).cert,
  );
  writeFileSync(join(etc, "ca.key"), "key", { mode: 0o600 });
  startedWith(yaml);
  unlinkSync(join(etc, lost));
  const { config, fault: found } = toRun();
  expect(found).toMatch(fault);
  expect(found).not.toMatch(/zones/);
  const { upstream, mqtt } = config;
  // An empty one would mean the public authorities.
  if (upstream) expect(upstream.ca).toMatch(/^no certificate authority$/);
  else if (lost === "ca.crt") expect(mqtt).toMatchObject({ tls: { ca: "no certificate authority" } });
  else expect(mqtt).toMatchObject({ tls: { ca: expect.stringMatching(/BEGIN CERTIFICATE/) as string } });
});

test("a site whose file at the default place is lost runs on, and not the demonstration of a first try on its data", () => {
  const env = { XDG_CONFIG_HOME: join(folder, "home"), STATE_DIRECTORY: join(folder, "data") };
  const lost = join(folder, "home", "santinela", "santinela.yaml");
  mkdirSync(dirname(lost), { recursive: true });
  writeFileSync(lost, "mqtt: off\nsite: { name: Hala Nord }\n");
  mkdirSync(join(folder, "data"));
  const started = configurationToRun({ env, cwd: folder });
  keepLastGood(started.config, started.source);
  unlinkSync(lost);
  symlinkSync("nowhere", lost);
  const { config, fault } = configurationToRun({ env, cwd: folder });
  expect(config).toMatchObject({ file: lost, site: { name: "Hala Nord" }, zones: [] });
  expect(fault).toMatch(/cannot read the configuration .*santinela\.yaml/);
});

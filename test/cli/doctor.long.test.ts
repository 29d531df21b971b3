import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { CheckResult } from "../../src/cli/check-result.ts";
import { santinela } from "../support/command-line.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let installation: Installation;
beforeEach(() => (installation = Installation.temporary()));

async function doctor(): Promise<{ code: number; find: (check: string) => CheckResult[] }> {
  const file = join(installation.folder, "site.yaml");
  const { code, stdout } = await santinela(["doctor", "--json", "--config", file], {
    cwd: installation.folder,
  });
  const findings = JSON.parse(stdout) as CheckResult[];
  return { code, find: (check) => findings.filter((finding) => finding.check === check) };
}

const zone = (id: string, objective: number): string =>
  `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${objective} }, input: { simulated: true } }\n`;
const OBJECTIVES = "objectives: { obiective/cladiri: [ { id: 1, name: Hall }, { id: 2, name: Yard } ] }\n";

test("a running site with a link to its dispatch centre has no errors, and a bypass is shown", async () => {
  const { port } = await startCentre(installation, OBJECTIVES);
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\n${upstreamYaml(port)}${OBJECTIVES}zones:\n${zone("gate", 1)}`,
  );
  await site.start();
  const well = await doctor();
  for (const check of ["Databases", "Disk", "Secrets", "Daemon", "Queue"])
    expect(well.find(check), check).toMatchObject([{ status: "ok" }]);
  expect(well.find("Centre")).toMatchObject([
    { status: "ok", text: expect.stringContaining(EDGE.email) as string },
  ]);
  expect(well.code).toBe(0);
  await eventually("the centre's lists to have been read", async () =>
    (await doctor()).find("Objectives").every(({ status }) => status === "ok"),
  );
  expect((await doctor()).find("Objectives")).toMatchObject([
    { text: expect.stringMatching(/^objective lists last pulled at \d{4}-/) },
  ]);

  const run = (line: string) =>
    santinela([...line.split(" "), "--config", join(installation.folder, "site.yaml")], {
      cwd: installation.folder,
    });
  const { stdout: metrics } = await run("metrics");
  expect(metrics.match(/^santinela_objectives_age_seconds\{type="obiective\/\w+"\} \d/gm)).toHaveLength(3);
  await run("zones bypass --zone gate --reason painter");
  const after = await doctor();
  expect(after.find("Bypass")).toMatchObject([
    {
      status: "warning",
      text: expect.stringMatching(
        /^gate is out of service until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+ \(.*painter/,
      ),
      remedy: "santinela zones restore --zone gate",
    },
  ]);
});

test("an objective that the dispatch centre does not have is an error before the first trip of its zone", async () => {
  const { port } = await startCentre(installation, OBJECTIVES);
  installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\n${upstreamYaml(port)}zones:\n${zone("gate", 1)}${zone("shed", 77)}`,
  );
  const { code, find } = await doctor();
  expect(code).toBe(1);
  expect(find("Centre")).toMatchObject([
    { status: "ok" },
    { status: "error", text: expect.stringMatching(/^does not know obiective\/cladiri\/77;/) },
  ]);
  expect(find("Daemon")).toMatchObject([
    { status: "warning", text: expect.stringMatching(/cannot connect to the daemon/) },
  ]);
  expect(find("Databases")).toMatchObject([{ status: "warning", text: expect.stringMatching(/none in/) }]);
});

test("a daemon that has run and is stopped is an error", async () => {
  installation.daemon("site", `http: { port: 0 }\nmqtt: off\nzones:\n${zone("gate", 1)}`);
  const found = async (): Promise<CheckResult[]> => (await doctor()).find("Daemon");
  expect(await found()).toMatchObject([{ status: "warning" }]);
  mkdirSync(join(installation.folder, "site"), { recursive: true });
  writeFileSync(join(installation.folder, "site", "journal.db"), "");
  expect(await found()).toMatchObject([
    { status: "error", text: expect.stringMatching(/cannot connect to the daemon/) },
  ]);
});

test.each([
  ["that is unreachable", "correct horse battery staple", true, /is unreachable: .*ECONNREFUSED/],
  ["that rejects the account", "another password", false, /rejects the site's account \(401\)/],
])("a dispatch centre %s is an error", async (_what, password, isDown, text) => {
  const { port } = await startCentre(installation, OBJECTIVES);
  installation.secret("upstream.password", password);
  installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\n${upstreamYaml(isDown ? await freePort() : port)}`,
  );
  const { code, find } = await doctor();
  expect(code).toBe(1);
  expect(find("Centre")).toMatchObject([{ status: "error", text: expect.stringMatching(text) }]);
});

test("a dispatch centre that is back before the daemon's next attempt is reported with the command for an attempt now", async () => {
  const { port } = await startCentre(installation, OBJECTIVES);
  const line = new FaultProxy(port);
  // The daemon waits for an hour after its first attempt.
  line.faultFor = () => (exchange) =>
    void exchange.near.end(
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 3600\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
  const linePort = await line.start();
  try {
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: off\n${upstreamYaml(linePort)}${OBJECTIVES}`,
    );
    await site.start();
    const condition = async (): Promise<CheckResult[]> =>
      (await doctor()).find("Dispatch centre unreachable");
    await eventually("the condition", async () => (await condition()).length === 1);
    expect(await condition()).toMatchObject([
      { remedy: `See upstream-unreachable in ${join(import.meta.dirname, "../../docs/operating.md")}.` },
    ]);

    line.faultFor = () => undefined;
    const { find } = await doctor();
    expect(find("Centre")).toMatchObject([{ status: "ok" }]);
    expect(find("Dispatch centre unreachable")).toMatchObject([
      {
        text: expect.stringContaining("the daemon has not retried yet") as string,
        remedy: expect.stringContaining("santinela sync now") as string,
      },
    ]);
    const file = join(installation.folder, "site.yaml");
    await santinela(["sync", "now", "--config", file], { cwd: installation.folder });
    await eventually("the end of the condition", async () => (await condition()).length === 0);
  } finally {
    await line.stop();
  }
});

test("each error of an invalid file is an error, also while the last good configuration is used", async () => {
  const yaml = `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n${zone("gate", 1)}`;
  const site = installation.daemon("site", yaml);
  await site.start();
  expect((await doctor()).find("Configuration")).toMatchObject([{ status: "ok" }]);
  const broken = yaml.replace("mqtt:", "mqqt:").replace("name: gate", "name: 7");
  writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${broken}`);
  const { code, find } = await doctor();
  expect(code).toBe(1);
  const remedy = "Correct the file, then santinela check-config and santinela reload.";
  expect(find("Configuration")).toMatchObject([
    { status: "error", text: expect.stringMatching(/site\.yaml:3:1: mqqt: unknown option/), remedy },
    {
      status: "error",
      text: expect.stringMatching(/site\.yaml:7:\d+: zones\[0\]\.name: must be text/),
      remedy,
    },
    { status: "warning", text: "until then the last good configuration is used, with 1 zone" },
  ]);
  expect(find("Daemon")).toMatchObject([{ status: "ok" }]);
});

test("an unreadable database and a secret that others can read are errors with a remedy", async () => {
  const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\n");
  await site.start();
  await site.end("SIGTERM");
  writeFileSync(join(installation.folder, "site", "journal.db"), "no database");
  const key = join(installation.folder, "site", "secrets", "token-signing.key");
  chmodSync(key, 0o644);
  const { code, find } = await doctor();
  expect(code).toBe(1);
  expect(find("Databases")).toMatchObject([
    { status: "error", text: expect.stringMatching(/^journal\.db: .*not a database/) },
  ]);
  expect(find("Secrets")).toMatchObject([{ status: "error", remedy: `chmod 600 ${key}` }]);
});

test("status, message and remedy are printed one a line", async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await santinela(["doctor"], { cwd: folder });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^✔ Configuration: embedded, 3 zones\n▲ Databases: none in .*\n {4}They are created/,
  );
});

test("the demonstration of a first try on the data of an installation is an error", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "var"));
  writeFileSync(join(folder, "var", "last-good.yaml"), "# The last good copy of another file\n");
  const { code, stdout } = await santinela(["doctor"], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^✖ Configuration: no file was found, so the demonstration .*\n {4}Restore the file, or name it/,
  );
});

import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { CheckResult } from "../../src/cli/check-result.ts";
import { santinela } from "../support/command-line.ts";
import { EDGE, Installation, interventionsOf, startCentre, upstreamYaml } from "../support/installation.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const OBJECTIVES = "objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }\n";
const zones = (objective: number): string =>
  `zones:\n  - { id: gate, name: gate, kind: intrusion, objective: { type: obiective/cladiri, id: ${objective} }, input: { simulated: true } }\n`;

let installation: Installation;
let centre: DaemonProcess;
let port: number;
beforeEach(async () => {
  installation = Installation.temporary();
  ({ centre, port } = await startCentre(installation, OBJECTIVES));
});

/** Tests a new file at the dispatch centre; no daemon runs with it. */
async function tryCentre(yaml: string, ...more: string[]): Promise<Awaited<ReturnType<typeof santinela>>> {
  installation.daemon("site", `http: { port: 0 }\nmqtt: off\n${yaml}`);
  const file = join(installation.folder, "site.yaml");
  return santinela(["check-config", "--try-centre", "--config", file, ...more], { cwd: installation.folder });
}

test("a new file is tested at the dispatch centre before a daemon runs with it, and no test record is left there", async () => {
  const { code, stdout } = await tryCentre(`${upstreamYaml(port)}${zones(1)}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /is valid: 1 zone, pushes to .*\n✔ Centre: .* accepts .* and returns interventions\n/,
  );
  expect(stdout).toContain('✔ Objective names: obiective/cladiri/1 ("Hall")\n');
  expect(stdout).toContain("✔ Centre: returns the same record for a repeated Idempotency-Key");
  expect(stdout).toContain("✔ Centre: lets this account create, change and delete records\n");
  expect(stdout).toMatch(/✔ Centre: the test records were removed\n$/);
  expect(stdout).not.toMatch(/[▲✖]/u);
  expect(await interventionsOf(centre)).toEqual([]);
});

test("an objective with another name at the dispatch centre is a warning, and its records are tested all the same", async () => {
  const named = OBJECTIVES.replace("Hall", "My flat");
  const { stdout } = await tryCentre(`${upstreamYaml(port)}${named}${zones(1)}`);
  expect(stdout).toContain("▲ Objective names: other names at the dispatch centre");
  expect(stdout).toContain('obiective/cladiri/1 ("My flat" ≠ "Hall")');
  expect(stdout).toMatch(/✔ Centre: the test records were removed\n$/);
});

test("without --try-centre nothing is sent to the dispatch centre", async () => {
  const line = new TcpProxy(port);
  const linePort = Number(new URL(await line.start()).port);
  installation.daemon("site", `http: { port: 0 }\nmqtt: off\n${upstreamYaml(linePort)}${zones(1)}`);
  const command = ["check-config", "--config", join(installation.folder, "site.yaml")];
  const { code, stdout } = await santinela(command, { cwd: installation.folder });
  expect(code).toBe(0);
  expect(stdout).not.toContain("Centre");
  expect(line.connections).toBe(0);
  // The same file does reach it.
  await santinela([...command, "--try-centre"], { cwd: installation.folder });
  expect(line.connections).toBeGreaterThan(0);
  await line.stop();
});

test("what the dispatch centre would reject is printed as one JSON object, and the command exits with 1", async () => {
  const { code, stdout } = await tryCentre(`${upstreamYaml(port)}${zones(77)}`, "--json");
  expect(code).toBe(1);
  const { valid, centre: found } = JSON.parse(stdout) as { valid: boolean; centre: CheckResult[] };
  expect(valid).toBe(true);
  expect(found).toMatchObject([
    { status: "ok" },
    { status: "error", text: expect.stringMatching(/^does not know obiective\/cladiri\/77/) as string },
  ]);
});

test("an account that may sign in and not read is distinguished from one that may not sign in", async () => {
  const administrator = ["--email", "chief@centre.example", "--role", "administrator", "--password-stdin"];
  await centre.run(["user", "add", ...administrator], EDGE.password);
  await centre.run(["user", "role", "--email", EDGE.email, "--role", "viewer"]);
  const reader = await tryCentre(`${upstreamYaml(port)}${zones(1)}`);
  expect(reader.code).toBe(1);
  expect(reader.stdout).toMatch(
    /✖ Centre: .* denies read access to interventions \(403\)\n {4}Ask the dispatch centre to give the account/,
  );
  installation.secret("upstream.password", "another password");
  const stranger = await tryCentre(`${upstreamYaml(port)}${zones(1)}`);
  expect(stranger.code).toBe(1);
  expect(stranger.stdout).toMatch(/✖ Centre: .* rejects the site's account \(401\)/);
});

test("a file with an error is not tested at a dispatch centre", async () => {
  const { code, stdout, stderr } = await tryCentre(`${upstreamYaml(port)}zonez: []\n`);
  expect(code).not.toBe(0);
  expect(stdout).not.toContain("Centre");
  expect(stderr).toContain("zonez");
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { ObjectivesView } from "../../src/site/sync-view.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import { santinela } from "../support/command-line.ts";

const HERE =
  "objectives:\n  obiective/cladiri:\n    - { id: 1, name: Hall }\n    - { id: 2, name: Unknown there }\n";
const THERE =
  "objectives:\n  obiective/cladiri:\n    - { id: 1, name: Hala Nord }\n    - { id: 7, name: Depozit }\n  obiective/persoane:\n    - { id: 3, name: Paznic }\n";

const installation = Installation.temporary(afterAll);
let site: DaemonProcess;
let centre: DaemonProcess;
beforeAll(async () => {
  const centreDaemon = await startCentre(installation, THERE);
  centre = centreDaemon.centre;
  site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${HERE}${upstreamYaml(centreDaemon.port)}`,
  );
  await site.start();
});

const objectives = (...words: string[]) =>
  santinela(["objectives", ...words, "--config", "site.yaml"], { cwd: installation.folder });
const view = (): Promise<ObjectivesView> => site.get("/site/objectives");

test("a site reads the objectives at its first link, and shows those that differ", async () => {
  const read = await eventually("the first reading", async () => {
    const seen = await view();
    return seen.lists.every(({ readAt }) => readAt !== null) && seen;
  });
  expect(read.lists).toMatchObject([
    { type: "obiective/cladiri", objectives: 2, lastAttempt: "accepted", reason: null },
    { type: "obiective/bunuri", objectives: 0 },
    { type: "obiective/persoane", objectives: 1 },
  ]);
  const { stdout, stderr, code } = await objectives("list");
  expect(code).toBe(0);
  expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
    ["TYPE", "ID", "NAME", "AT THE CENTRE"],
    ["obiective/cladiri", "1", "Hall", 'named "Hala Nord"'],
    ["obiective/cladiri", "2", "Unknown there", "not listed"],
    ["obiective/cladiri", "7", "Depozit", "the same"],
    ["obiective/persoane", "3", "Paznic", "the same"],
    [""],
  ]);
  expect(stderr).toMatch(/obiective\/cladiri: 2 at the dispatch centre, as of 20\d\d-/);
});

test("a pull reads the current lists, and a record blocked by its objective is sent", async () => {
  const record = { name: "Call", objectiveType: "obiective/cladiri", objectiveId: 2 };
  await new ControlClient(join(installation.folder, "site")).post("/interventii", record);
  await eventually("the record to be blocked", async () => {
    const { summary } = await site.get<{ summary: { blocked: number } }>("/site/sync");
    return summary.blocked === 1;
  });
  const more = join(installation.folder, "more.json");
  writeFileSync(more, JSON.stringify({ "obiective/cladiri": [{ id: 2, name: "Made there" }] }));
  await centre.run(["objectives", "import", more]);
  const { stdout, code } = await objectives("pull");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      "obiective/cladiri: 3 objectives\nobiective/bunuri: 0 objectives\nobiective/persoane: 1 objectives\n",
  });
  await eventually("the record to be at the centre", async () => {
    const { summary } = await site.get<{ summary: { blocked: number; waiting: number } }>("/site/sync");
    return summary.blocked + summary.waiting === 0;
  });
});

test("a pull from an unreachable dispatch centre exits with 75 and the reason", async () => {
  await centre.end("SIGTERM");
  const { code, stdout, stderr } = await objectives("pull");
  expect(code).toBe(75);
  expect(stderr).toMatch(/could not be read: .*(ECONNREFUSED|cannot be reached)/);
  expect(stdout).toMatch(/obiective\/cladiri: failed; the local copy of 20\S+ \S+ \S+ stays in use/);
});

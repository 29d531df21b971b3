import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  Installation,
  interventionsOf,
  MAIN,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { testUnless } from "../support/required-programs.ts";

const installation = Installation.temporary(afterAll);
const OBJECTIVES = buildingsYaml(1);
const ZONE =
  "zones:\n  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n";
let centre: DaemonProcess;
let site: DaemonProcess;
let dataDir: string;

beforeAll(async () => {
  const started = await startCentre(installation, OBJECTIVES);
  centre = started.centre;
  site = installation.daemon(
    "site",
    `site: { ref: hall }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}${ZONE}${upstreamYaml(started.port)}`,
  );
  dataDir = join(installation.folder, "site");
  await site.start();
});

const run = (...line: string[]): ReturnType<typeof santinela> =>
  santinela([...line, "--config", "site.yaml"], { cwd: installation.folder });
const conditions = async (): Promise<string[]> =>
  (await site.get<{ conditions: { code: string }[] }>("/site/status")).conditions.map(({ code }) => code);

test("the data of a site on another machine has new keys, and reaches the centre only after a person has confirmed it", async () => {
  const confirmed = await run("machine", "confirm", "--yes");
  expect(confirmed).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to confirm") });
  const keyFile = join(dataDir, "secrets", "token-signing.key");
  const key = readFileSync(keyFile, "utf8");
  const machineFile = join(dataDir, "machine.json");
  // A machine without an identity cannot be distinguished from others.
  if (!existsSync(machineFile)) return;

  await site.end("SIGTERM");
  writeFileSync(machineFile, JSON.stringify({ serial: null, machineId: "another machine" }));
  await site.start();
  expect(await conditions()).toContain("machine-unknown");
  expect(readFileSync(keyFile, "utf8")).not.toBe(key);
  for (const contact of ["normal", "open"])
    await askDaemon(dataDir, "POST", "/site/simulate", { zone: "gate", contact });
  await eventually("the intervention here", async () => (await interventionsOf(site)).length === 1);
  await run("sync", "now");
  expect(await interventionsOf(centre)).toEqual([]);

  // Stands for a disk that does not take the file: a folder in its place.
  mkdirSync(`${machineFile}.part`);
  expect((await run("machine", "confirm", "--yes")).code).not.toBe(0);
  rmdirSync(`${machineFile}.part`);
  expect((await run("events", "--json")).stdout).not.toContain("machine-confirmed");
  expect(await conditions()).toContain("machine-unknown");

  expect((await run("machine", "confirm", "--yes")).code).toBe(0);
  await eventually(
    "the intervention at the centre",
    async () => (await interventionsOf(centre)).length === 1,
  );
  expect(await conditions()).not.toContain("machine-unknown");
  const { stdout: events } = await run("events", "--json");
  expect(events.match(/machine-confirmed/g)).toHaveLength(1);
});

const NO_MEMORY_DISK = existsSync("/dev/shm")
  ? undefined
  : "there is no /dev/shm: mount -t tmpfs tmpfs /dev/shm";

testUnless(NO_MEMORY_DISK, "a data directory in memory is a condition, and an error of doctor", async () => {
  const folder = mkdtempSync("/dev/shm/santinela-e2e-");
  symlinkSync(folder, join(installation.folder, "memory"));
  const daemon = installation.daemon(
    "memory",
    "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n",
  );
  try {
    await daemon.start();
    const { conditions: open } = await daemon.get<{ conditions: { code: string; text: string }[] }>(
      "/site/status",
    );
    expect(open).toMatchObject([{ code: "storage-volatile", text: expect.stringContaining("is on tmpfs") }]);
    const { code, stdout } = await santinela(["doctor", "--config", "memory.yaml"], {
      cwd: installation.folder,
    });
    expect([code, stdout]).toEqual([1, expect.stringContaining("lost at the next boot")]);
    await daemon.end("SIGTERM");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

testUnless(
  NO_MEMORY_DISK,
  "a configuration in memory, with the data on a disk, is a condition and an error of doctor",
  async () => {
    const folder = mkdtempSync("/dev/shm/santinela-e2e-");
    const configFile = join(folder, "santinela.yaml");
    const data = join(installation.folder, "on-disk");
    writeFileSync(
      configFile,
      `dataDir: ${data}\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n`,
    );
    const daemon = new DaemonProcess({ main: MAIN, configFile, dataDir: data });
    try {
      await daemon.start();
      const { conditions: open } = await daemon.get<{ conditions: object[] }>("/site/status");
      expect(open).toMatchObject([
        { code: "configuration-volatile", values: { folder, fileSystem: "tmpfs" } },
      ]);
      const { code, stdout } = await santinela(["doctor", "--config", configFile], { cwd: folder });
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining("an enrolment at the dispatch centre are lost"),
      ]);
    } finally {
      await daemon.end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

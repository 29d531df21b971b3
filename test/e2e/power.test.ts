import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Daemon } from "../../src/daemon.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LIMIT_MS = 60_000;

let folder: string;
let daemon: Daemon | undefined;
beforeEach(() => (folder = temporaryFolder()));
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
});

/** The files of a Raspberry Pi in /sys, beside those of another measuring device. */
function measure(alarm: "0" | "1"): void {
  for (const [device, name] of [
    ["hwmon0", "cpu_thermal"],
    ["hwmon1", "rpi_volt"],
  ] as const) {
    const at = join(folder, "machine/sys/class/hwmon", device);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "name"), `${name}\n`);
    if (name === "rpi_volt") writeFileSync(join(at, "in0_lcrit_alarm"), `${alarm}\n`);
  }
}

/** A whole daemon in this process, with the real clock, on a machine with these files. */
async function start(zones: string): Promise<void> {
  const file = join(folder, "site.yaml");
  writeFileSync(
    file,
    `dataDir: ./site
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hall }] }
${zones}`,
  );
  daemon = daemonInProcess(file, machineWith(join(folder, "machine")));
  await daemon.start();
}

async function ask<T>(path: string): Promise<T> {
  return (await askDaemon(join(folder, "site"), "GET", path)).value as T;
}
const zoneIs = (id: string, contact: string): Promise<unknown> =>
  eventually(
    `zone ${id} is ${contact}`,
    async () => (await ask<ZoneView[]>("/site/zones")).find((one) => one.id === id)?.contact === contact,
    LIMIT_MS,
  );
const records = (): Promise<Intervention[]> => ask("/interventii");

const VOLTAGE = `zones:
  - id: voltage
    name: Voltage
    kind: power
    objective: { type: obiective/cladiri, id: 1 }
    unavailableGraceS: 0
    input: { supply: raspberry-pi }
`;

test("the under-voltage of a Raspberry Pi is a repair at the centre, and its end is in the notes", async () => {
  measure("0");
  await start(VOLTAGE);
  await zoneIs("voltage", "normal");
  measure("1");
  const opened = async () => {
    const all = await records();
    return all.length > 0 && all;
  };
  const [record] = await eventually("the intervention", opened, LIMIT_MS);
  expect(record).toMatchObject({ type: "repair", priority: "medium", police: false });
  measure("0");
  await zoneIs("voltage", "normal");
  const isRestored = async () => /restored|restabilit/.test((await records())[0]?.notes ?? "");
  await eventually("the restore in the notes", isRestored, LIMIT_MS);
  expect(await records()).toHaveLength(1);
}, 240_000);

test("a machine without that driver makes the sensor unavailable, and its contact is unknown", async () => {
  await start(VOLTAGE);
  const isFaulty = async () =>
    (await ask<ZoneView[]>("/site/zones"))[0]?.faults.some(({ fault }) => fault === "supervision") === true;
  await eventually("the fault", isFaulty, LIMIT_MS);
  expect((await ask<ZoneView[]>("/site/zones"))[0]).toMatchObject({ contact: "unknown" });
}, 240_000);

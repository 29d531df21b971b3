// The hardware watchdog of the installation page, as QEMU has one: a machine that hangs as a whole is reset, and its site
// goes on. This does not show the watchdog of a Raspberry Pi.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { acknowledgedIn, expectEachOnce, SENSORS, startProgram, YAML } from "./acknowledged-trips.ts";
import { diskWith } from "./disk.ts";
import { Machine } from "./machine.ts";

const FILE = "/etc/systemd/system.conf.d/watchdog.conf";
/** A watchdog that no process has opened is inactive. */
const STATE =
  "cat /sys/class/watchdog/watchdog0/identity /sys/class/watchdog/watchdog0/state /sys/class/watchdog/watchdog0/timeout";
/** Acknowledged before a hang: some of the trips then wait for their record. */
const TRIPS = 5;

let folder: string;
let machine: Machine;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "santinela-watchdog-"));
  const page = readFileSync("docs/hardware.md", "utf8");
  const shown = new RegExp("```ini\\n(# " + FILE + "\\n[^]*?)```").exec(page)?.[1];
  const disk = diskWith(folder, { "/etc/santinela/santinela.yaml": YAML, [FILE]: shown ?? "" });
  machine = await Machine.bootFrom(disk, { watchdog: true });
  expect((await machine.run(STATE)).split("\n")).toEqual([expect.stringMatching(/6300/), "active", "15"]);
});
afterAll(async () => {
  // Undefined if it did not start.
  await (machine as Machine | undefined)?.cutPower();
  rmSync(folder, { recursive: true });
});

test("a machine whose systemd hangs is reset, and each trip acknowledged before is in one record", async () => {
  const boot = await machine.run("cat /proc/sys/kernel/random/boot_id");
  await startProgram(machine, SENSORS);
  await eventually("some trips", () => acknowledgedIn(machine).length >= TRIPS, 300_000);
  // systemd catches the signal, and stands still.
  await machine.reset("kill -SEGV 1");
  expect(await machine.run("cat /proc/sys/kernel/random/boot_id")).not.toBe(boot);
  const acknowledged = acknowledgedIn(machine);
  process.stdout.write(`${acknowledged.length} trips acknowledged before the reset\n`);
  await expectEachOnce(machine, acknowledged);
  // It is watched again.
  expect(await machine.run(STATE)).toContain("active");
});

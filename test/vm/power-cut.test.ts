// A killed virtual machine keeps flushed data and loses its memory, like in a power cut. This does not show
// that a real SD card has written what it reports: some do not.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pause, seededRandom } from "../support/installation.ts";
import { acknowledgedIn, expectEachOnce, rowsOf, SENSORS, startProgram, YAML } from "./acknowledged-trips.ts";
import { Machine } from "./machine.ts";

const CUTS = Number(process.env["CUTS"] ?? 10);
/** Trips at the rate of an alarm, two a second, for up to this time before each cut. */
const LONGEST_RUN_MS = 20_000;

/** Writes rows without fsync, and prints each one as written. */
const CONTROL = `
const Database = require("/usr/lib/santinela/current/node_modules/better-sqlite3");
const database = new Database("/var/lib/control.db");
database.pragma("journal_mode = WAL");
database.pragma("synchronous = NORMAL");
database.exec("CREATE TABLE IF NOT EXISTS rows(key TEXT)");
const insert = database.prepare("INSERT INTO rows VALUES(?)");
let count = 0;
setInterval(() => { insert.run("row-" + count); process.stdout.write("acknowledged row-" + count++ + "\\n"); }, 500);
`;

const random = seededRandom(20261121);
let folder: string;
let disk: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "santinela-cuts-"));
  disk = join(folder, "disk.img");
  copyFileSync(process.env["TEST_VM_DISK"] ?? "", disk);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program in the machine that prints acknowledgements, and cuts the power. @returns the acknowledgements */
async function cutDuring(machine: Machine, program: string): Promise<string[]> {
  await startProgram(machine, program);
  await pause(LONGEST_RUN_MS * (0.25 + 0.75 * random()));
  await machine.cutPower();
  return acknowledgedIn(machine);
}

test(`every acknowledged trip survives ${CUTS} power cuts and is in one record`, async () => {
  const acknowledged: string[] = [];
  for (let cut = 0; cut <= CUTS; cut += 1) {
    const machine = await Machine.bootFrom(disk);
    try {
      if (cut === 0) {
        await machine.write("/etc/santinela/santinela.yaml", YAML);
        await machine.run("systemctl restart santinela.service && sync");
      }
      await expectEachOnce(machine, acknowledged);
      if (cut === CUTS) continue;
      const keys = await cutDuring(machine, SENSORS);
      process.stdout.write(`power cut ${cut + 1}: ${keys.length} trips acknowledged before it\n`);
      acknowledged.push(...keys);
    } finally {
      await machine.cutPower();
    }
  }
  process.stdout.write(`${acknowledged.length} trips acknowledged over ${CUTS} power cuts, none lost\n`);
  expect(acknowledged.length).toBeGreaterThan(CUTS);
}, 7_200_000);

test("a database without fsync at each commit loses rows, so a loss would be detected", async () => {
  const machine = await Machine.bootFrom(disk);
  await machine.run("systemctl stop santinela.service && sync");
  const acknowledged = await cutDuring(machine, CONTROL);
  const again = await Machine.bootFrom(disk);
  try {
    const kept = await rowsOf(again, "/var/lib/control.db", "SELECT key FROM rows").catch(() => []);
    process.stdout.write(
      `with synchronous=NORMAL ${acknowledged.length - kept.length} of ${acknowledged.length} rows are lost\n`,
    );
    expect(kept.length).toBeLessThan(acknowledged.length);
  } finally {
    await again.cutPower();
  }
});

// A killed virtual machine keeps flushed data and loses its memory, like in a power cut. This does not show
// that a real SD card has written what it reports: some do not.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { pause, seededRandom } from "../support/installation.ts";
import { Machine } from "./machine.ts";

const CUTS = Number(process.env["CUTS"] ?? 10);
/** Trips at the rate of an alarm, two a second, for up to this time before each cut. */
const LONGEST_RUN_MS = 20_000;

const ZONES = Array.from({ length: 10 }, (_, index) => `gate-${index}`);
const YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
${ZONES.map((id) => `  - { id: ${id}, name: ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, swinger: false, input: { simulated: true } }`).join("\n")}
`;

/** Opens the zones in turn and prints the key of each acknowledged trip. */
const SENSORS = `
const { request } = require("http");
const zones = ${JSON.stringify(ZONES)};
function simulate(zone, contact) {
  return new Promise((resolve, reject) => {
    const options = { socketPath: "/var/lib/santinela/control.sock", path: "/site/simulate", method: "POST",
      headers: { host: "santinela", "content-type": "application/json" } };
    request(options, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk)).on("end", () => resolve(JSON.parse(text)));
    }).on("error", reject).end(JSON.stringify({ zone, contact }));
  });
}
(async () => {
  for (let turn = 0; ; turn += 1) {
    const zone = zones[turn % zones.length];
    for (const key of (await simulate(zone, "open")).trips) process.stdout.write("acknowledged " + key + "\\n");
    await simulate(zone, "normal");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
})();
`;

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

const NODE = "/usr/lib/santinela/current/node/bin/node";
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
  await machine.write("/run/program.cjs", program);
  await machine.run(`(${NODE} /run/program.cjs > /dev/ttyS1 2>&1 &) ; true`);
  await eventually("the first is acknowledged", () => machine.heard.includes("acknowledged "), 300_000);
  await pause(LONGEST_RUN_MS * (0.25 + 0.75 * random()));
  await machine.cutPower();
  return [...machine.heard.matchAll(/^acknowledged (\S+)\r?$/gm)].map(([, key = ""]) => key);
}

async function rowsOf(machine: Machine, database: string, query: string): Promise<string[]> {
  const program = `const d=require("/usr/lib/santinela/current/node_modules/better-sqlite3")("${database}");process.stdout.write(JSON.stringify(d.prepare("${query}").pluck().all()))`;
  return JSON.parse(await machine.run(`${NODE} -e '${program}'`)) as string[];
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
      await machine.run("until systemctl is-active --quiet santinela.service; do sleep 0.2; done");
      const trips = await rowsOf(machine, "/var/lib/santinela/journal.db", "SELECT key FROM trips");
      expect(acknowledged.filter((key) => !trips.includes(key))).toEqual([]);
      // Pending trips of the journal are dispatched now.
      await eventually(
        "every trip in a record",
        async () =>
          !(
            await rowsOf(machine, "/var/lib/santinela/journal.db", "SELECT DISTINCT state FROM trips")
          ).includes("waiting"),
        300_000,
      );
      const records = await rowsOf(
        machine,
        "/var/lib/santinela/santinela.db",
        "SELECT uid FROM interventions",
      );
      const dispositions = await rowsOf(
        machine,
        "/var/lib/santinela/journal.db",
        "SELECT state || char(32) || key FROM trips",
      );
      expect(dispositions.filter((disposition) => !/^(posted|merged) /.test(disposition))).toEqual([]);
      const opening = dispositions
        .filter((disposition) => disposition.startsWith("posted "))
        .map((disposition) => disposition.slice(7));
      expect(records.toSorted()).toEqual(opening.toSorted());
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

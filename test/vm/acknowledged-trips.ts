import { expect } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Machine } from "./machine.ts";

const ZONES = Array.from({ length: 10 }, (_, index) => `gate-${index}`);
/** A site whose zones can be opened without a contact. */
export const YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
${ZONES.map((id) => `  - { id: ${id}, name: ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, swinger: false, input: { simulated: true } }`).join("\n")}
`;

/** A program that opens zones in turn, two a second, and prints the key of each acknowledged trip. */
export const sensorsOf = (zones: readonly string[]): string => `
const { request } = require("http");
const zones = ${JSON.stringify(zones)};
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
export const SENSORS = sensorsOf(ZONES);

export const NODE = "/usr/lib/santinela/current/node/bin/node";
const [JOURNAL, RECORDS] = ["/var/lib/santinela/journal.db", "/var/lib/santinela/santinela.db"];

/** Starts a program in the machine that prints acknowledgements, and waits for the first. */
export async function startProgram(machine: Machine, program: string): Promise<void> {
  const from = machine.heard.length;
  await machine.write("/run/program.cjs", program);
  await machine.run(`(${NODE} /run/program.cjs > /dev/ttyS1 2>&1 &) ; true`);
  await eventually("the first is acknowledged", () => machine.heard.includes("acknowledged ", from), 300_000);
}

/** Everything that a program in the machine has acknowledged. */
export function acknowledgedIn(machine: Machine): string[] {
  return [...machine.heard.matchAll(/^acknowledged (\S+)\r?$/gm)].map(([, key = ""]) => key);
}

export async function rowsOf(machine: Machine, database: string, query: string): Promise<string[]> {
  const program = `const d=require("/usr/lib/santinela/current/node_modules/better-sqlite3")("${database}");process.stdout.write(JSON.stringify(d.prepare("${query}").pluck().all()))`;
  return JSON.parse(await machine.run(`${NODE} -e '${program}'`)) as string[];
}

/** Waits for the daemon, and compares: each acknowledged trip is in the journal, and each trip in exactly one record. */
export async function expectEachOnce(machine: Machine, acknowledged: readonly string[]): Promise<void> {
  await machine.run("until systemctl is-active --quiet santinela.service; do sleep 0.2; done");
  const trips = await rowsOf(machine, JOURNAL, "SELECT key FROM trips");
  expect(acknowledged.filter((key) => !trips.includes(key))).toEqual([]);
  // Pending trips of the journal are dispatched now.
  await eventually(
    "every trip in a record",
    async () => !(await rowsOf(machine, JOURNAL, "SELECT DISTINCT state FROM trips")).includes("waiting"),
    300_000,
  );
  const records = await rowsOf(machine, RECORDS, "SELECT uid FROM interventions");
  const dispositions = await rowsOf(machine, JOURNAL, "SELECT state || char(32) || key FROM trips");
  expect(dispositions.filter((disposition) => !/^(posted|merged) /.test(disposition))).toEqual([]);
  const opening = dispositions
    .filter((disposition) => disposition.startsWith("posted "))
    .map((disposition) => disposition.slice(7));
  expect(records.toSorted()).toEqual(opening.toSorted());
}

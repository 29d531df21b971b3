import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Daemon } from "../../src/daemon.ts";
import type { Condition } from "../../src/domain/condition.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { FakeConverters } from "../support/fake-converters.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** One end-of-line resistor and one across the contact, of 2.2 kΩ each. */
const [NORMAL, ALARM] = [2200, 4400];
const EOL = "eol: { normal: 2k2, alarm: 4k4, pullUp: 2k2 }";
const LIMIT_MS = 60_000;

let folder: string;
let converters: FakeConverters;
let daemon: Daemon | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  converters = new FakeConverters();
});
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
  converters.remove();
});

/** A whole daemon in this process, with the real clock, on a machine with these converters. */
async function start(): Promise<void> {
  const objective = (id: number): string => `objective: { type: obiective/cladiri, id: ${id} }`;
  const file = join(folder, "site.yaml");
  writeFileSync(
    file,
    `dataDir: ./site
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hall }, { id: 2, name: Yard }, { id: 3, name: Shed }] }
zones:
  - { id: hall, name: Hall, kind: intrusion, ${objective(1)}, unavailableGraceS: 0, input: { adc: ads1115, channel: 0, ${EOL} } }
  - { id: yard, name: Yard, kind: perimeter, ${objective(2)}, unavailableGraceS: 0, input: { adc: 1-0049, channel: 1, everyMs: 50, ${EOL} } }
  - { id: shed, name: Shed, kind: intrusion, ${objective(3)}, input: { simulated: true } }
`,
  );
  daemon = daemonInProcess(file, machineWith(converters.root));
  await daemon.start();
}

async function ask<T>(path: string): Promise<T> {
  return (await askDaemon(join(folder, "site"), "GET", path)).value as T;
}
const zone = async (id: string): Promise<ZoneView> => {
  const view = (await ask<ZoneView[]>("/site/zones")).find((one) => one.id === id);
  return view ?? expect.fail(`no zone ${id}`);
};
const conditions = async (): Promise<readonly Condition[]> =>
  (await ask<{ conditions: Condition[] }>("/site/status")).conditions;
const records = (): Promise<Intervention[]> => ask("/interventii");
const zoneShows = (id: string, state: string, contact: string): Promise<unknown> =>
  eventually(
    `zone ${id} shows ${state} and is ${contact}`,
    async () => {
      const view = await zone(id);
      return view.loop?.state === state && view.contact === contact;
    },
    LIMIT_MS,
  );
const codes = async (): Promise<string[]> =>
  (await conditions()).map(({ code, subject }) => `${code}/${subject}`).toSorted();

function plugBoth(): void {
  converters.plug("1-0048", "ads1115", 0, [NORMAL]);
  converters.plug("1-0049", "ads1015", 1, [0, NORMAL]);
}

test("a loop with end-of-line resistors trips, is restored, and shows its resistance", async () => {
  plugBoth();
  await start();
  await zoneShows("hall", "normal", "normal");
  expect((await zone("hall")).loop).toEqual({ state: "normal", ohms: 2200 });
  converters.measure("1-0048", 0, ALARM);
  await zoneShows("hall", "alarm", "open");
  const [record] = await eventually("the intervention", async () => {
    const all = await records();
    return all.length > 0 && all;
  });
  expect(record).toMatchObject({ objectiveId: 1, priority: "high", type: "other" });
  const [trip] = await ask<Trip[]>("/site/trips");
  expect(trip).toMatchObject({ zoneId: "hall", source: "adc", cause: "edge" });
  converters.measure("1-0048", 0, NORMAL * 1.08);
  await zoneShows("hall", "normal", "normal");
  expect(await codes()).toEqual([]);
});

test.each([
  ["a cut wire", Infinity, "cut"],
  ["a short circuit", 20, "short"],
])("%s is a tamper of the zone and no trip, until it is repaired", async (_what, ohms, state) => {
  plugBoth();
  await start();
  await zoneShows("yard", "normal", "normal");
  converters.measure("1-0049", 1, ohms);
  await zoneShows("yard", state, "normal");
  await eventually("the fault", async () => (await zone("yard")).faults[0]?.fault === "tamper");
  const [record] = await eventually("its intervention", async () => {
    const all = await records();
    return all.length > 0 && all;
  });
  expect(record).toMatchObject({ objectiveId: 2, type: "inspection", priority: "high" });
  expect((await zone("yard")).loop?.ohms).toBe(ohms === Infinity ? null : ohms);
  converters.measure("1-0049", 1, NORMAL);
  await zoneShows("yard", "normal", "normal");
  await eventually("no fault", async () => (await zone("yard")).faults.length === 0);
  expect(await records()).toHaveLength(1);
});

test("a value that no state explains is a condition with the ohms and a fault; the other zones work", async () => {
  plugBoth();
  await start();
  await zoneShows("hall", "normal", "normal");
  converters.measure("1-0048", 0, 3000);
  await zoneShows("hall", "outside", "normal");
  expect(await conditions()).toMatchObject([
    {
      code: "loop-out-of-range",
      subject: "hall",
      text: expect.stringMatching(/zone hall measures 3000 Ω, .*normal \(2200 Ω\), alarm \(4400 Ω\)/),
    },
  ]);
  await eventually("the fault", async () => (await zone("hall")).faults[0]?.fault === "supervision");
  converters.measure("1-0049", 1, ALARM);
  await zoneShows("yard", "alarm", "open");
  // It goes on as an alarm: the opening is a trip.
  converters.measure("1-0048", 0, ALARM);
  await zoneShows("hall", "alarm", "open");
  await eventually("no fault", async () => (await zone("hall")).faults.length === 0);
  expect(await codes()).toEqual([]);
  expect((await ask<Trip[]>("/site/trips")).map(({ zoneId, type }) => `${zoneId} ${type}`)).toContain(
    "hall trip",
  );
});

test("a converter that is missing, lost and back under another number is a fault of its own", async () => {
  converters.plug("1-0048", "ads1115", 0, [NORMAL]);
  await start();
  await zoneShows("hall", "normal", "normal");
  await eventually("the condition", async () => (await codes()).includes("adc-unavailable/1-0049"), LIMIT_MS);
  expect((await conditions())[0]?.text).toMatch(
    /^converter 1-0049: no converter is called 1-0049 \(found: ads1115 = 1-0048\)\. .* Not read: yard\.$/,
  );
  converters.plug("1-0049", "ads1015", 1, [0, NORMAL]);
  await zoneShows("yard", "normal", "normal");
  expect(await codes()).toEqual([]);

  converters.unplug("1-0048");
  await zoneShows("hall", "unread", "normal");
  await eventually(
    "the condition",
    async () => (await codes()).includes("adc-unavailable/ads1115"),
    LIMIT_MS,
  );
  await eventually("the fault", async () => (await zone("hall")).faults[0]?.fault === "supervision");
  converters.measure("1-0049", 1, ALARM);
  await zoneShows("yard", "alarm", "open");
  converters.plug("1-0048", "ads1115", 4, [ALARM]);
  await zoneShows("hall", "alarm", "open");
  await eventually("no condition", async () => (await codes()).length === 0, LIMIT_MS);
  const trips = await ask<Trip[]>("/site/trips");
  expect(
    trips
      .filter(({ type }) => type === "trip")
      .map(({ zoneId }) => zoneId)
      .toSorted(),
  ).toEqual(["hall", "yard"]);
});

test("a converter that does not answer is a fault; meanwhile the daemon and the other zones work", async () => {
  plugBoth();
  await start();
  await zoneShows("hall", "normal", "normal");
  const release = converters.hang("1-0048", 0);
  await eventually(
    "the condition",
    async () => (await codes()).includes("adc-unavailable/ads1115"),
    LIMIT_MS,
  );
  expect((await conditions())[0]?.text).toMatch(/has not been answered within 2 s\. .* Not read: hall\.$/);
  expect((await zone("hall")).loop).toEqual({ state: "unread", ohms: null });
  converters.measure("1-0049", 1, ALARM);
  await zoneShows("yard", "alarm", "open");
  await eventually("its intervention", async () =>
    (await records()).some(({ objectiveId }) => objectiveId === 2),
  );
  // The late answer is no reading: it would be a short circuit.
  await release();
  await zoneShows("hall", "normal", "normal");
  expect(await codes()).toEqual([]);
  expect((await ask<Trip[]>("/site/trips")).map(({ zoneId, cause }) => [zoneId, cause])).not.toContainEqual([
    "hall",
    "tamper",
  ]);
});

test("a converter that does not answer is not read again by each look of a user, and does not hold up the others", async () => {
  plugBoth();
  await start();
  const input = { adc: "1-0048", channel: 0, eol: { normal: "2k2", alarm: "4k4", pullUp: "2k2" } };
  const look = async (): Promise<unknown> =>
    (await askDaemon(join(folder, "site"), "POST", "/site/discovered/trial", { input })).value;
  expect(await look()).toMatchObject({ readings: [{ contact: "normal", value: "normal, 2200 Ω" }] });
  await zoneShows("yard", "normal", "normal");
  const release = converters.hang("1-0048", 0);
  await eventually(
    "the condition",
    async () => (await codes()).includes("adc-unavailable/ads1115"),
    LIMIT_MS,
  );
  // More than the threads in the pool of the process.
  for (const answer of await Promise.all(Array.from({ length: 6 }, look)))
    expect(answer).toEqual({ listening: "listening", readings: [] });
  expect(await look()).toEqual({ listening: "listening", readings: [] });
  converters.measure("1-0049", 1, ALARM);
  await zoneShows("yard", "alarm", "open");
  await release();
  await zoneShows("hall", "normal", "normal");
});

test("an input that cannot be read is a condition of its zone", async () => {
  plugBoth();
  converters.answer("1-0049", 1, "garbage\n");
  await start();
  await zoneShows("hall", "normal", "normal");
  await eventually(
    "the condition",
    async () => (await codes()).includes("adc-channel-failed/yard"),
    LIMIT_MS,
  );
  expect((await conditions())[0]?.text).toMatch(
    /converter 1-0049: .*in_voltage1_raw holds "garbage", not a number\./,
  );
  converters.measure("1-0049", 1, NORMAL);
  await zoneShows("yard", "normal", "normal");
  await eventually("no condition", async () => (await codes()).length === 0, LIMIT_MS);
});

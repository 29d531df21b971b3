import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type MqttClient } from "mqtt";
import { afterEach, describe, expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { countByObjective } from "../support/installation.ts";
import { allOf, SiteAndCentre } from "../support/site-and-centre.ts";

/* A thread of the daemon ends because of a defect, again and again, while contacts open. */

const ZONES = 12;
const zones = Array.from({ length: ZONES }, (_, index) => ({ id: `door-${index}`, building: 2 + index }));
const doors = zones.slice(0, ZONES / 2);
/** These publish at the built-in broker in some tests. */
const gates = zones.slice(ZONES / 2);

function yamlOf(mqtt: string, inputOf: (index: number) => string): string {
  const lines = zones.map(
    ({ id, building }, index) =>
      `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${building} }, input: ${inputOf(index)} }\n`,
  );
  return `mqtt: ${mqtt}\nzones:\n${lines.join("")}`;
}

let both: SiteAndCentre;
const folderOf = (daemon: "site" | "centre"): string => join(both.installation.folder, daemon);
afterEach(() => both.remove());

async function started(
  failpoint: string,
  siteYaml = yamlOf("off", () => "{ simulated: true }"),
  buildings = ZONES + 2,
) {
  both = new SiteAndCentre({ siteYaml, buildings });
  await both.start();
  await both.site.end("SIGTERM");
  return both.site.start({ ...process.env, SANTINELA_FAILPOINT: failpoint });
}

async function openEveryDoor(opened = zones): Promise<void> {
  for (const { id } of opened)
    // A thread that ends takes its requests with it; opening an open contact again changes nothing.
    await eventually(`${id} to open`, async () => {
      const order = { zone: id, contact: "open" };
      return (await askDaemon(folderOf("site"), "POST", "/site/simulate", order)).status === 200;
    });
}

/** Each door is exactly one intervention at the site and at the centre. */
async function expectOneEach(withinMs?: number): Promise<void> {
  await eventually(
    "one record of every door at the centre",
    async () => {
      const counts = countByObjective(await allOf(folderOf("centre")));
      return zones.every(({ building }) => counts.has(building));
    },
    withinMs,
  );
  const atSite = await eventually("the records of the site", () => allOf(folderOf("site")));
  for (const records of [await allOf(folderOf("centre")), atSite]) {
    const counts = countByObjective(records);
    expect(zones.map(({ building }) => counts.get(building))).toEqual(zones.map(() => 1));
  }
}

describe("each trip is exactly one intervention although", () => {
  test.each([
    ["a defect ends the front every 25 requests", "request:25=throw", "front"],
    ["the front fills its heap every 40 requests", "request:40=fill", "front"],
    ["a defect ends the records after every fourth commit", "record-changed:4=throw", "records"],
    ["the records fill their heap after every fifth commit", "record-changed:5=fill", "records"],
  ])("%s", async (_what, failpoint, thread) => {
    await started(failpoint);
    const { pid } = both.site;
    await openEveryDoor();
    await expectOneEach();
    await expectRestarted(thread);
    // The process has not been restarted: sensing went on.
    expect(both.site.pid).toBe(pid);
  });

  test("the records hang after the fourth commit of each of their runs", async () => {
    await started("record-changed:4=hang");
    const { pid } = both.site;
    await openEveryDoor();
    // Each run that hangs is ended after four pings without an answer.
    await expectOneEach(180_000);
    await expectRestarted("records");
    expect(both.site.pid).toBe(pid);
  }, 240_000);

  test.each([
    ["a defect ends the thread of long lists at every third one", "list-read:3=throw"],
    ["the thread of long lists fills its heap at every third one", "list-read:3=fill"],
  ])("%s, and the next list is answered", async (_what, failpoint) => {
    await started(failpoint, undefined, LONG_LIST);
    const { pid } = both.site;
    const over = new AbortController();
    const lists = readLongLists(over.signal);
    await openEveryDoor();
    await expectOneEach();
    await expectRestarted("lists");
    over.abort();
    expect(await lists).toEqual(new Set([200, 503]));
    await eventually("the next list", async () => (await longList()).status === 200);
    expect(both.site.pid).toBe(pid);
  });

  test("a defect ends the thread of a backup, whose download is refused", async () => {
    await started("backup-task=throw");
    const { pid } = both.site;
    const { status, value } = await askDaemon(folderOf("site"), "GET", "/site/backup");
    expect([status, value]).toEqual([
      503,
      expect.objectContaining({
        message: expect.stringMatching(/^the work on the backup has failed: failpoint/) as string,
      }),
    ]);
    await expectRestarted("backup");
    await openEveryDoor();
    await expectOneEach();
    expect(both.site.pid).toBe(pid);
  });
});

/** Objectives; a search reads this many in a thread of its own (`service/sqlite-objectives`). */
const LONG_LIST = 600;

const longList = () => askDaemon(folderOf("site"), "GET", "/obiective/cladiri?q=hall&_start=0&_end=5");

/** Requests one long list after the other. @returns the statuses of the answers */
async function readLongLists(over: AbortSignal): Promise<Set<number>> {
  const statuses = new Set<number>();
  while (!over.aborted) statuses.add((await longList()).status);
  return statuses;
}

/** Ends the records five times, each time by a record of building 1: their next start is then seconds away. */
async function endRecords(): Promise<void> {
  const body = { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1 };
  const counted = async () => (await allOf(folderOf("site"))).filter(({ objectiveId }) => objectiveId === 1);
  for (let end = 1; end <= 5; end += 1)
    await eventually(`the end of the records, number ${end}`, async () => {
      await askDaemon(folderOf("site"), "POST", "/interventii", body, { "Idempotency-Key": `end-${end}` });
      return (await counted()).length === end;
    });
}

describe("a reload while the records are started again is not lost:", () => {
  const ADDED = ZONES + 2;
  const status = () => both.site.get<StatusView>("/site/status");

  test.each([
    ["the answer to a request comes once the zones are in force", "request"],
    ["a signal is followed", "signal"],
  ])("%s", async (_what, by) => {
    await started("record-changed:1=throw");
    const file = join(both.installation.folder, "site.yaml");
    const zone = `{ id: added, name: Added, kind: intrusion, objective: { type: obiective/cladiri, id: ${ADDED} }, input: { simulated: true } }`;
    writeFileSync(file, readFileSync(file, "utf8").replace("zones:\n", `zones:\n  - ${zone}\n`));
    await endRecords();
    if (by === "signal") both.site.hangUp();
    else expect(await askDaemon(folderOf("site"), "POST", "/site/reload")).toMatchObject({ status: 200 });
    const order = { zone: "added", contact: "open" };
    await eventually("the new zone to open", async () => {
      return (await askDaemon(folderOf("site"), "POST", "/site/simulate", order)).status === 200;
    });
    await eventually("its record at the centre", async () =>
      (await allOf(folderOf("centre"))).some(({ objectiveId }) => objectiveId === ADDED),
    );
    expect((await status()).conditions.map(({ code }) => code)).not.toContain("configuration-invalid");
  });
});

test("the heap of each thread is in the metrics, and the longest delay of each other one", async () => {
  await started(
    "none",
    yamlOf("{ listen: { port: 0 } }", () => "{ simulated: true }"),
  );
  await eventually("four threads", async () => {
    const cwd = both.installation.folder;
    const { stdout } = await santinela(["metrics", "--config", "site.yaml"], { cwd });
    const threads = stdout.matchAll(/^santinela_thread_heap_bytes\{thread="(\w+)"\} [1-9]\d{6,}$/gm);
    const names = new Set(Array.from(threads, ([, thread]) => thread));
    const delays = stdout.matchAll(/^santinela_thread_delay_seconds\{thread="(\w+)"\} \d+/gm);
    const delayed = new Set(Array.from(delays, ([, thread]) => thread));
    const others = ["broker", "front", "records"];
    return names.has("sensing") && others.every((name) => names.has(name) && delayed.has(name));
  });
});

async function expectRestarted(thread: string): Promise<void> {
  await eventually("the condition", async () => {
    const { conditions } = await both.site.get<StatusView>("/site/status");
    return conditions.some(({ code, subject }) => code === "thread-failed" && subject === thread);
  });
}

describe("doors on lines and gates at the built-in broker are one trip each although", () => {
  const mqtt = "{ listen: { port: 0 } }\nhomeAssistant: { enabled: true }";
  const siteYaml = yamlOf(mqtt, (index) =>
    index < doors.length ? `{ gpio: ${index} }` : `{ mqtt: gate/${index}, open: ["ON"], normal: ["OFF"] }`,
  );
  let sensors: MqttClient[] = [];
  afterEach(() => {
    for (const sensor of sensors) sensor.end(true);
  });

  /** Resolves once the broker has acknowledged each message of each gate, on whatever connection. */
  async function openAndCloseEveryGate(port: number | undefined): Promise<void> {
    sensors = gates.map(({ id }) =>
      connect(`mqtt://127.0.0.1:${port}`, { clientId: id, reconnectPeriod: 50 }).on(
        "error",
        () => "it connects again",
      ),
    );
    await Promise.all(
      sensors.map(async (sensor, index) => {
        for (const payload of ["OFF", "ON", "OFF"])
          await sensor.publishAsync(`gate/${doors.length + index}`, payload, { qos: 1 });
      }),
    );
  }

  /** The broker has lost its retained messages, and has those of the daemon again. */
  async function expectPublishedAgain(): Promise<void> {
    const [sensor] = sensors;
    const shown: string[] = [];
    sensor?.on("message", (_topic, payload) => shown.push(payload.toString()));
    await eventually("the availability of this installation", async () => {
      await sensor?.subscribeAsync("santinela/proof/availability");
      return shown.includes("online");
    });
  }

  /** The time without the broker is in the event log as a time in which sensors could not be read. */
  async function expectRecordedGap(): Promise<void> {
    await eventually("the monitoring gap", async () => {
      const entries = await both.site.get<TimelineEntry[]>("/site/journal?limit=1000");
      return entries.some(
        ({ event, subject }) => event === "blind-interval" && subject === "mqtt-broker-not-listening",
      );
    });
  }

  // Twice the number of gates, each of which has one message in flight: so each run of the broker acknowledges some.
  test.each([
    ["a defect ends the broker before every twelfth message", "broker-message:12=throw"],
    ["a defect ends the broker before every twelfth acknowledgement", "broker-committed:12=throw"],
    ["the broker fills its heap before every twelfth acknowledgement", "broker-committed:12=fill"],
  ])("%s", async (_what, failpoint) => {
    const { mqttPort } = await started(failpoint, siteYaml);
    const { pid } = both.site;
    await Promise.all([openEveryDoor(doors), openAndCloseEveryGate(mqttPort)]);
    await expectOneEach();
    const trips = await both.site.get<Trip[]>("/site/trips");
    expect(trips.map(({ zoneId }) => zoneId).toSorted()).toEqual(zones.map(({ id }) => id).toSorted());
    await expectRestarted("broker");
    expect(both.site.pid).toBe(pid);
    await expectPublishedAgain();
    await expectRecordedGap();
  });
});

test("a defect in sensing ends the process, and the next start has every trip", async () => {
  await started("journal-committed:3=throw");
  for (const { id } of zones.slice(0, 3))
    await askDaemon(folderOf("site"), "POST", "/site/simulate", { zone: id, contact: "open" }).catch(
      () => "the process ends at the third trip",
    );
  await both.site.exited();
  await both.site.start();
  await openEveryDoor();
  await expectOneEach();
});

test.each([
  ["cannot be started", "throw"],
  ["hangs at its start", "hang"],
])(
  "a built-in broker whose thread %s does not end the daemon, which reports it and monitors the other zones",
  async (_what, effect) => {
    await started(
      `broker-start=${effect}`,
      yamlOf("{ listen: { port: 0 } }", () => "{ simulated: true }"),
    );
    await openEveryDoor();
    await expectOneEach();
    const { conditions } = await both.site.get<StatusView>("/site/status");
    expect(conditions.map(({ code, subject }) => `${code} ${subject}`)).toEqual(
      expect.arrayContaining(["thread-failed broker", "mqtt-broker-not-listening "]),
    );
  },
);

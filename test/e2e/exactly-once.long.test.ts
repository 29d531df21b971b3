import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  countByObjective,
  Installation,
  interventionsOf,
  pause,
  seededRandom,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { testSeed } from "../support/seeded-random.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

const ZONES = 200;
const KILLS = 20;
const ids = Array.from({ length: ZONES }, (_, index) => index + 1);

const OBJECTIVES = buildingsYaml(ZONES);

/** Gates, each at the building from `buildingOf`. */
function gatesYaml(gates: readonly number[], buildingOf: (id: number) => number): string {
  const zones = gates.map(
    (id) =>
      `  - { id: gate-${id}, name: Gate ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${buildingOf(id)} }, input: { mqtt: zigbee2mqtt/gate-${id}, path: /contact, open: [false], normal: [true] } }\n`,
  );
  return `zones:\n${zones.join("")}`;
}

describeWithMosquitto("with a real broker", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let sensors: MqttClient;

  beforeEach(async () => {
    installation = Installation.temporary();
    broker = await startMosquitto();
    sensors = await connectAsync(broker.url);
  });
  afterEach(async () => {
    await sensors.endAsync();
    await broker.stop();
  });

  /** Starts the site and opens every gate after a closed reading, a number of them between two kills. */
  async function openWhileKilled(
    site: DaemonProcess,
    gates: readonly number[],
    perKill: number,
    random: () => number,
  ): Promise<void> {
    await site.start();
    // Messages before the first subscription are lost: publish "closed" until the daemon has read them.
    await eventually("a closed reading of every gate", async () => {
      const zones = await site.get<{ contact: string }[]>("/site/zones");
      const unseen = gates.filter((_id, index) => zones[index]?.contact !== "normal");
      await publishAll(sensors, unseen, true);
      return unseen.length === 0;
    });
    for (let opened = 0; opened < gates.length; opened += perKill) {
      const publishing = publishAll(sensors, gates.slice(opened, opened + perKill), false);
      await pause(random() * 1200);
      await site.end("SIGKILL");
      await publishing;
      // The next kill may happen during the start.
      void site.start().catch(() => "it was killed before it was ready");
    }
    await site.end("SIGKILL");
    await site.start();
  }

  test("200 trips of 200 zones, with the daemon killed at 20 random moments, are 200 interventions here and at the centre", async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    const { centre, port } = await startCentre(installation, OBJECTIVES);
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n${OBJECTIVES}${gatesYaml(ids, (id) => id)}${upstreamYaml(port)}`,
    );
    await openWhileKilled(site, ids, ZONES / KILLS, random);

    await eventually(
      `200 records at the centre (seed ${seed})`,
      async () => (await interventionsOf(centre)).length >= ZONES,
      50_000,
    );
    await eventually(
      "the site to know that all are there",
      async () => (await site.get<{ summary: { waiting: number } }>("/site/sync")).summary.waiting === 0,
    );
    expectEachOnce(await interventionsOf(site), seed);
    expectEachOnce(await interventionsOf(centre), seed);
  }, 180_000);

  test("90 trips at ten objectives, with the daemon killed at ten random moments, are ten interventions that contain each trip once", async () => {
    const seed = testSeed();
    const random = seededRandom(seed);
    const gates = ids.slice(0, 90);
    const buildingOf = (id: number): number => (id % 10) + 1;
    const site = installation.daemon(
      "site",
      `site: { locale: en }\nhttp: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n${buildingsYaml(10)}${gatesYaml(gates, buildingOf)}`,
    );
    await openWhileKilled(site, gates, 9, random);

    const trips = await eventually("every trip to be processed", async () => {
      const stored = await site.get<Trip[]>("/site/trips?limit=1000");
      return stored.length >= 90 && stored.every(({ state }) => state !== "waiting") && stored;
    });
    expect(trips, `seed ${seed}`).toHaveLength(90);
    const records = await interventionsOf(site);
    expect(records, `seed ${seed}`).toHaveLength(10);
    for (const { objectiveId, description, notes, police } of records) {
      const mentioned = [description, ...(notes ?? "").split("\n")].map(
        (line) => /Gate (\d+)/.exec(line ?? "")?.[1],
      );
      const own = gates.filter((id) => buildingOf(id) === objectiveId).map(String);
      expect(mentioned).toHaveLength(own.length);
      expect(new Set(mentioned), `objective ${objectiveId}, seed ${seed}`).toEqual(new Set(own));
      expect(police).toBe(true);
    }
  }, 180_000);
});

function expectEachOnce(records: Awaited<ReturnType<typeof interventionsOf>>, seed: number): void {
  const counts = countByObjective(records);
  const unexpected = ids
    .filter((id) => counts.get(id) !== 1)
    .map((id) => `${id}: ${counts.get(id) ?? 0} times`);
  expect(unexpected, `seed ${seed}`).toEqual([]);
  expect(records).toHaveLength(ZONES);
}

async function publishAll(sensors: MqttClient, gates: readonly number[], contact: boolean): Promise<void> {
  const payload = JSON.stringify({
    battery: 60,
    battery_low: false,
    contact,
    linkquality: 23,
    tamper: false,
    voltage: 2900,
  });
  for (const id of gates) await sensors.publishAsync(`zigbee2mqtt/gate-${id}`, payload, { qos: 1 });
}

import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import { eventually } from "../support/eventually.ts";
import {
  countByObjective,
  Installation,
  interventionsOf,
  pause,
  seededRandom,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

const ZONES = 200;
const KILLS = 20;
const ids = Array.from({ length: ZONES }, (_, index) => index + 1);

const OBJECTIVES = `objectives:\n  obiective/cladiri:\n${ids.map((id) => `    - { id: ${id}, name: Hall ${id} }\n`).join("")}`;
const ZONES_YAML = `zones:\n${ids
  .map(
    (id) =>
      `  - { id: gate-${id}, name: Gate ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${id} }, input: { mqtt: zigbee2mqtt/gate-${id}, path: /contact, open: [false], normal: [true] } }\n`,
  )
  .join("")}`;

describeWithMosquitto("with a real broker", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let sensors: MqttClient;

  beforeEach(async () => {
    installation = new Installation();
    broker = await startMosquitto();
    sensors = await connectAsync(broker.url);
  });
  afterEach(async () => {
    await sensors.endAsync();
    await broker.stop();
    await installation.remove();
  });

  test("200 trips of 200 zones, with the daemon killed at 20 random moments, are 200 interventions here and at the centre", async () => {
    const seed = Number(process.env["SANTINELA_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seededRandom(seed);
    const { centre, port } = await startCentre(installation, OBJECTIVES);
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n${OBJECTIVES}${ZONES_YAML}${upstreamYaml(port)}`,
    );
    await site.start();
    // What is published before the first subscription is nobody's: the gates say "closed" until they have been heard.
    await eventually("every gate to have been seen closed", async () => {
      const zones = await site.get<{ id: string; contact: string }[]>("/site/zones");
      const unseen = ids.filter((_id, index) => zones[index]?.contact !== "normal");
      await publishAll(sensors, unseen, true);
      return unseen.length === 0;
    });

    for (let kill = 0; kill < KILLS; kill += 1) {
      const perKill = ZONES / KILLS;
      const publishing = publishAll(sensors, ids.slice(kill * perKill, (kill + 1) * perKill), false);
      await pause(random() * 1200);
      await site.end("SIGKILL");
      await publishing;
      // The next kill may strike while it is still starting.
      void site.start().catch(() => "it was killed before it was ready");
    }
    await site.end("SIGKILL");
    await site.start();

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

  test("90 trips at ten objectives, with the daemon killed at ten random moments, are ten interventions that tell of each trip once", async () => {
    const seed = Number(process.env["SANTINELA_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    const random = seededRandom(seed);
    const gates = ids.slice(0, 90);
    const halls = `objectives:\n  obiective/cladiri:\n${ids
      .slice(0, 10)
      .map((id) => `    - { id: ${id}, name: Hall ${id} }\n`)
      .join("")}`;
    const zones = gates
      .map(
        (id) =>
          `  - { id: gate-${id}, name: Gate ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${(id % 10) + 1} }, input: { mqtt: zigbee2mqtt/gate-${id}, path: /contact, open: [false], normal: [true] } }\n`,
      )
      .join("");
    const site = installation.daemon(
      "site",
      `site: { locale: en }\nhttp: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n${halls}zones:\n${zones}`,
    );
    await site.start();
    await eventually("every gate to have been seen closed", async () => {
      const seen = await site.get<{ contact: string }[]>("/site/zones");
      const unseen = gates.filter((_id, index) => seen[index]?.contact !== "normal");
      await publishAll(sensors, unseen, true);
      return unseen.length === 0;
    });
    for (let kill = 0; kill < 10; kill += 1) {
      const publishing = publishAll(sensors, gates.slice(kill * 9, (kill + 1) * 9), false);
      await pause(random() * 1200);
      await site.end("SIGKILL");
      await publishing;
      void site.start().catch(() => "it was killed before it was ready");
    }
    await site.end("SIGKILL");
    await site.start();

    const trips = await eventually("every trip to be settled", async () => {
      const seen = await site.get<Trip[]>("/site/trips?limit=1000");
      return seen.length >= 90 && seen.every(({ state }) => state !== "waiting") && seen;
    });
    expect(trips, `seed ${seed}`).toHaveLength(90);
    const records = await interventionsOf(site);
    expect(records, `seed ${seed}`).toHaveLength(10);
    for (const { objectiveId, description, notes, police } of records) {
      const told = [description, ...(notes ?? "").split("\n")].map(
        (line) => /gate-(\d+)/.exec(line ?? "")?.[1],
      );
      const own = gates.filter((id) => (id % 10) + 1 === objectiveId).map(String);
      expect(told).toHaveLength(own.length);
      expect(new Set(told), `objective ${objectiveId}, seed ${seed}`).toEqual(new Set(own));
      expect(police).toBe(true);
    }
  }, 180_000);
});

function expectEachOnce(records: Awaited<ReturnType<typeof interventionsOf>>, seed: number): void {
  const counts = countByObjective(records);
  const wrong = ids.filter((id) => counts.get(id) !== 1).map((id) => `${id}: ${counts.get(id) ?? 0} times`);
  expect(wrong, `seed ${seed}`).toEqual([]);
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

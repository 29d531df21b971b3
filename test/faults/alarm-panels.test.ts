import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { connectAsync } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import { AlarmPanel, newPanelKey, wire } from "../support/alarm-panel.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  countByObjective,
  Installation,
  interventionsOf,
  pause,
  seededRandom,
} from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { readChangedFrames } from "../support/panel-frames.ts";
import { wrappingSequences } from "../support/wrapping-sequences.ts";

/*
 * Panels repeat each message until it is acknowledged, over TCP and UDP, half of them encrypted, while the daemon is
 * killed. SIGKILL tests the order of commit and acknowledgement; power cuts of the disk are tested elsewhere.
 */

const PANELS = 40;
const ALARMS = 20;
const ZONES = 4;
const KILLS = 6;

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => installation.remove());

const accounts = Array.from({ length: PANELS }, (_, index) => String(1000 + index));

test("800 alarms of 40 panels, with the daemon killed at six random moments, are each one trip", async () => {
  const seed = Number(process.env["SANTINELA_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const random = seededRandom(seed);
  const port = await freePort();
  const key = newPanelKey(16);
  installation.secret("panel.key", key);
  const isEncrypted = (index: number): boolean => index % 2 === 0;
  const panelsYaml = accounts.map(
    (account, index) =>
      `    - { account: "${account}", ${isEncrypted(index) ? "keyFile: panel.key" : "plain: true, from: [127.0.0.1]"}, objective: { type: obiective/cladiri, id: ${index + 1} } }\n`,
  );
  const zonesYaml = accounts.flatMap((account, index) =>
    Array.from(
      { length: ZONES },
      (_, zone) =>
        `  - { id: p${account}-${zone}, name: Smoke ${zone}, kind: fire, objective: { type: obiective/cladiri, id: ${index + 1} }, input: { dc09: "${account}", zone: ${zone + 1} } }\n`,
    ),
  );
  const site = installation.daemon(
    "site",
    `site: { locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(PANELS)}dc09:\n  port: ${port}\n  accounts:\n${panelsYaml.join("")}zones:\n${zonesYaml.join("")}`,
  );
  await site.start();
  const panels = accounts.map(
    (account, index) =>
      new AlarmPanel({
        account,
        port: () => port,
        transport: index % 4 < 2 ? "tcp" : "udp",
        wallMs: () => Date.now(),
        replyWithinMs: 1_000,
        ...(isEncrypted(index) ? { key } : {}),
      }),
  );
  let acknowledged = 0;
  const reporting = panels.map(async (panel) => {
    for (let alarm = 0; alarm < ALARMS; alarm += 1) {
      await pause(random() * 600);
      await panel.report(`1110 01 00${(alarm % ZONES) + 1}`);
      acknowledged += 1;
    }
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(200 + random() * 1_500);
    await site.end("SIGKILL");
    await site.start();
  }
  await Promise.all(reporting);
  expect(acknowledged).toBe(PANELS * ALARMS);
  const sent = panels.reduce((sum, panel) => sum + panel.sent, 0);
  expect(sent, `seed ${seed}: the kills must have caused repetitions`).toBeGreaterThan(PANELS * ALARMS);

  const trips = await eventually("every trip to be processed", async () => {
    const all = await site.get<Trip[]>("/site/trips?limit=1000");
    return all.every(({ state }) => state !== "waiting") && all;
  });
  const byZone = new Map<string, number>();
  for (const { zoneId, type } of trips)
    if (type === "trip") byZone.set(zoneId, (byZone.get(zoneId) ?? 0) + 1);
  const expected = accounts.flatMap((account) =>
    Array.from({ length: ZONES }, (_, zone) => [`p${account}-${zone}`, ALARMS / ZONES] as const),
  );
  expect(Object.fromEntries(byZone), `seed ${seed}`).toEqual(Object.fromEntries(expected));
  const records = countByObjective(await interventionsOf(site));
  expect([...records.values()], `seed ${seed}`).toEqual(Array.from({ length: PANELS }, () => 1));
}, 180_000);

test("while senders flood the receiver, every alarm of a panel and of 20 MQTT sensors is a trip", async () => {
  const port = await freePort();
  const key = newPanelKey(16);
  installation.secret("panel.key", key);
  const ids = Array.from({ length: 20 }, (_, index) => index + 1);
  const zonesYaml = ids.map(
    (id) =>
      `  - { id: door-${id}, name: Door ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${id} }, input: { mqtt: door/${id}, open: [open], normal: [closed] } }\n`,
  );
  const site = installation.daemon(
    "site",
    `site: { locale: en }\nhttp: { port: 0 }\nmqtt: { listen: { port: 0 } }\ngpio: { backend: simulated }\n${buildingsYaml(21)}dc09: { port: ${port}, accounts: [ { account: "1234", keyFile: panel.key, objective: { type: obiective/cladiri, id: 21 } } ] }\nzones:\n${zonesYaml.join("")}`,
  );
  const { mqttPort } = await site.start();
  const flood = new Flood(port);
  try {
    const sensors = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`);
    for (const state of ["closed", "open"])
      for (const id of ids) await sensors.publishAsync(`door/${id}`, state, { qos: 1 });
    await sensors.endAsync();
    const panel = new AlarmPanel({ account: "1234", key, port: () => port, wallMs: () => Date.now() });
    for (const id of ids) expect(await panel.report(`1110 01 ${String(id).padStart(3, "0")}`)).toBe(true);
  } finally {
    flood.end();
  }
  expect(flood.sent, "the flood must have reached the receiver").toBeGreaterThan(1_000);
  const trips = await eventually("every trip to be processed", async () => {
    const all = await site.get<Trip[]>("/site/trips?limit=1000");
    return all.every(({ state }) => state !== "waiting") && all;
  });
  expect(trips.filter(({ type, source }) => type === "trip" && source === "mqtt")).toHaveLength(20);
  expect(trips.filter(({ type, source }) => type === "trip" && source === "dc09")).toHaveLength(20);
  const { conditions } = await site.get<{ conditions: { code: string; subject: string }[] }>("/site/status");
  expect(conditions).toContainEqual(
    expect.objectContaining({ code: "alarm-panel-rejected", subject: "unknown-account 6666" }),
  );
}, 180_000);

/** Opens connections and sends frames of an unknown account and noise over both transports, until it ends. */
class Flood {
  sent = 0;
  #isOver = false;
  readonly #sockets = new Set<Socket>();
  readonly #udp = createSocket("udp4");

  constructor(port: number) {
    const frame = wire('"ADM-CID"0001L0#6666[#6666|1110 01 001]');
    const noise = Buffer.concat([Buffer.alloc(512, 0x0a), frame]);
    const turn = (): void => {
      if (this.#isOver) return;
      for (let count = 0; count < 20 && this.#sockets.size < 600; count += 1) this.#open(port, frame);
      for (let count = 0; count < 50; count += 1)
        this.#udp.send(count % 2 === 0 ? frame : noise, port, "127.0.0.1");
      this.sent += 50;
      setImmediate(turn);
    };
    turn();
  }

  #open(port: number, frame: Buffer): void {
    const socket = connect(port, "127.0.0.1", () => socket.write(frame));
    this.#sockets.add(socket);
    socket.on("error", () => "closed by the receiver");
    socket.on("close", () => this.#sockets.delete(socket));
    this.sent += 1;
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#udp.close();
  }
}

test("100,000 changed frames, cut anywhere, never end the reader", () => {
  expect(() => readChangedFrames(100_000, Math.floor(Math.random() * 2 ** 31))).not.toThrow();
}, 120_000);

test("in a year with sequences that wrap 52 times and no times, each alarm is new and each repetition is not", () => {
  expect(wrappingSequences(365)).toEqual({ wrong: [], rows: 256 });
}, 120_000);

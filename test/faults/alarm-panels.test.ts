import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { connectAsync } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Trip } from "../../src/domain/trip.ts";
import { AlarmPanel, newAlarmPanelKey, wire, type AlarmPanelDialect } from "../support/alarm-panel.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, pause, seededRandom } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { readChangedFrames } from "../support/dc09-frames.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { testSeed } from "../support/seeded-random.ts";
import { allOf, SiteAndCentre } from "../support/site-and-centre.ts";
import { wrappingSequences } from "../support/wrapping-sequences.ts";

/*
 * Panels repeat each message until it is acknowledged, over TCP and UDP, half of them encrypted, while the daemon is
 * killed. SIGKILL tests the order of commit and acknowledgement; power cuts of the disk are tested elsewhere.
 */

/** Each zone has its own building, so that each has its own record; a configuration has at most 512 zones. */
const ZONES = 12;
const PANELS = RUN_LENGTH.panels;
const ALARMS_A_ZONE = Math.max(1, Math.ceil(RUN_LENGTH.events / (PANELS * ZONES)));
const EVENTS = PANELS * ZONES * ALARMS_A_ZONE;
const KILLS = 10;
const DIALECTS: readonly AlarmPanelDialect[] = ["standard", "covers-cr", "raw-checksum", "nul"];

let installation: Installation;
let both: SiteAndCentre | undefined;
beforeEach(() => (installation = Installation.temporary()));
afterEach(async () => {
  await both?.remove();
  both = undefined;
});

const accounts = Array.from({ length: PANELS }, (_, index) => String(1000 + index));
const isEncrypted = (index: number): boolean => index % 2 === 0;
const dialectOf = (index: number): AlarmPanelDialect =>
  DIALECTS[Math.floor(index / 4) % DIALECTS.length] ?? "standard";

function receiverYaml(port: number): string {
  const panels = accounts.map(
    (account, index) =>
      `    - { account: "${account}", ${isEncrypted(index) ? "keyFile: panel.key" : "plain: true, from: [127.0.0.1]"}, objective: { type: obiective/cladiri, id: ${index * ZONES + 1} } }\n`,
  );
  const zones = accounts.flatMap((account, index) =>
    Array.from(
      { length: ZONES },
      (_, zone) =>
        `  - { id: p${account}-${zone}, name: Smoke ${zone}, kind: fire, objective: { type: obiective/cladiri, id: ${index * ZONES + zone + 1} }, input: { dc09: "${account}", zone: ${zone + 1} } }\n`,
    ),
  );
  return `mqtt: off\ndc09:\n  port: ${port}\n  accounts:\n${panels.join("")}zones:\n${zones.join("")}`;
}

/** A panel in its dialect; one whose checksum includes the CR sends no time unless it must, as the real ones. */
function panelOf(account: string, index: number, port: number, key: string): AlarmPanel {
  const dialect = dialectOf(index);
  return new AlarmPanel({
    account,
    dialect,
    port: () => port,
    transport: index % 4 < 2 ? "tcp" : "udp",
    wallMs: dialect === "covers-cr" && !isEncrypted(index) ? undefined : () => Date.now(),
    replyWithinMs: 1_000,
    ...(isEncrypted(index) ? { key } : {}),
  });
}

test(`${EVENTS} alarms of ${PANELS} panels, with the daemon killed at ten random moments, are each one trip, and at the centre`, async () => {
  const random = seededRandom(RUN_LENGTH.seed);
  const port = await freePort();
  const key = newAlarmPanelKey(16);
  both = new SiteAndCentre({ siteYaml: receiverYaml(port), buildings: PANELS * ZONES });
  both.installation.secret("panel.key", key);
  await both.start();
  const { site } = both;
  const panels = accounts.map((account, index) => panelOf(account, index, port, key));
  let acknowledged = 0;
  const startedMs = performance.now();
  const reporting = panels.map(async (panel) => {
    for (let alarm = 0; alarm < ALARMS_A_ZONE * ZONES; alarm += 1) {
      await pause(random() * 200);
      await panel.report(`1110 01 ${String((alarm % ZONES) + 1).padStart(3, "0")}`);
      acknowledged += 1;
    }
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    // By progress and not by time, so that kills are in the whole run on a machine of any speed.
    const enough = ((kill + random()) / KILLS) * EVENTS;
    await eventually("more acknowledged alarms", () => acknowledged >= enough, 300_000);
    await pause(random() * 100);
    await site.end("SIGKILL");
    await site.start();
  }
  await Promise.all(reporting);
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  expect(acknowledged).toBe(EVENTS);
  const sent = panels.reduce((sum, panel) => sum + panel.sent, 0);
  expect(sent, "the kills must have caused repetitions").toBeGreaterThan(EVENTS);

  await eventually(
    "every trip to be processed",
    async () => (await site.get<Trip[]>("/site/trips?limit=1000")).every(({ state }) => state !== "waiting"),
    300_000,
  );
  await both.settle(300_000);
  const { records } = await both.expectExactlyOnce();
  expect(records).toBe(PANELS * ZONES);
  const here = await allOf(join(both.installation.folder, "site"));
  expect(new Set(here.map(({ objectiveId }) => objectiveId)).size).toBe(PANELS * ZONES);
  await site.end("SIGTERM");
  expect(tripsByZone(join(both.installation.folder, "site"))).toEqual(
    new Map(
      accounts.flatMap((account) =>
        Array.from({ length: ZONES }, (_, zone) => [`p${account}-${zone}`, ALARMS_A_ZONE] as const),
      ),
    ),
  );
  report(
    `${EVENTS} alarms acknowledged in ${seconds} s, sent ${sent} times, ${KILLS} kills: ${EVENTS} trips, ${records} records at the centre`,
  );
}, 1_800_000);

/** Number of trips by zone in the journal of a stopped daemon. */
function tripsByZone(dataDir: string): Map<string, number> {
  const journal = new Database(join(dataDir, "journal.db"), { readonly: true });
  try {
    const rows = journal
      .prepare<[], { zone: string; count: number }>(
        "SELECT zone_id AS zone, count(*) AS count FROM trips WHERE about = 'trip' GROUP BY zone_id",
      )
      .all();
    return new Map(rows.map(({ zone, count }) => [zone, count]));
  } finally {
    journal.close();
  }
}

test("while senders flood the receiver, every alarm of a panel and of 20 MQTT sensors is a trip", async () => {
  const port = await freePort();
  const key = newAlarmPanelKey(16);
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

test.each([testSeed()])(
  "100,000 changed frames, cut anywhere, never end the reader (seed %i)",
  (seed) => {
    expect(() => readChangedFrames(100_000, seed)).not.toThrow();
  },
  120_000,
);

test("in a year with sequences that wrap 52 times and no times, each alarm is new and each repetition is not", () => {
  expect(wrappingSequences(365)).toEqual({ wrong: [], rows: 256 });
}, 120_000);

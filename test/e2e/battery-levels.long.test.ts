import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

/* A person who plans a visit sees how full the batteries of the sensors were when they last reported it. */

const OBJECTIVE = "objective: { type: obiective/cladiri, id: 1 }";
const CONTACT = "open: [false, open], normal: [true, close]";
const CONFIGURATION = `http: { port: 0 }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }
zones:
  - { id: gate, name: Poarta, kind: intrusion, ${OBJECTIVE}, input: { mqtt: zigbee2mqtt/gate, path: /contact, ${CONTACT} }, battery: { path: /battery_low, low: [true] } }
  - { id: leak, name: Inundație, kind: flood, ${OBJECTIVE}, input: { mqtt: zigbee2mqtt/leak, path: /water_leak, open: [true] }, battery: { path: /battery, below: 15 } }
  - { id: door, name: Ușa, kind: intrusion, ${OBJECTIVE}, input: { mqtt: shellies/door/sensor/state, ${CONTACT} }, battery: { mqtt: shellies/door/sensor/battery, below: 15 } }
  - { id: plus, name: Geam, kind: glass, ${OBJECTIVE}, input: { mqtt: plus/events/rpc, path: /params/input:0/state, open: [true] }, battery: { mqtt: plus/events/rpc, path: "/params/devicepower:0/battery/percent", below: 15 } }
  - { id: wire, name: Hol, kind: motion, ${OBJECTIVE}, input: { gpio: 17 } }
`;

let installation: Installation;
let site: DaemonProcess;
let port: number | undefined;
beforeEach(async () => {
  installation = Installation.temporary();
  site = installation.daemon("site", CONFIGURATION);
  ({ mqttPort: port } = await site.start());
});

const file = (): string => join(installation.folder, "site.yaml");
const zones = (): Promise<ZoneView[]> => site.get("/site/zones");
const percents = async (): Promise<Record<string, number | null>> =>
  Object.fromEntries((await zones()).map(({ id, battery }) => [id, battery?.percent ?? null]));
async function publish(...messages: readonly (readonly [topic: string, payload: unknown])[]): Promise<void> {
  const sensor = await connectAsync(`mqtt://127.0.0.1:${port}`);
  for (const [topic, payload] of messages)
    await sensor.publishAsync(topic, typeof payload === "string" ? payload : JSON.stringify(payload), {
      qos: 1,
    });
  await sensor.endAsync();
}
const NONE = { gate: null, leak: null, door: null, plus: null, wire: null };
const REPORTED = { gate: 60, leak: 80, door: 96, plus: 41, wire: null };

async function report(): Promise<void> {
  await publish(
    ["zigbee2mqtt/gate", { battery: 60, battery_low: false, contact: true, voltage: 2900 }],
    ["zigbee2mqtt/leak", { battery: "80.00", voltage: 2900, water_leak: false }],
    ["shellies/door/sensor/battery", "96"],
    ["plus/events/rpc", { params: { "devicepower:0": { battery: { V: 5.3, percent: 41 } } } }],
  );
}

test("the last percentage is shown with its time, in the list and after a restart", async () => {
  expect(await percents()).toEqual(NONE);
  const before = Date.now();
  await report();
  expect(
    await eventually("the batteries", async () => (await percents())["plus"] === 41 && percents()),
  ).toEqual(REPORTED);
  for (const { battery } of await zones())
    if (battery) expect(Date.parse(battery.at)).toBeGreaterThanOrEqual(before);
  const { stdout } = await santinela(["zones", "list", "--config", file()], { cwd: installation.folder });
  expect(stdout).toMatch(/^ZONE .* BATTERY +FAULTS$/m);
  expect(stdout).toMatch(/^gate .* 60 % \(.*\)/m);
  const shown = await zones();
  await site.end("SIGTERM");
  ({ mqttPort: port } = await site.start());
  expect((await zones()).map(({ battery }) => battery)).toEqual(shown.map(({ battery }) => battery));
});

test("what is not a percentage is not shown, and nearly the same one again changes nothing", async () => {
  await report();
  const shown = await eventually(
    "the batteries",
    async () => (await percents())["plus"] === 41 && (await zones()).map(({ battery }) => battery),
  );
  await publish(
    ["shellies/door/sensor/battery", "-1"],
    ["zigbee2mqtt/leak", { battery: "unknown", water_leak: false }],
    ["zigbee2mqtt/leak", { battery: 80.4, water_leak: false }],
    ["zigbee2mqtt/gate", { battery: 999, battery_low: false, contact: true }],
    ["zigbee2mqtt/gate", { battery: 60, battery_low: false, contact: false }],
  );
  await eventually(
    "the gate",
    async () => (await zones()).find(({ id }) => id === "gate")?.contact === "open",
  );
  expect((await zones()).map(({ battery }) => battery)).toEqual(shown);
});

test("a low battery is a fault as before, with its percentage beside it", async () => {
  await publish(
    ["zigbee2mqtt/gate", { battery: 9, battery_low: false, contact: true }],
    ["shellies/door/sensor/battery", "9"],
  );
  await eventually("the fault", async () => (await zones()).some(({ faults }) => faults.length > 0));
  expect((await zones()).map(({ id, faults }) => [id, faults.map(({ fault }) => fault)])).toEqual([
    ["gate", []],
    ["leak", []],
    ["door", ["battery"]],
    ["plus", []],
    ["wire", []],
  ]);
  expect(await percents()).toMatchObject({ gate: 9, door: 9 });
});

test("the charge of a sensor that was replaced by another one is not shown for the new one", async () => {
  await report();
  await eventually("the batteries", async () => (await percents())["plus"] === 41);
  writeFileSync(
    file(),
    readFileSync(file(), "utf8")
      .replaceAll("shellies/door", "shellies/door-2")
      .replace("name: Poarta", "name: Poartă"),
  );
  expect(await askDaemon(join(installation.folder, "site"), "POST", "/site/reload")).toMatchObject({
    status: 200,
  });
  expect(await percents()).toEqual({ ...REPORTED, door: null });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { matchesFilter } from "../../src/domain/topic-filter.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { DiscoveryView, ProposalView } from "../../src/site/discovery-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import type { DeviceScenario, Message, Step } from "../support/device-scenarios.ts";
import { eventually } from "../support/eventually.ts";
import { BRIDGED_DEVICES } from "../support/home-assistant-bridges.ts";
import { Installation } from "../support/installation.ts";
import { TASMOTA_ZIGBEE_SENSORS } from "../support/tasmota-zigbee.ts";
import { NO_SENSORS, ZIGBEE_DEVICES } from "../support/zigbee2mqtt-devices.ts";
import { bridged } from "../support/zigbee2mqtt-messages.ts";

/*
 * Sensors of many makers at the built-in broker of a daemon. What it proposes becomes its configuration without a change; then every
 * sensor opens, closes and fails, and its zone reports it.
 */

/** Each device has a bridge of its own here, so that their topics differ. */
const SENSORS = [...ZIGBEE_DEVICES, ...BRIDGED_DEVICES, ...TASMOTA_ZIGBEE_SENSORS].map(([, device], index) =>
  movedTo(index, device),
);

let installation: Installation;
let site: DaemonProcess;
let client: MqttClient;
beforeEach(async () => {
  installation = Installation.temporary();
  site = installation.daemon("site", yamlOf([]));
  const { mqttPort } = await site.start();
  client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`);
});
afterEach(() => client.endAsync(true));

const look = (): Promise<DiscoveryView> => site.get("/site/discovered");
const proposalsIn = ({ devices }: DiscoveryView): ProposalView[] =>
  devices.flatMap(({ proposals }) => proposals);
const send = async ([topic, message]: Message, retain = false): Promise<void> => {
  const payload = typeof message === "string" ? message : JSON.stringify(message);
  await client.publishAsync(topic, payload, { qos: 1, retain });
};

test("sensors of many makers are found, become zones, and trip, restore and fail; other devices are no zones", async () => {
  for (const { announced } of SENSORS) for (const message of announced) await send(message, true);
  for (const [index, [, description, exposes]] of NO_SENSORS.entries())
    for (const message of bridged("ceva", { description, exposes }, `altele-${index}`))
      await send(message, true);
  await eventually("to listen", async () => (await look()).listening.state === "listening");
  // A bridge that sends everything on one topic is known by what it sends while it is listened to.
  for (const { announced } of SENSORS) for (const message of announced) await send(message);
  const found = await eventually("all sensors", async () => {
    const view = await look();
    const missing = SENSORS.filter((device) => !proposalOf(device, view)).map(({ zone }) => zone);
    if (missing.length > 0) throw new Error(`not proposed: ${missing.join()}`);
    return view;
  });
  expect(proposalsIn(found).filter(({ zone }) => zone.input.mqtt.startsWith("altele-"))).toEqual([]);
  expect(found.leftOut).toEqual([]);

  // The same list as the command prints it is a configuration.
  const { stdout, code } = await santinela(["zones", "discover", "--wait", "3", "--config", "site.yaml"], {
    cwd: installation.folder,
  });
  expect(code).toBe(0);
  writeFileSync(join(installation.folder, "printed.yaml"), `mqtt: off\n${stdout}`);
  const checked = await santinela(["check-config", "--config", "printed.yaml"], { cwd: installation.folder });
  expect(checked).toMatchObject({ code: 0 });

  writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${yamlOf(proposalsIn(found))}`);
  const reloaded = await askDaemon(join(installation.folder, "site"), "POST", "/site/reload");
  expect(reloaded).toMatchObject({ status: 200 });
  for (const device of SENSORS) await play(device, proposalOf(device, found)?.zone.id ?? "");
}, 240_000);

/** Sends the messages of a sensor; the effect of each must be seen before the next. */
async function play({ steps }: DeviceScenario, id: string): Promise<void> {
  let trips = await tripsOf(id);
  for (const [step, effect] of steps) {
    const unavailable = await zonesWith("supervision");
    if (typeof step !== "string") await send(step);
    if (effect === "trip") {
      trips += 1;
      await eventually(`${id} to trip`, async () => (await tripsOf(id)) === trips);
    } else if (effect === "restore")
      await eventually(`${id} to be restored`, async () => (await zoneOf(id))?.contact === "normal");
    // The loss of a bridge is reported for the first zone that is behind it.
    else if (effect === "supervision")
      await eventually(
        `${id} to be unavailable`,
        async () => (await zonesWith(effect)).length > unavailable.length,
      );
    else if (effect !== "nothing")
      await eventually(`${id} to report ${effect}`, async () => (await zonesWith(effect)).includes(id));
  }
  expect(await tripsOf(id)).toBe(trips);
}

async function zonesWith(fault: Step[1]): Promise<string[]> {
  const zones = await site.get<ZoneView[]>("/site/zones");
  return zones.filter(({ faults }) => faults.some((one) => one.fault === fault)).map(({ id }) => id);
}

async function zoneOf(id: string): Promise<ZoneView | undefined> {
  return (await site.get<ZoneView[]>("/site/zones")).find((zone) => zone.id === id);
}

async function tripsOf(id: string): Promise<number> {
  const trips = await site.get<Trip[]>("/site/trips?limit=1000");
  return trips.filter(({ zoneId, type }) => zoneId === id && type === "trip").length;
}

/** The proposal for the topic that the sensor opens on; several sensors have one name, so that the daemon numbers their zones. */
function proposalOf({ zone, steps }: DeviceScenario, view: DiscoveryView): ProposalView | undefined {
  const [opening] = steps.find(([, effect]) => effect === "trip") ?? [];
  const topic = String(opening?.[0]);
  const isOfName = (id: string): boolean => id === zone || (id.startsWith(`${zone}-`) && /-\d+$/.test(id));
  return proposalsIn(view).find((one) => matchesFilter(topic, one.zone.input.mqtt) && isOfName(one.zone.id));
}

/** The device with topics of its own. */
function movedTo(index: number, device: DeviceScenario): DeviceScenario {
  const moved = (text: string): string =>
    text
      .replaceAll(/\b(zigbee2mqtt)\b/g, `$1-${index}`)
      .replaceAll("tasmota_3D5E26", `tasmota_${index}`)
      .replaceAll("A4CF123D5E26", `A4CF123D${String(index).padStart(4, "0")}`)
      .replaceAll("0xa4c138d9758e9b5f", `0xa4c138d9758e${String(index).padStart(4, "0")}`)
      .replaceAll(/\b(centrala\/1|placa\/|hub\/7|rtl_433\/pi)/g, `casa-${index}/$1`)
      .replaceAll(/\b(homeassistant\/\w+)\//g, `$1/casa-${index}-`)
      .replaceAll(/"identifiers":\["([^"]+)"\]/g, `"identifiers":["$1-${index}"]`)
      .replaceAll(/(02:00:5e:00:53:af|5ccf7f123456)/g, `$1-${index}`);
  const message = ([topic, content]: Message): Message => [
    moved(topic),
    typeof content === "string" ? moved(content) : (JSON.parse(moved(JSON.stringify(content))) as unknown),
  ];
  return {
    ...device,
    announced: device.announced.map(message),
    steps: device.steps.map(([step, effect]): Step => [
      typeof step === "string" ? step : message(step),
      effect,
    ]),
  };
}

function yamlOf(proposals: readonly ProposalView[]): string {
  const zones = proposals.map(({ zone }) =>
    JSON.stringify({
      ...zone,
      objective: { type: "obiective/cladiri", id: 1 },
      unavailableGraceS: 0,
      swinger: false,
      ...(zone.autoRestoreS === undefined ? {} : { autoRestoreS: 1 }),
    }),
  );
  return [
    "http: { port: 0 }",
    "gpio: { backend: simulated }",
    "mqtt: { listen: { port: 0 } }",
    "objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }",
    ...(zones.length === 0 ? [] : ["zones:", ...zones.map((zone) => `  - ${zone}`)]),
    "",
  ].join("\n");
}

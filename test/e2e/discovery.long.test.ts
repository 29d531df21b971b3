import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { DiscoveryView, ProposalView } from "../../src/site/discovery-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

/*
 * Devices of several makes, as their makers document them, at a real broker; a daemon that has never heard of them. What it
 * proposes becomes its configuration without a change, and every zone has to work.
 */

describeWithMosquitto("devices at a broker", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let devices: AnnouncingDevices;
  let site: DaemonProcess;

  beforeEach(async () => {
    installation = new Installation();
    broker = await startMosquitto();
    devices = await AnnouncingDevices.at(broker.url);
    site = installation.daemon("site", yamlOf(broker, []));
    await site.start();
  });
  afterEach(async () => {
    await devices.end();
    await installation.remove();
    await broker.stop();
  });

  const look = (): Promise<DiscoveryView> => site.get("/site/discovered");
  const proposalsIn = ({ devices: found }: DiscoveryView): ProposalView[] =>
    found.flatMap(({ proposals }) => proposals);
  const zoneOf = async (id: string): Promise<ZoneView | undefined> =>
    (await site.get<ZoneView[]>("/site/zones")).find((zone) => zone.id === id);
  const tripsOf = async (id: string): Promise<number> =>
    (await site.get<Trip[]>("/site/trips?limit=1000")).filter(
      ({ zoneId, type }) => zoneId === id && type === "trip",
    ).length;
  const faultsOf = async (id: string): Promise<string> =>
    ((await zoneOf(id))?.faults ?? []).map(({ fault }) => fault).join();
  const sendAll = async (messages: readonly Message[]): Promise<void> => {
    for (const [topic, message] of messages) await devices.send(topic, message);
  };

  test("are found without a change to them, become zones, and trip, fail and restore", async () => {
    const found = await eventually("all devices", async () => {
      const view = await look();
      // The last page of the gateway's answer has the battery.
      if (!JSON.stringify(view).includes("bthomesensor:201")) return false;
      return Object.keys(DEVICES).every((id) => proposalsIn(view).some(({ zone }) => zone.id === id)) && view;
    });
    expect(found.listening).toMatchObject({ state: "listening", reason: null, left: 0 });
    // Nothing becomes a zone by itself, and what two sources say is proposed once.
    expect(await site.get("/site/zones")).toEqual([]);
    expect(
      proposalsIn(found)
        .map(({ zone }) => zone.id)
        .sort(),
    ).toEqual([...Object.keys(DEVICES), "hol-switch2", "strada"].sort());

    edit(yamlOf(broker, proposalsIn(found)));
    expect(await askDaemon(join(installation.folder, "site"), "POST", "/site/reload")).toMatchObject({
      status: 200,
    });
    expect(proposalsIn(await look()).map(({ zoneId, zone }) => zoneId === zone.id)).not.toContain(false);

    for (const [id, { normal, open, tamper, low, away }] of Object.entries(DEVICES)) {
      await sendAll(normal);
      if (!DEVICES[id]?.isEvent)
        await eventually(`${id} to be normal`, async () => (await zoneOf(id))?.contact === "normal");
      await sendAll(open);
      await eventually(
        `${id} to trip`,
        async () => (await tripsOf(id)) === 1 && (await zoneOf(id))?.contact === "open",
      );
      await sendAll(normal);
      await eventually(`${id} to be restored`, async () => (await zoneOf(id))?.contact === "normal");
      for (const [fault, messages] of [
        ["tamper", tamper],
        ["battery", low],
        ["supervision", away],
      ] as const) {
        if (!messages) continue;
        await sendAll(messages);
        await eventually(`${id} to have ${fault}`, async () =>
          (await faultsOf(id)).split(",").includes(fault),
        );
      }
    }
  }, 120_000);

  test("that are unknown are listed with their last message and the values in it", async () => {
    await eventually("to listen", async () => (await look()).listening.state === "listening");
    await devices.send("pivnita/senzor 7", { stare: { usa: "deschisa" }, n: 3, lista: [{ x: true }] });
    await devices.send("pivnita/text", "ON");
    const { unknown } = await eventually("both topics", async () => {
      const view = await look();
      return (
        view.unknown.filter(({ lastMessage }) => lastMessage.topic.startsWith("pivnita/")).length === 2 &&
        view
      );
    });
    const fieldsOf = (topic: string) =>
      unknown.find(({ lastMessage }) => lastMessage.topic === topic)?.fields;
    expect(fieldsOf("pivnita/senzor 7")).toEqual([
      { path: "/stare/usa", value: "deschisa" },
      { path: "/n", value: 3 },
      { path: "/lista/x", value: true },
    ]);
    expect(fieldsOf("pivnita/text")).toEqual([{ path: null, value: "ON" }]);
    expect(
      unknown.filter(({ lastMessage }) =>
        /^(zigbee2mqtt|tasmota|homeassistant|santinela)\//.test(lastMessage.topic),
      ),
    ).toEqual([]);
  });

  test("that have no proposal are listed with their messages and the values in them, over HTTP and by the command", async () => {
    await eventually("to listen", async () => (await look()).listening.state === "listening");
    await devices.send("zigbee2mqtt/lampa", { state: "ON", linkquality: 80 }, true);
    await devices.send("pivnita/text", "ON", true);
    const lamp = await eventually("the lamp", async () => {
      const found = (await look()).devices.find(({ name }) => name === "lampa");
      return found !== undefined && found.topics.length > 0 && found;
    });
    expect([lamp.proposals, lamp.topics]).toEqual([
      [],
      [
        {
          lastMessage: expect.objectContaining({ topic: "zigbee2mqtt/lampa" }) as unknown,
          fields: [
            { path: "/state", value: "ON" },
            { path: "/linkquality", value: 80 },
          ],
          guesses: [
            { path: "/state", kind: null, open: ["ON"], normal: ["OFF"] },
            { path: "/linkquality", kind: null, open: [], normal: [] },
          ],
          zoneIds: [],
        },
      ],
    ]);
    const { stderr } = await santinela(["zones", "discover", "--wait", "3", "--config", "site.yaml"], {
      cwd: installation.folder,
    });
    expect(stderr).toContain(
      '  lampa, SONOFF SNZB-04:\n    zigbee2mqtt/lampa: /state "ON", /linkquality 80\n',
    );
    expect(stderr).toContain('  pivnita/text: "ON"\n');
  });

  test("are printed by zones discover as a configuration that is valid", async () => {
    const { code, stdout, stderr } = await santinela(
      ["zones", "discover", "--wait", "3", "--config", "site.yaml"],
      { cwd: installation.folder },
    );
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ new zones; /)]);
    for (const id of Object.keys(DEVICES)) expect(stdout).toContain(`  - id: ${id}\n`);
    writeFileSync(join(installation.folder, "found.yaml"), `mqtt: off\n${stdout}`);
    expect(
      await santinela(["check-config", "--config", "found.yaml"], { cwd: installation.folder }),
    ).toMatchObject({
      code: 0,
    });
  });

  function edit(yaml: string): void {
    writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${yaml}`);
  }
});

function yamlOf({ url }: Mosquitto, proposals: readonly ProposalView[]): string {
  const zones = proposals.map(({ zone }) =>
    JSON.stringify({
      ...zone,
      objective: { type: "obiective/cladiri", id: 1 },
      unavailableGraceS: 0,
      swinger: false,
    }),
  );
  return [
    "http: { port: 0 }",
    "gpio: { backend: simulated }",
    `mqtt: { url: ${JSON.stringify(url)} }`,
    "objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }",
    ...(zones.length === 0 ? [] : ["zones:", ...zones.map((zone) => `  - ${zone}`)]),
    "",
  ].join("\n");
}

type Message = readonly [topic: string, message: unknown];

interface Messages {
  readonly normal: readonly Message[];
  readonly open: readonly Message[];
  readonly tamper?: readonly Message[];
  readonly low?: readonly Message[];
  readonly away?: readonly Message[];
  /** It reports no state before its first event. */
  readonly isEvent?: true;
}

const I4 = "shellyplusi4-a8032ab1fe78";
const notify = (source: string, params: object): Message => [
  `${source}/events/rpc`,
  { src: source, dst: `${source}/events`, method: "NotifyStatus", params: { ts: 1, ...params } },
];
const press = (event: string): Message => [
  `${I4}/events/rpc`,
  {
    src: I4,
    dst: `${I4}/events`,
    method: "NotifyEvent",
    params: { ts: 1, events: [{ component: "input:1", id: 1, event, ts: 1 }] },
  },
];
const GATEWAY = "shellyblugwg3-e4b063d4a1c0";
const review = (type: string, id: string): Message => [
  "frigate/reviews",
  {
    type,
    before: {},
    after: { id, camera: "curte", severity: "alert", data: { objects: ["person"], zones: [] } },
  },
];

/** Messages of each device, by the id of the zone that is proposed for it. */
const DEVICES: Readonly<Record<string, Messages>> = {
  poarta: {
    normal: [["zigbee2mqtt/poarta", { battery: 60, battery_low: false, contact: true, tamper: false }]],
    open: [["zigbee2mqtt/poarta", { battery: 60, battery_low: false, contact: false, tamper: false }]],
    tamper: [["zigbee2mqtt/poarta", { battery: 60, battery_low: false, contact: true, tamper: true }]],
    low: [["zigbee2mqtt/poarta", { battery: 5, battery_low: true, contact: true, tamper: true }]],
    away: [["zigbee2mqtt/poarta/availability", { state: "offline" }]],
  },
  "baie-apa": {
    normal: [["zigbee2mqtt/baie/apa", { water_leak: false, battery: 90 }]],
    open: [["zigbee2mqtt/baie/apa", { water_leak: true, battery: 90 }]],
    low: [["zigbee2mqtt/baie/apa", { water_leak: false, battery: 9 }]],
  },
  buton: {
    normal: [["zigbee2mqtt/buton", { action: "single" }]],
    open: [["zigbee2mqtt/buton", { action: "emergency" }]],
  },
  "hol-usa": {
    normal: [["stat/tasmota_3D5E26/RESULT", { Usa: { Action: "OFF" } }]],
    open: [["stat/tasmota_3D5E26/RESULT", { Usa: { Action: "ON" } }]],
    away: [["tele/tasmota_3D5E26/LWT", "Offline"]],
  },
  "shellydw2-a4cf12f43189": {
    normal: [["shellies/shellydw2-A4CF12F43189/sensor/state", "close"]],
    open: [["shellies/shellydw2-A4CF12F43189/sensor/state", "open"]],
    tamper: [["shellies/shellydw2-A4CF12F43189/sensor/vibration", "1"]],
    low: [["shellies/shellydw2-A4CF12F43189/sensor/battery", "7"]],
  },
  "shellyflood-7a2b3c": {
    normal: [["shellies/shellyflood-7A2B3C/sensor/flood", "false"]],
    open: [["shellies/shellyflood-7A2B3C/sensor/flood", "true"]],
    low: [["shellies/shellyflood-7A2B3C/sensor/battery", "7"]],
  },
  "intrare-usa-din-spate": {
    normal: [notify(I4, { "input:0": { id: 0, state: true } })],
    open: [notify(I4, { "input:0": { id: 0, state: false } })],
  },
  "intrare-panica": {
    normal: [press("btn_up")],
    open: [press("btn_down")],
    away: [[`${I4}/online`, "false"]],
  },
  "geam-birou": {
    normal: [notify(GATEWAY, { "bthomesensor:200": { id: 200, value: false } })],
    open: [notify(GATEWAY, { "bthomesensor:200": { id: 200, value: true } })],
    low: [notify(GATEWAY, { "bthomesensor:201": { id: 201, value: 8 } })],
  },
  curte: {
    normal: [review("end", "1-a")],
    open: [review("new", "2-b")],
  },
  "living-room-front-door": {
    normal: [["livingroom/binary_sensor/front_door/state", "OFF"]],
    open: [["livingroom/binary_sensor/front_door/state", "ON"]],
    away: [["livingroom/status", "offline"]],
  },
  "ring-motion": {
    normal: [["ring/1/motion/state", "OFF"]],
    open: [["ring/1/motion/state", "ON"]],
    low: [["ring/1/info/state", { batteryLevel: 3 }]],
    away: [["ring/1/status", "offline"]],
  },
};

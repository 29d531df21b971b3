import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";
import { mosquittoRemedy } from "../../src/cli/shipped-files.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { santinela } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

const HALL = "objective: { type: obiective/cladiri, id: 12 }";

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const inputs = (name: string): string => fileURLToPath(new URL(`../inputs/${name}`, import.meta.url));

describe("zones replay", () => {
  test("shows for every message of a recording what it would do", async () => {
    const { code, stdout, stderr } = await santinela(
      ["zones", "replay", "--config", inputs("device-zones.yaml"), inputs("device-messages.jsonl")],
      { cwd: folder },
    );
    expect(code).toBe(0);
    const lines = stdout.trim().split("\n");
    expect(lines).toHaveLength(53);
    expect(lines).toContain("z2m-02 zigbee2mqtt/backgate: trip gate");
    expect(lines).toContain("z2m-03 zigbee2mqtt/backgate: ignore");
    expect(lines).toContain("z2m-13 zigbee2mqtt/backgate: tamper gate");
    expect(lines).toContain(
      "pai-04 paradox/interface/availability: unavailable (its bridge) paradox-panic, unavailable (its bridge) paradox-front-door",
    );
    expect(lines).toContain("dsc-03 dsc/Get/Trouble: ignore (no zone uses this topic)");
    expect(lines).toContain("bad-02 zigbee2mqtt/backgate: ignore (not-json)");
    expect(stderr).toMatch(/^53 messages, \d+ of them ignored\n$/);
  });

  test.each([
    ["", ""],
    // As mosquitto_sub 2.0 writes them.
    ["456", "+0200"],
  ])("reads the format of mosquitto_sub with its times, %s%s", async (micros, offset) => {
    const zone = `zones:\n  - { id: pir, name: PIR, kind: motion, ${HALL}, confirmMs: 2000, input: { mqtt: pir, path: /on, open: [1] } }\n`;
    const at = (s: string, on: number): string =>
      `{"tst":"2026-11-20T10:00:${s}.000${micros}Z${offset}","topic":"pir","qos":0,"retain":0,"payload":{"on":${on}}}`;
    const recording = [at("00", 1), at("01", 0), at("10", 1), at("13", 1), ""].join("\n");
    const { stdout } = await santinela(
      [
        "zones",
        "replay",
        "--json",
        "--config",
        write("a.yaml", zone),
        join(folder, write("r.jsonl", recording)),
      ],
      { cwd: folder },
    );
    const outcomes = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { outcomes: unknown }).outcomes);
    expect(outcomes).toEqual([[], [], [], [{ zone: "pir", outcome: "trip" }]]);
  });

  test("names the line that is not a message", async () => {
    const recording = join(folder, write("r.jsonl", '{"topic":"a","payload":"1"}\n{"payload":"1"}\n'));
    const config = write("a.yaml", "mqtt: off\n");
    const { code, stderr } = await santinela(["zones", "replay", "--config", config, recording], {
      cwd: folder,
    });
    expect(code).toBe(65);
    expect(stderr).toMatch(/r\.jsonl:2: topic is missing\n.*mosquitto_sub/);
  });
});

describe("zones discover", () => {
  test("with the built-in broker requires the daemon, and reports it", async () => {
    const config = write("a.yaml", `mqtt: { listen: { port: ${await freePort()} } }\n`);
    const { code, stderr } = await santinela(["zones", "discover", "--config", config], { cwd: folder });
    expect(code).toBe(75);
    expect(stderr).toMatch(/^the built-in broker does not respond\nStart the daemon, which runs the broker/);
  });
});

describe("doctor", () => {
  test("shows what the built-in broker does not keep", async () => {
    const zone = `zones:\n  - { id: a, name: A, kind: motion, ${HALL}, input: { mqtt: a, open: [1] } }\n`;
    const { code, stdout } = await santinela(["doctor", "--config", write("a.yaml", zone)], { cwd: folder });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^▲ MQTT broker: the built-in broker does not queue messages/m),
    ]);
  });

  test("reports an unreachable broker as an error, with the remedy", async () => {
    const zone = `mqtt: { url: "mqtt://127.0.0.1:${await freePort()}" }\nzones:\n  - { id: a, name: A, kind: motion, ${HALL}, input: { mqtt: a, open: [1] } }\n`;
    const { code, stdout } = await santinela(["doctor", "--config", write("a.yaml", zone)], { cwd: folder });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✖ MQTT broker: the MQTT broker cannot be reached: .*ECONNREFUSED.*\n {4}Check that it runs/m,
    );
  });
});

describeWithMosquitto("with a broker", () => {
  let broker: Mosquitto;
  let sensor: MqttClient;

  afterEach(async () => {
    await sensor.endAsync(true);
    await broker.stop();
  });

  async function start(settings: readonly string[], lines: readonly string[] = []): Promise<void> {
    broker = await startMosquitto(lines, settings);
    sensor = await connectAsync(broker.url);
    write(
      "a.yaml",
      `mqtt: { url: "${broker.url}" }\nzones:\n  - { id: door, name: Door, kind: intrusion, ${HALL}, input: { mqtt: door, open: ["ON"] } }\n  - { id: quiet, name: Quiet, kind: intrusion, ${HALL}, input: { mqtt: quiet, open: ["ON"] } }\n`,
    );
  }

  function doctor(): Promise<{ code: number; stdout: string }> {
    return santinela(["doctor", "--config", "a.yaml", "--listen", "1"], { cwd: folder });
  }

  test("doctor lists what Mosquitto with default settings would lose, and the affected sensors", async () => {
    await start([]);
    await sensor.publishAsync("door", "OFF", { qos: 0, retain: true });
    const { code, stdout } = await doctor();
    expect(code).toBe(1);
    expect(stdout).toMatch(/✔ MQTT broker: queues QoS 1 messages/);
    expect(stdout).toMatch(/▲ MQTT broker: discards QoS 0 messages.*\n {4}Copy \//);
    // The named example exists where the program runs.
    const [, example = ""] = /Copy (\S+) to/.exec(stdout) ?? [];
    expect(readFileSync(example, "utf8")).toMatch(/^queue_qos0_messages true$/m);
    expect(stdout).toMatch(/▲ MQTT broker: queues (999|1000) of 1100 messages;/);
    expect(stdout).toMatch(
      /✖ Sensors: publish with QoS 0: door; an opening while the daemon restarts is lost/,
    );
    expect(stdout).toMatch(/▲ Sensors: sent no message within 1 s: quiet/);
  });

  test("doctor names the settings themselves where no example is installed", () => {
    expect(mosquittoRemedy(["/nowhere/mosquitto.conf"])).toMatch(
      /^Set persistence true, .*max_queued_messages 0 in a file in \/etc\/mosquitto\/conf\.d\//,
    );
    const shipped = readFileSync(new URL("../../systemd/mosquitto/santinela.conf", import.meta.url), "utf8");
    const [, list = ""] = /^Set (.*) in a file/.exec(mosquittoRemedy([])) ?? [];
    for (const setting of list.split(/, | and /)) expect(shipped.split("\n")).toContain(setting);
  });

  test("doctor accepts the shipped settings, and leaves nothing at the broker", async () => {
    const shipped = readFileSync(new URL("../../systemd/mosquitto/santinela.conf", import.meta.url), "utf8");
    // Without storing each of 1,100 messages, which is slow and not tested here.
    const settings = shipped
      .split("\n")
      .filter((line) => /^[a-z]/.test(line) && !line.startsWith("autosave"));
    await start(settings, ["sys_interval 1"]);
    await sensor.publishAsync("door", "OFF", { qos: 0, retain: true });
    const { code, stdout } = await doctor();
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ MQTT broker: also queues QoS 0 messages/);
    expect(stdout).toMatch(/✔ MQTT broker: queues at least 1100 messages/);
    expect(stdout).toMatch(/✔ Sensors: publish with QoS 0: door; the broker queues it/);
    let clients = "";
    sensor.on("message", (topic, payload) => topic.startsWith("$SYS") && (clients = payload.toString()));
    await sensor.subscribeAsync("$SYS/broker/clients/total");
    await eventually("only the sensor to be connected", () => clients === "1");
  });

  test("doctor reports a broker that does not permit the check", async () => {
    writeFileSync(join(folder, "acl"), "topic read door\ntopic readwrite quiet\n");
    await start([], [`acl_file ${join(folder, "acl")}`]);
    const { code, stdout } = await doctor();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /✖ MQTT broker: the broker denies this account access to santinela\/probe\/.*\n {4}Allow it/,
    );
  });

  test("zones discover prints zones that check-config accepts", async () => {
    await start([]);
    const announce = (topic: string, announcement: unknown): Promise<unknown> =>
      sensor.publishAsync(`homeassistant/${topic}`, JSON.stringify(announcement), { qos: 1, retain: true });
    await announce("binary_sensor/1/contact/config", {
      device: { identifiers: ["1"], name: 'Gate "back"\n# not YAML: [' },
      device_class: "door",
      state_topic: "zigbee2mqtt/gate",
      value_template: "{{ value_json.contact }}",
      payload_on: false,
      payload_off: true,
    });
    await announce("binary_sensor/2/config", { name: "Known", device_class: "door", state_topic: "door" });
    await announce("binary_sensor/own/config", {
      name: "Own",
      device_class: "door",
      state_topic: "santinela/site-1/zones/door",
    });
    await announce("light/3/config", { name: "Lamp", state_topic: "lamp" });
    const { code, stdout, stderr } = await santinela(
      ["zones", "discover", "--wait", "1", "--config", "a.yaml"],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^.*a\.yaml already has a zones: list\. Add these lines to it; .*\n1 new zone; sensors that are configured already: 1; devices without a zone: 0$/m,
    );
    expect(stdout).not.toMatch(/^zones:/m);
    expect(stdout).toContain(
      'input: {"mqtt":"zigbee2mqtt/gate","path":"/contact","open":[false],"normal":[true]}',
    );
    write("b.yaml", `mqtt: off\nzones:\n${stdout}`);
    expect(await santinela(["check-config", "--config", "b.yaml"], { cwd: folder })).toMatchObject({
      code: 0,
    });
  });

  test("zones discover goes by what the file says: an empty list is replaced, and a disabled zone is known", async () => {
    await start([]);
    const mqtt = `mqtt: { url: "${broker.url}" }\n`;
    const announce = (topic: string): Promise<unknown> =>
      sensor.publishAsync(
        `homeassistant/binary_sensor/${topic}/config`,
        JSON.stringify({ name: topic, device_class: "door", state_topic: topic }),
        { qos: 1, retain: true },
      );
    await announce("shed");
    await announce("attic");
    const discovered = (text: string) =>
      santinela(["zones", "discover", "--wait", "1", "--config", write("a.yaml", `${mqtt}${text}`)], {
        cwd: folder,
      });

    const none = await discovered("");
    expect(none.stdout).toMatch(/^zones:\n/);
    expect(none.stderr).not.toContain("already has");

    const empty = await discovered("zones: []\n");
    expect(empty.stdout).toBe(none.stdout);
    expect(empty.stderr).toMatch(
      /a\.yaml already has an empty list of zones\. Replace `zones: \[\]` by these lines;/,
    );
    write("b.yaml", `${mqtt}${empty.stdout}`);
    expect((await santinela(["check-config", "--config", "b.yaml"], { cwd: folder })).code).toBe(0);

    const disabled = await discovered(
      `zones:\n  - { id: shed, name: Shed, kind: intrusion, ${HALL}, disabled: true, input: { mqtt: shed, open: ["ON"], normal: ["OFF"] } }\n`,
    );
    expect(disabled.stdout).toMatch(/^ {2}- id: attic\n/);
    expect(disabled.stdout).not.toContain("shed");
    expect(disabled.stderr).toMatch(/already has a zones: list[^]*configured already: 1;/);
  });
});

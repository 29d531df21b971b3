import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { OutputView } from "../../src/domain/output.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

/* Outputs as the siren, the dialler and the lamp see them: retained messages at a real broker, and lines. */

const zone = (id: string, kind: string, more = ""): string =>
  `  - { id: ${id}, name: ${id}, kind: ${kind}, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true }${more} }\n`;

describeWithMosquitto("outputs", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let listener: MqttClient;
  let site: DaemonProcess;
  const heard: string[] = [];
  beforeEach(async () => {
    heard.length = 0;
    installation = new Installation();
    broker = await startMosquitto();
    listener = await connectAsync(broker.url);
    listener.on("message", (topic, payload) => heard.push(`${topic} ${payload.toString()}`));
    await listener.subscribeAsync("out/#");
  });
  afterEach(async () => {
    await installation.remove();
    await listener.endAsync();
    await broker.stop();
  });

  const yaml = (outputs: string): string =>
    `site: { ref: alone }\nhttp: { port: 0 }\ngpio: { backend: simulated }\nmqtt: { url: "${broker.url}" }\n` +
    `${buildingsYaml(1)}outputs:${outputs === "" ? " []" : ""}\n${outputs}zones:\n${zone("smoke", "fire")}${zone("counter", "holdup")}` +
    zone("window", "glass") +
    zone("fence", "perimeter") +
    zone("door", "intrusion", `, entryDelayS: 45, gate: { schedule: "mon-sun 00:00-24:00" }`);

  async function start(outputs: string): Promise<void> {
    site = installation.daemon("site", yaml(outputs));
    await site.start();
  }

  /** Replaces the outputs in the file of the site. */
  const edit = (outputs: string): void =>
    writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${yaml(outputs)}`);

  const command = (...words: string[]): Promise<Outcome> =>
    santinela([...words, "--config", "site.yaml"], { cwd: installation.folder });
  const trip = (id: string): Promise<Outcome> => command("trip", "--zone", id);
  const outputs = (): Promise<OutputView[]> => site.get("/site/outputs");
  const states = async () => (await outputs()).map(({ name, isOn }) => `${name} ${isOn}`).join(", ");
  const hears = (message: string, times = 1) =>
    eventually(`${times} × ${message}`, () => heard.filter((one) => one === message).length >= times);
  const switched = async () =>
    (await site.get<TimelineEntry[]>("/site/journal?limit=100"))
      .filter(({ event }) => event?.startsWith("output-"))
      .map(({ event, subject, detail }) =>
        `${event} ${subject} ${(detail as { state?: string }).state ?? ""}`.trim(),
      )
      .toReversed();

  test("a siren sounds for its time at a fire and is silent at a hold-up; a lamp shows the alarm until it is done", async () => {
    await start(
      "  - { name: siren, on: alarm, pulseS: 3, kinds: [fire, intrusion], gpio: 22, active: low }\n" +
        "  - { name: lamp, on: alarm, mqtt: out/lamp, payloads: { on: '1', off: '0' } }\n",
    );
    await hears("out/lamp 0");
    expect((await trip("counter")).code).toBe(0);
    await hears("out/lamp 1");
    expect(await states()).toBe("siren false, lamp true");
    expect((await trip("smoke")).code).toBe(0);
    await eventually("the siren", async () => (await states()).startsWith("siren true"));
    expect((await command("outputs", "test", "--name", "siren")).code).not.toBe(0);
    await eventually("its end", async () => (await states()).startsWith("siren false"));
    for (const id of ["counter", "smoke"]) await command("trip", "--zone", id, "--restore");
    for (const id of ["1", "2"]) await command("interventions", "set", id, "--status", "done");
    await hears("out/lamp 0", 2);
    await eventually("the entries", async () => (await switched()).length === 4);
    expect(await switched()).toEqual([
      "output-switched output lamp on",
      "output-switched output siren on",
      "output-switched output siren off",
      "output-switched output lamp off",
    ]);
    expect((await command("outputs", "list")).stdout).toMatch(/siren +alarm +GPIO 22 +off/);
  });

  test("an output that follows alarms of some kinds ends with them, also for trips that joined a record", async () => {
    await start(
      "  - { name: any, on: alarm, mqtt: out/any }\n" +
        "  - { name: fire, on: alarm, kinds: [fire, intrusion], mqtt: out/fire }\n" +
        "  - { name: yard, on: alarm, kinds: [perimeter], mqtt: out/yard }\n",
    );
    await hears("out/yard OFF");
    // In its entry delay: no alarm yet.
    await trip("door");
    await trip("window");
    await trip("fence");
    await hears("out/yard ON");
    expect(await states()).toBe("any true, fire false, yard true");
    await trip("smoke");
    await hears("out/fire ON");
    await site.end("SIGKILL");
    await site.start();
    await eventually("the states", async () => (await states()) === "any true, fire true, yard true");
    for (const id of ["window", "fence", "smoke"]) await command("trip", "--zone", id, "--restore");
    const { journeys } = await site.get<StatusView>("/site/status");
    const yard = journeys.find(({ name }) => name.includes("window"));
    await command("interventions", "set", String(yard?.interventionId), "--status", "done");
    await hears("out/yard OFF", 2);
    expect(await states()).toBe("any true, fire true, yard false");
    expect(heard.filter((one) => one === "out/fire OFF")).toHaveLength(1);
  });

  test("a reload adds, changes and removes outputs, and an unchanged one does not flicker", async () => {
    await start("");
    await trip("smoke");
    expect(await outputs()).toEqual([]);
    const lamp = "  - { name: lamp, on: alarm, mqtt: out/lamp }\n";
    edit(`${lamp}  - { name: bell, on: alarm, mqtt: out/bell }\n  - { name: relay, on: alarm, gpio: 5 }\n`);
    expect((await command("reload")).stdout).toBe("options applied: outputs\n");
    await hears("out/lamp ON");
    await hears("out/bell ON");
    edit(
      `  - { name: horn, on: alarm, gpio: 5 }\n${lamp}  - { name: bell, on: alarm, inverted: true, mqtt: out/bell2 }\n`,
    );
    expect((await command("reload")).code).toBe(0);
    await hears("out/bell OFF");
    await hears("out/bell2 OFF");
    await eventually("the states", async () => (await states()) === "horn true, lamp true, bell false");
    edit(lamp.replace("}", ", gpio: 4 }"));
    expect((await command("reload")).stderr).toMatch(
      /site\.yaml:\d+:\d+: outputs\[0\]: an output needs exactly one/,
    );
    edit(lamp);
    expect((await command("reload")).code).toBe(0);
    expect(await states()).toBe("lamp true");
    expect(heard).not.toContain("out/lamp OFF");
    expect(await switched()).toEqual(
      expect.arrayContaining(["output-switched output relay off", "output-switched output horn off"]),
    );
  });

  test.each([
    ["removes it", ""],
    ["gives it another topic", "  - { name: siren, on: alarm, mqtt: out/horn }\n"],
  ])(
    "a sounding siren is off after a reload that changes the reference of the site and %s",
    async (_, next) => {
      const lamp = "  - { name: lamp, on: alarm, mqtt: out/lamp }\n";
      await start(`  - { name: siren, on: alarm, mqtt: out/siren }\n${lamp}`);
      await trip("smoke");
      await eventually("the states", async () => (await states()) === "siren true, lamp true");
      await listener.subscribeAsync("santinela/#");
      const text = yaml(next + lamp).replace("ref: alone", "ref: moved");
      writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${text}`);
      expect((await command("reload")).stdout).toBe("options applied: site.ref, outputs\n");
      await hears("santinela/alone/outputs/availability offline");
      await hears("santinela/moved/outputs/availability online");
      expect((await connectAndRead(broker.url, "out/siren")).toString()).toBe("OFF");
      await hears("out/lamp ON", 2);
      if (next !== "") await hears("out/horn ON");
      // Before the alarm it is off, also by the message that the broker has kept.
      expect(heard.lastIndexOf("out/lamp OFF")).toBeLessThan(heard.indexOf("out/lamp ON"));
      expect(await switched()).toContain("output-switched output siren off");
    },
  );

  test("a killed daemon leaves its state, is offline, and at the next start says at once what is true", async () => {
    const lamp = (kind: string): string =>
      `  - { name: lamp, on: alarm, kinds: [${kind}], mqtt: out/lamp }\n`;
    await start(lamp("fire"));
    await hears("out/lamp OFF");
    await trip("smoke");
    await hears("out/lamp ON");
    await listener.subscribeAsync("santinela/#");
    await hears("santinela/alone/outputs/availability online");
    await site.end("SIGKILL");
    await hears("santinela/alone/outputs/availability offline");
    expect((await connectAndRead(broker.url, "out/lamp")).toString()).toBe("ON");
    await site.start();
    await hears("santinela/alone/outputs/availability online", 2);
    await hears("out/lamp ON", 2);
    expect(heard.filter((one) => one === "out/lamp OFF")).toHaveLength(1);
    await site.end("SIGKILL");
    edit(lamp("gas"));
    await site.start();
    await hears("out/lamp OFF", 2);
  });

  test("a dialler is triggered again by a restart within a minute of the alarm", async () => {
    await start("  - { name: dialler, on: alarm, pulseS: 1, mqtt: out/dialler }\n");
    await hears("out/dialler OFF");
    await trip("smoke");
    await hears("out/dialler ON");
    await site.end("SIGKILL");
    await site.start();
    await hears("out/dialler ON", 2);
    await hears("out/dialler OFF", 2);
    expect(await states()).toBe("dialler false");
  });

  test("an inverted output is on while the site is ready, and off once the daemon has ended", async () => {
    await start("  - { name: ready, on: not-ready, inverted: true, afterS: 0, mqtt: out/ready }\n");
    await hears("out/ready ON");
    await site.end("SIGTERM");
    await hears("out/ready OFF");
    expect((await connectAndRead(broker.url, "out/ready")).toString()).toBe("OFF");
  });

  test("a test switches an output for two seconds, and is in the event log", async () => {
    await start("  - { name: lamp, on: not-ready, mqtt: out/lamp }\n");
    await eventually("the broker to be reached", async () => (await states()) === "lamp false");
    await hears("out/lamp OFF");
    expect((await command("outputs", "test", "--name", "lamp")).code).toBe(0);
    await hears("out/lamp ON");
    await hears("out/lamp OFF", 2);
    await eventually("the entries", async () => (await switched()).length === 3);
    expect(await switched()).toEqual([
      "output-tested output lamp",
      "output-switched output lamp on",
      "output-switched output lamp off",
    ]);
    expect((await command("outputs", "test", "--name", "horn")).stderr).toMatch(/output horn does not exist/);
  });

  test("an output without its broker is a condition, and has its state again with the broker", async () => {
    await start("  - { name: lamp, on: alarm, mqtt: out/lamp }\n");
    await hears("out/lamp OFF");
    await broker.kill();
    await trip("smoke");
    const conditions = async () =>
      (await site.get<StatusView>("/site/status")).conditions.filter(({ code }) => code === "output-failed");
    await eventually("the condition", async () => (await conditions()).length > 0);
    expect((await outputs())[0]).toMatchObject({
      isOn: null,
      fault: expect.stringMatching(/out\/lamp/) as string,
    });
    await broker.startAgain();
    await eventually("the lamp", async () => (await states()) === "lamp true");
    expect(await conditions()).toEqual([]);
    expect((await connectAndRead(broker.url, "out/lamp")).toString()).toBe("ON");
  });

  test("a siren that is removed while its broker is down is off once the broker is there, also after a restart", async () => {
    await start("  - { name: siren, on: alarm, mqtt: out/siren }\n");
    await trip("smoke");
    await hears("out/siren ON");
    await broker.kill();
    edit("");
    expect((await command("reload")).code).toBe(0);
    await site.end("SIGKILL");
    await site.start();
    await broker.startAgain();
    await eventually("the entry", async () =>
      (await switched()).includes("output-switched output siren off"),
    );
    expect((await connectAndRead(broker.url, "out/siren")).toString()).toBe("OFF");
  });
});

async function connectAndRead(url: string, topic: string): Promise<Buffer> {
  const client = await connectAsync(url);
  try {
    const payload = new Promise<Buffer>((resolve) => client.once("message", (_topic, one) => resolve(one)));
    await client.subscribeAsync(topic);
    return await payload;
  } finally {
    await client.endAsync();
  }
}

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "mqtt";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

vi.setConfig({ testTimeout: 120_000 });

const ZONE =
  "zones:\n  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { mqtt: door, open: [open], normal: [closed] } }\n";

describeWithMosquitto("a client id that is used for a time only", () => {
  let broker: Mosquitto;
  let installation: Installation;
  let site: DaemonProcess;
  const path = (name: string): string => join(installation.folder, "site", name);
  const clientFile = (): string => path("secrets/mqtt-client-id");

  beforeEach(async () => {
    broker = await startMosquitto();
    installation = new Installation();
    site = installation.daemon("site", `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\n${ZONE}`);
    await site.start();
  });
  afterEach(async () => {
    await installation.remove();
    await broker.stop();
  });

  /** Whether the broker has a session for a client id, and so queues messages for it. */
  async function hasSession(clientId: string): Promise<boolean> {
    const client = connect(broker.url, { clientId, clean: false, reconnectPeriod: 0 });
    const isPresent = await new Promise<boolean>((resolve, reject) => {
      client.once("connect", ({ sessionPresent }) => resolve(sessionPresent));
      client.once("error", reject);
    });
    await client.endAsync();
    return isPresent;
  }

  const toEnd = (): string[] => {
    const file = path("mqtt-sessions-to-end.json");
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : [];
  };
  /** Each value has its own zone state only once the session exists. */
  const subscribed = async (): Promise<void> => {
    const sensor = connect(broker.url);
    await eventually("a reading", async () => {
      await sensor.publishAsync("door", "closed", { qos: 1 });
      const [zone] = await site.get<{ contact: string; since: string | null }[]>("/site/zones");
      return zone?.contact === "normal";
    });
    await sensor.endAsync();
  };

  /** Starts the site with a client id that cannot be stored. @returns it */
  async function startTemporary(): Promise<{ stored: string; temporary: string }> {
    await site.end("SIGTERM");
    const stored = readFileSync(clientFile(), "utf8");
    rmSync(clientFile());
    mkdirSync(clientFile());
    await site.start();
    await subscribed();
    const [temporary = ""] = toEnd();
    expect(temporary).toMatch(/^santinela-/);
    rmSync(clientFile(), { recursive: true });
    writeFileSync(clientFile(), stored);
    return { stored: stored.trim(), temporary };
  }

  test("leaves no session when the daemon stops", async () => {
    const { temporary, stored } = await startTemporary();
    await site.end("SIGTERM");
    expect(toEnd()).toEqual([]);
    expect(await hasSession(temporary)).toBe(false);
    expect(await hasSession(stored)).toBe(true);
  });

  test("leaves none after a power cut and the next start", async () => {
    const { temporary, stored } = await startTemporary();
    await site.end("SIGKILL");
    expect(await hasSession(temporary)).toBe(true);
    await site.start();
    await eventually("the end of the session", () => toEnd().length === 0);
    expect(await hasSession(temporary)).toBe(false);
    await site.end("SIGTERM");
    expect(await hasSession(stored)).toBe(true);
  });

  test("leaves none on another machine once it is confirmed, and the former one is continued", async () => {
    // A machine without an identity cannot be distinguished from others.
    if (!existsSync(path("machine.json"))) return;
    const former = readFileSync(clientFile(), "utf8").trim();
    await site.end("SIGTERM");
    writeFileSync(path("machine.json"), JSON.stringify({ serial: null, machineId: "another machine" }));
    await site.start();
    await subscribed();
    const temporary = readFileSync(clientFile(), "utf8").trim();
    expect(temporary).not.toBe(former);
    await site.run(["machine", "confirm", "--yes"]);
    await eventually(
      "the end of the session",
      () => readFileSync(clientFile(), "utf8").trim() === former && toEnd().length === 0,
    );
    expect(await hasSession(temporary)).toBe(false);
    await site.end("SIGTERM");
    expect(await hasSession(former)).toBe(true);
  });

  test("or was until the configuration named one leaves no session, nor does a topic that is removed meanwhile", async () => {
    await subscribed();
    const own = readFileSync(clientFile(), "utf8").trim();
    await site.end("SIGTERM");
    site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { url: "${broker.url}", clientId: hall }\n${ZONE.replace("mqtt: door", "mqtt: gate")}`,
    );
    await site.start();
    await eventually("the end of the session", async () => !(await hasSession(own)));
    await eventually("the note of it", () => toEnd().length === 0);
    const stored = readFileSync(path("mqtt-subscriptions.json"), "utf8");
    expect(JSON.parse(stored)).toMatchObject({ clientId: "hall", filters: expect.arrayContaining(["gate"]) });
    expect(stored).not.toContain("door");
  });
});

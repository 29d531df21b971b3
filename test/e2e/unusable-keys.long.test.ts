import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeUnless } from "../support/required-programs.ts";

/** @param http further options of the local API */
const yaml = (http: string, mqtt = "off"): string => `
dataDir: ./var
http: { port: 0, ${http} }
mqtt: ${mqtt}
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hall } ] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
`;
const OWN = "tls: own";
/** A broker that does not answer. */
const EXTERNAL = "{ url: mqtt://127.0.0.1:9 }";

interface Status {
  readonly conditions: readonly {
    readonly code: string;
    readonly text: string;
  }[];
}

let folder: string;
let daemon: ChildProcess | undefined;

function start(): void {
  const args = [MAIN, "serve", "--config", join(folder, "site.yaml")];
  daemon = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function end(): Promise<void> {
  const ending = daemon;
  daemon = undefined;
  if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
  const exited = new Promise((resolve) => ending.once("exit", resolve));
  ending.kill("SIGTERM");
  await exited;
}

const ask = (method: "GET" | "POST", path: string, body?: unknown) =>
  askDaemon(join(folder, "var"), method, path, body);

/** Starts the daemon, opens the door and waits for the alarm. @returns the conditions by code */
async function alarmOfTheDoor(): Promise<Map<string, string>> {
  start();
  await eventually("the daemon to answer", async () => {
    if (daemon?.exitCode !== null) throw new Error(`it has ended with ${daemon?.exitCode ?? "a signal"}`);
    return (await ask("GET", "/site/status")).status === 200;
  });
  for (const contact of ["normal", "open"])
    expect((await ask("POST", "/site/simulate", { zone: "door", contact })).status).toBe(200);
  await eventually("the alarm", async () => {
    const { headers } = await ask("GET", "/interventii");
    return Number(headers["x-total-count"]) === 1;
  });
  const { conditions } = (await ask("GET", "/site/status")).value as Status;
  return new Map(conditions.map(({ code, text }) => [code, text]));
}

async function conditionsOnceReady(): Promise<string[]> {
  const { conditions } = await eventually("the status", async () => {
    const { status, value } = await ask("GET", "/site/status");
    return status === 200 && (value as Status);
  });
  return conditions.map(({ code }) => code);
}

/** The files of a site that has run with a certificate of its own. */
async function startedOnce(mqtt = "off"): Promise<void> {
  writeFileSync(join(folder, "site.yaml"), yaml(OWN, mqtt));
  start();
  await eventually("the first start", async () => (await ask("GET", "/site/status")).status === 200);
  await end();
}

describe("an alarm is recorded although", () => {
  beforeEach(() => (folder = temporaryFolder()));
  afterEach(() => end());

  test.each(["tls/ca.crt", "secrets/ca.key"])(
    "%s is damaged: a new authority is created and must be installed",
    async (name) => {
      await startedOnce();
      const file = join(folder, "var", name);
      const kept = readFileSync(file);
      kept.fill(0, 40);
      writeFileSync(file, kept);
      // A changed host name, so that a certificate has to be signed.
      writeFileSync(join(folder, "site.yaml"), yaml(`${OWN}, hosts: [ hala.lan ]`));
      const conditions = await alarmOfTheDoor();
      expect(conditions.get("key-damaged")).toContain("install the new certificate authority on each device");
      expect(readFileSync(`${file}.unusable`)).toEqual(kept);
      expect(readFileSync(file)).not.toEqual(kept);
    },
  );

  test("the key that signs tokens is damaged: users sign in again", async () => {
    await startedOnce();
    const file = join(folder, "var", "secrets", "token-signing.key");
    writeFileSync(file, "\0".repeat(65));
    expect((await alarmOfTheDoor()).get("key-damaged")).toContain("all users must sign in again");
    expect(existsSync(`${file}.unusable`)).toBe(true);
  });

  test("the MQTT client id cannot be read: the stored one is used again after the next start", async () => {
    await startedOnce(EXTERNAL);
    const file = join(folder, "var", "secrets", "mqtt-client-id");
    const stored = readFileSync(file, "utf8");
    rmSync(file);
    mkdirSync(file);
    expect((await alarmOfTheDoor()).get("mqtt-client-id-temporary")).toContain(file);
    await end();
    rmSync(file, { recursive: true });
    writeFileSync(file, stored);
    start();
    expect(await conditionsOnceReady()).not.toContain("mqtt-client-id-temporary");
    expect(readFileSync(file, "utf8")).toBe(stored);
  });

  test.each(["nonsense", "-----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY-----\n"])(
    "the configured certificate cannot be used with the key %j",
    async (key) => {
      await startedOnce();
      writeFileSync(join(folder, "panel.key"), key);
      const tls = "tls: { certFile: ./var/tls/server.crt, keyFile: ./panel.key }";
      writeFileSync(join(folder, "site.yaml"), yaml(tls));
      expect((await alarmOfTheDoor()).get("certificate-not-renewed")).toMatch(
        /panel\.key.*own certificate is used/,
      );
    },
  );
});

// Mounting requires root; the behaviour on a full disk is the same for every user.
describeUnless(NO_MOUNT, "with a full disk for them, an alarm is recorded although", () => {
  let disk: SmallDisk;
  beforeEach(() => {
    folder = temporaryFolder();
    disk = new SmallDisk(1);
  });
  afterEach(async () => {
    await end();
    disk.remove();
  });

  /** The databases are on another disk, whose reserve would leave space for a certificate too. */
  function fill(name = "tls"): void {
    const files = join(folder, "var", name);
    cpSync(files, join(disk.folder, name), { recursive: true });
    rmSync(files, { recursive: true });
    symlinkSync(join(disk.folder, name), files);
    disk.fill();
  }

  test("the host name has changed: the present certificate stays in use", async () => {
    await startedOnce();
    const certificate = readFileSync(join(folder, "var", "tls", "server.crt"), "utf8");
    writeFileSync(join(folder, "site.yaml"), yaml(`${OWN}, hosts: [ hala.lan ]`));
    fill();
    expect((await alarmOfTheDoor()).get("certificate-not-renewed")).toContain("certificate stays in use");
    expect(readFileSync(join(folder, "var", "tls", "server.crt"), "utf8")).toBe(certificate);
  });

  test("the certificate is damaged: a temporary one is used", async () => {
    await startedOnce();
    writeFileSync(join(folder, "var", "tls", "server.crt"), "nonsense");
    fill();
    expect((await alarmOfTheDoor()).get("certificate-not-renewed")).toContain("is not stored");
  });

  test("the MQTT client id is missing: one is stored at the next start with space", async () => {
    await startedOnce();
    writeFileSync(join(folder, "site.yaml"), yaml(OWN, EXTERNAL));
    fill("secrets");
    const file = join(folder, "var", "secrets", "mqtt-client-id");
    expect((await alarmOfTheDoor()).get("mqtt-client-id-temporary")).toContain(file);
    await end();
    expect(existsSync(file)).toBe(false);
    disk.drain();
    start();
    expect(await conditionsOnceReady()).not.toContain("mqtt-client-id-temporary");
    expect(readFileSync(file, "utf8")).toMatch(/^santinela-[0-9a-f]{12}\n$/);
  });
});

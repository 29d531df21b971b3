import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TransmissionView } from "../../src/site/transmission-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { describeUnless } from "../support/required-programs.ts";

const YAML = `
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hall } ] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
  - { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/bunuri, id: 3 }, input: { simulated: true } }
`;

let disk: SmallDisk;
let daemon: ChildProcess | undefined;

function start(logTo: string): void {
  const log = openSync(logTo, "a");
  daemon = spawn(process.execPath, [MAIN, "serve", "--config", join(disk.folder, "site.yaml")], {
    stdio: ["ignore", log, log],
  });
  closeSync(log);
}

async function end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
  const ending = daemon;
  daemon = undefined;
  if (!ending || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null;
  const code = new Promise<number | null>((resolve) => {
    ending.once("exit", resolve);
  });
  ending.kill(signal);
  return code;
}

/** Response status of a request to the control socket. */
async function ask(path: string): Promise<number> {
  return (await askDaemon(join(disk.folder, "var"), "GET", path)).status;
}

/** Opens a contact and waits for its record. */
async function trip(zone: string): Promise<void> {
  const dataDir = join(disk.folder, "var");
  const count = async () =>
    Number((await askDaemon(dataDir, "GET", "/interventii")).headers["x-total-count"]);
  const before = await count();
  for (const contact of ["normal", "open"])
    expect((await askDaemon(dataDir, "POST", "/site/simulate", { zone, contact })).status).toBe(200);
  await eventually("the record", async () => (await count()) === before + 1);
}

async function conditions(): Promise<string[]> {
  const { value } = await askDaemon(join(disk.folder, "var"), "GET", "/site/status");
  return (value as StatusView).conditions.map(({ code }) => code);
}

/** State of the first event for the monitoring receiver. */
async function transmissionState(): Promise<string | undefined> {
  const { value } = await askDaemon(join(disk.folder, "var"), "GET", "/site/interventions/1/transmissions");
  return (value as TransmissionView[])[0]?.state;
}

function isAnswering(): Promise<boolean> {
  return eventually("the daemon to answer", async () => (await ask("/interventii")) === 200);
}

// Mounting requires root; the behaviour on a full disk is the same for every user.
describeUnless(NO_MOUNT, "on a full disk", () => {
  beforeEach(() => {
    disk = new SmallDisk(4);
    writeFileSync(join(disk.folder, "site.yaml"), `dataDir: ./var\n${YAML}`);
  });
  afterEach(async () => {
    await end("SIGKILL");
    disk.remove();
  });

  test("a log that cannot be written does not stop the daemon", async () => {
    start("/dev/full");
    await isAnswering();
    expect(await ask("/site/status")).toBe(200);
    expect(await end("SIGTERM")).toBe(0);
  });

  test("a log on the same disk continues when there is space again", async () => {
    const log = join(disk.folder, "log");
    writeFileSync(log, "");
    start(log);
    await isAnswering();
    disk.fill();
    const full = readFileSync(log).length;
    await ask("/nowhere");
    disk.drain();
    expect(await end("SIGTERM")).toBe(0);
    expect(readFileSync(log, "utf8").slice(full)).toMatch(/"event":"stopped"/);
  });

  test("SIGHUP removes the monitoring receiver, and its alarms are withdrawn once there is space", async () => {
    const file = join(disk.folder, "site.yaml");
    const without = readFileSync(file, "utf8");
    const receivers = `[ { host: 127.0.0.1, port: ${await freePort()} } ]`;
    writeFileSync(
      file,
      `${without}upstreams: [ { dc09: { account: "12AB", plain: true, receivers: ${receivers} } } ]\n`,
    );
    start("/dev/null");
    await isAnswering();
    await trip("door");
    await eventually("the waiting alarm", async () => (await transmissionState()) === "waiting");
    writeFileSync(file, without);
    // Without the reserve, as after hours on a full disk.
    rmSync(join(disk.folder, "var", "ballast"), { force: true }); // words: allowed
    disk.fill();
    daemon?.kill("SIGHUP");
    await eventually("the condition", async () => (await conditions()).includes("transmitter-write-failed"));
    expect(await transmissionState()).toBe("waiting");
    disk.drain();
    await eventually("the withdrawal", async () => (await transmissionState()) === "withdrawn");
    expect(await conditions()).not.toContain("transmitter-write-failed");
    await trip("gate");
    expect(await end("SIGTERM")).toBe(0);
  });

  test("a daemon that crashed starts again and lists its records", async () => {
    start("/dev/null");
    await isAnswering();
    await end("SIGKILL");
    disk.fill();
    start("/dev/null");
    await isAnswering();
    expect(await ask("/obiective/cladiri")).toBe(200);
  });
});

test("a command whose result cannot be written reports it by its exit code", async () => {
  const full = openSync("/dev/full", "w");
  const command = spawn(process.execPath, [MAIN, "version"], { stdio: ["ignore", full, "ignore"] });
  closeSync(full);
  const code = await new Promise((resolve) => {
    command.once("exit", resolve);
  });
  expect(code).toBe(74);
});

import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { CAN_MOUNT, SmallDisk } from "../support/small-disk.ts";

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
    env: { ...process.env, ...(memory === undefined ? {} : { RUNTIME_DIRECTORY: memory }) },
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

/** The answer's status when the daemon is asked over its control socket. */
async function ask(path: string): Promise<number> {
  return (await askDaemon(join(disk.folder, "var"), "GET", path)).status;
}

function isAnswering(): Promise<boolean> {
  return eventually("the daemon to answer", async () => (await ask("/interventii")) === 200);
}

// A disk of its own needs root; what the daemon does about a full one is the same for every user.
describe.skipIf(!CAN_MOUNT)("on a full disk", () => {
  beforeEach(() => {
    disk = new SmallDisk(4);
    writeFileSync(join(disk.folder, "site.yaml"), `dataDir: ./var\n${YAML}`);
  });
  afterEach(async () => {
    await end("SIGKILL");
    disk.remove();
  });

  test("a log that cannot be written does not end the daemon", async () => {
    start("/dev/full");
    await isAnswering();
    expect(await ask("/site/status")).toBe(200);
    expect(await end("SIGTERM")).toBe(0);
  });

  test("a log on the same disk goes on when there is space again", async () => {
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

  test("a daemon that died starts again and shows its records", async () => {
    start("/dev/null");
    await isAnswering();
    await end("SIGKILL");
    disk.fill();
    start("/dev/null");
    await isAnswering();
    expect(await ask("/obiective/cladiri")).toBe(200);
  });
});

/** Where the daemon keeps what the disk does not take; systemd makes it in the service. */
let memory: string | undefined;

describe.skipIf(!CAN_MOUNT)("on a disk that is full to the last byte", () => {
  beforeEach(() => {
    memory = mkdtempSync(join(tmpdir(), "santinela-memory-"));
    disk = new SmallDisk(8);
    writeFileSync(join(disk.folder, "site.yaml"), `dataDir: ./var\n${YAML}`);
  });
  afterEach(async () => {
    await end("SIGKILL");
    disk.remove();
    if (memory !== undefined) rmSync(memory, { recursive: true });
    memory = undefined;
  });

  const post = () =>
    askDaemon(join(disk.folder, "var"), "POST", "/interventii", {
      name: "By hand",
      description: "d".repeat(900),
      objectiveType: "obiective/cladiri",
      objectiveId: 12,
    });
  const conditions = async (): Promise<string[]> => {
    const { value } = await askDaemon(join(disk.folder, "var"), "GET", "/site/status");
    return (value as { conditions: { code: string }[] }).conditions.map(({ code }) => code);
  };
  const simulate = (contact: string) =>
    askDaemon(join(disk.folder, "var"), "POST", "/site/simulate", { zone: "door", contact });
  /** Takes what the reserve file gives up as well. */
  const fillForGood = async (): Promise<void> => {
    await eventually("the disk to take no record", async () => {
      disk.fill();
      return (await post()).status === 503;
    });
    disk.fill();
  };

  test("a request is answered 503 with Retry-After, and the condition is there", async () => {
    start("/dev/null");
    await isAnswering();
    await fillForGood();
    const { status, value, headers } = await post();
    expect([status, headers["retry-after"]]).toEqual([503, "30"]);
    expect(value).toMatchObject({ error: "Service Unavailable", statusCode: 503 });
    expect((value as { message: string }).message).toMatch(
      /disk of this device is full.*Nothing was stored/s,
    );
    expect(await conditions()).toContain("disk-full");
    disk.drain();
    await eventually("records to be taken again", async () => (await post()).status === 201);
  });

  test("the opening of a wire survives the daemon's end in memory, and is one intervention once there is room", async () => {
    start("/dev/null");
    await isAnswering();
    expect((await simulate("normal")).status).toBe(200);
    await fillForGood();
    // Each further change needs a little more of the log, until there is nothing left.
    await eventually("a trip to be kept in memory", async () => {
      await simulate("open");
      await simulate("normal");
      disk.fill();
      return (await conditions()).includes("trips-off-disk");
    });
    expect(readdirSync(memory ?? "")).toHaveLength(1);
    const kept = readFileSync(join(memory ?? "", readdirSync(memory ?? "")[0] ?? ""), "utf8");
    const keys = [...kept.matchAll(/"key":"([^"]+)"/g)].map(([, key = ""]) => key);
    expect(keys.length).toBeGreaterThan(0);
    await end("SIGKILL");
    disk.drain();
    start("/dev/null");
    await isAnswering();
    await eventually("the trips to be dispatched", async () => {
      const { value } = await askDaemon(join(disk.folder, "var"), "GET", "/site/trips?limit=200");
      const trips = value as { key: string; state: string }[];
      const found = keys.map((key) => trips.filter((trip) => trip.key === key));
      return found.every((same) => same.length === 1 && same[0]?.state !== "waiting");
    });
    expect(readdirSync(memory ?? "")).toEqual([]);
    expect(await conditions()).not.toContain("trips-off-disk");
  });
});

test("a command whose result cannot be written says so with its exit code", async () => {
  const full = openSync("/dev/full", "w");
  const command = spawn(process.execPath, [MAIN, "version"], { stdio: ["ignore", full, "ignore"] });
  closeSync(full);
  const code = await new Promise((resolve) => {
    command.once("exit", resolve);
  });
  expect(code).toBe(74);
});

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askDaemon, type ControlAnswer } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeUnless } from "../support/required-programs.ts";

/*
 * A real file system that fills up under the running daemon, with errors from the kernel. It is in memory, so
 * slow or unreliable cards are not covered.
 */

/** Enough for the disk not to be low on space before it is filled. */
const DISK_MB = 128;
/** Maximum number of records that fit into the allocated write-ahead log. */
const WRITES_MAX = 2_000;
/** By the clock of the daemon, from the first rejected write to the condition, plus the second that a `Date` header is exact to. */
const CONDITION_WITHIN_MS = 5_000 + 1_000;
const YAML = `
dataDir: ./var
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall }, { id: 2, name: Yard }, { id: 3, name: Store }, { id: 4, name: Cellar } ] }
profiles: { minor: { type: repair, priority: low } }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17, contact: nc } }
  - { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { gpio: 27, contact: nc } }
  - { id: leak, name: Leak, kind: flood, objective: { type: obiective/cladiri, id: 4 }, profile: minor, input: { simulated: true } }
`;

interface Status {
  readonly conditions: readonly { readonly code: string; readonly since: string }[];
  readonly trips: { readonly waiting: number };
}

// Mounting requires root; the behaviour on a full disk is the same for every user.
describeUnless(NO_MOUNT, "a disk that fills up while the daemon runs", () => {
  let disk: SmallDisk;
  let dataDir: string;
  let inMemory: string;
  let daemon: ChildProcess | undefined;

  beforeEach(() => {
    disk = new SmallDisk(DISK_MB);
    dataDir = join(disk.folder, "var");
    inMemory = temporaryFolder();
    writeFileSync(join(disk.folder, "site.yaml"), YAML);
  });
  afterEach(async () => {
    await end("SIGKILL");
    disk.remove();
  });

  async function start(): Promise<void> {
    daemon = spawn(process.execPath, [MAIN, "serve", "--config", join(disk.folder, "site.yaml")], {
      stdio: "ignore",
      env: { ...process.env, RUNTIME_DIRECTORY: inMemory },
    });
    await eventually("the daemon to answer", async () => (await ask("GET", "/site/status")).status === 200);
  }

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const ending = daemon;
    daemon = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill(signal);
    await exited;
  }

  const ask = (method: "GET" | "POST", path: string, body?: unknown): Promise<ControlAnswer> =>
    askDaemon(dataDir, method, path, body);
  const write = (priority: "medium" | "high" = "high"): Promise<ControlAnswer> =>
    ask("POST", "/interventii", {
      name: "Patrol",
      objectiveType: "obiective/cladiri",
      objectiveId: 3,
      priority,
    });
  const move = async (zone: string, contact: "open" | "normal"): Promise<void> => {
    expect((await ask("POST", "/site/simulate", { zone, contact })).status).toBe(200);
  };
  const recordsAt = async (building: number): Promise<number> => {
    const { status, headers } = await ask("GET", `/interventii?objectiveId=${building}`);
    expect(status).toBe(200);
    return Number(headers["x-total-count"]);
  };
  const sinceOf = async (code: string): Promise<number | undefined> => {
    const { conditions } = (await ask("GET", "/site/status")).value as Status;
    const found = conditions.find((one) => one.code === code);
    return found && Date.parse(found.since);
  };
  const has = async (code: string): Promise<boolean> => (await sinceOf(code)) !== undefined;
  const keptFiles = (): string[] => readdirSync(inMemory).filter((name) => name.endsWith(".ndjson"));

  /**
   * Writes until the disk is full.
   * @returns the number of acknowledged records, and the first response other than 201
   */
  async function writeUntilRefused(): Promise<{ written: number; refused: ControlAnswer | undefined }> {
    for (let written = 0; written < WRITES_MAX; written += 1) {
      const answer = await write();
      if (answer.status !== 201) return { written, refused: answer };
    }
    return { written: WRITES_MAX, refused: undefined };
  }

  test("writes are temporarily rejected, reads continue, and each opening of a GPIO contact is one record once there is space", async () => {
    await start();
    const reserve = join(dataDir, "ballast");
    await eventually("the reserve file", () => existsSync(reserve) && statSync(reserve).size > 1_048_576);
    await move("door", "normal");
    await move("gate", "normal");
    expect(await has("disk-full")).toBe(false);

    disk.fill();
    let acknowledged = 0;
    const rejectedMs = await eventually("a rejected write", async () => {
      const { status, headers } = await write("medium");
      if (status === 201) acknowledged += 1;
      return status === 503 && Date.parse(headers.date ?? "");
    });
    const sinceMs = await eventually("the condition", () => sinceOf("disk-full"));
    expect(sinceMs - rejectedMs).toBeLessThanOrEqual(CONDITION_WITHIN_MS);
    await move("leak", "open");
    await eventually("the record of the leak", async () => (await recordsAt(4)) === 1);
    while (existsSync(reserve) && acknowledged < WRITES_MAX) {
      expect((await write()).status).toBe(201);
      acknowledged += 1;
    }
    expect(existsSync(reserve)).toBe(false);
    disk.fill();
    const { written, refused } = await writeUntilRefused();
    acknowledged += written;
    expect(refused).toMatchObject({
      status: 503,
      value: {
        error: "Service Unavailable",
        message: expect.stringMatching(/^the disk of this device is full.*Free space/) as string,
        statusCode: 503,
      },
    });
    expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0);
    expect(await recordsAt(3)).toBe(acknowledged);
    expect((await ask("GET", "/obiective/cladiri")).value).toHaveLength(4);

    await move("door", "open");
    await eventually("the opening to be kept in memory", () => keptFiles().length === 1);
    expect(await has("trips-off-disk")).toBe(true);
    expect(await recordsAt(1)).toBe(0);

    // The process is killed and starts again on the full disk.
    await end("SIGKILL");
    await start();
    // The start itself may have freed some room, from the write-ahead logs: then the opening waits in the journal.
    await eventually("the kept opening", async () => {
      const { conditions, trips } = (await ask("GET", "/site/status")).value as Status;
      return trips.waiting > 0 || conditions.some(({ code }) => code === "trips-off-disk");
    });
    expect(await recordsAt(3)).toBe(acknowledged);
    await move("gate", "open");
    disk.drain();
    // The next reading of the contact is recorded after the kept ones.
    await move("gate", "normal");
    await eventually("a record of each opening", async () =>
      (await Promise.all([recordsAt(1), recordsAt(2)])).every((records) => records > 0),
    );
    expect([keptFiles(), await has("trips-off-disk")]).toEqual([[], false]);
    expect((await write()).status).toBe(201);
    await eventually("no trip to wait", async () => {
      const trips = (await ask("GET", "/site/trips")).value as { readonly state: string }[];
      return trips.length === 3 && trips.every(({ state }) => state !== "waiting");
    });
    expect([await recordsAt(1), await recordsAt(2), await recordsAt(3)]).toEqual([1, 1, acknowledged + 1]);
  });
});

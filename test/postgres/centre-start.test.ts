import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Centre } from "../../src/centre.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

/* A dispatch centre that starts before its database, as after a power cut of both servers. */

/* Short: the server's clock does not follow the one of the test, and a difference of ten seconds is a clock step. */
const SILENT_MS = 5_000;
const LOOK_MS = 1_250;
const HOUR_MS = 3_600_000;

describeWithPostgres("a dispatch centre that has waited for its database", () => {
  let server: PostgresServer;
  let url: string;
  let folder: string;
  let clock: ManualClock;
  let centre: Centre;
  let log: string[];
  /** Looks for silent sites: each plans the next one when it is over. */
  const looks = { planned: 0 };

  function newCentre(): Centre {
    const file = join(folder, "centre.yaml");
    const objectives = { "obiective/cladiri": [{ id: 1, name: "Hall", status: "active" }] };
    const common = { dataDir: "./data", site: { ref: "centre" }, http: { port: 0 }, objectives };
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ ...common, database: url, fleet: { silentS: SILENT_MS / 1000 } }));
    const config = loadConfiguration({ file, env: {}, cwd: folder, role: "centre" });
    if (config.database === null) throw new Error("no database");
    const counted: Clock = {
      wallMs: () => clock.wallMs(),
      monotonicMs: () => clock.monotonicMs(),
      afterEventLoopTurn: (action) => clock.afterEventLoopTurn(action),
      after: (delayMs, action) => {
        if (delayMs === LOOK_MS) looks.planned += 1;
        return clock.after(delayMs, action);
      },
    };
    log = [];
    return new Centre({
      config: { ...config, database: config.database },
      clock: counted,
      write: (line) => void log.push(line),
      forJournald: false,
      announceInitialPassword: async () => {},
      httpDescriptor: undefined,
    });
  }

  beforeEach(async () => {
    server = await PostgresServer.start();
    url = await server.newDatabase();
    folder = mkdtempSync(join(tmpdir(), "santinela-centre-"));
    clock = new ManualClock();
    centre = newCentre();
    await centre.start();
  });
  afterEach(async () => {
    await centre.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = (method: "GET" | "POST", path: string, body?: object) =>
    askDaemon(join(folder, "data"), method, path, body);
  const repairs = async (): Promise<Intervention[]> =>
    (await ask("GET", "/interventii?type=repair")).value as Intervention[];

  /** Passes time in steps of one look, each of which is completed. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += LOOK_MS) {
      const before = looks.planned;
      clock.advance(LOOK_MS);
      while (looks.planned === before) await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  test("gives each site the whole time after its own start", async () => {
    expect((await ask("POST", "/site-reports", REPORT)).status).toBe(204);
    await centre.stop();
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    // Everything has been without power for an hour.
    await server.query(name, `UPDATE sites SET reported_at = reported_at - ${HOUR_MS}`);
    await server.kill();
    centre = newCentre();
    const started = centre.start();
    await eventually("the wait", () => log.some((line) => line.includes("database-unavailable")));
    clock.advance(HOUR_MS);
    await server.startAgain();
    await eventually("its start", () => {
      clock.advance(1_000);
      return log.some((line) => line.includes('"ready"'));
    });
    await started;
    await pass(SILENT_MS);
    expect(await repairs()).toEqual([]);
    await pass(3 * LOOK_MS);
    expect(await repairs()).toHaveLength(1);
  });
});

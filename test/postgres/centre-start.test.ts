import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Centre } from "../../src/centre.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { INITIAL_ADMIN_EMAIL } from "../../src/domain/principal.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import { close } from "../support/loopback.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* Starts of a dispatch centre while its database fails. */

/* Short: the server's clock does not follow the one of the test, and a difference of ten seconds is a clock step. */
const SILENT_MS = 5_000;
const LOOK_MS = 1_250;
const HOUR_MS = 3_600_000;

describeOnPostgres("a dispatch centre", (server) => {
  let url: string;
  let folder: string;
  let clock: ManualClock;
  let centre: Centre;
  let log: string[];
  /** Passwords of the initial administrator that were shown. */
  let shown: string[];
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
    [log, shown] = [[], []];
    return new Centre({
      config: { ...config, database: config.database },
      clock: counted,
      write: (line) => void log.push(line),
      forJournald: false,
      announceInitialPassword: async ({ password }) => void shown.push(password),
      httpDescriptor: undefined,
    });
  }

  beforeEach(async () => {
    url = await server.newDatabase();
    folder = temporaryFolder();
    clock = new ManualClock();
    centre = newCentre();
  });
  afterEach(() => centre.stop());

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

  test("that has waited for its database gives each site the whole time", async () => {
    await centre.start();
    expect((await ask("POST", "/site-reports", reportNow())).status).toBe(204);
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

  test("shows the password of its first administrator although the response of the database is lost", async () => {
    const line = await Line.to(server.folder);
    url = url.replace(encodeURIComponent(server.folder), encodeURIComponent(line.folder));
    centre = newCentre();
    const { port } = await centre.start();
    expect([line.lost, shown.length]).toEqual([1, 1]);
    const body = JSON.stringify({ email: INITIAL_ADMIN_EMAIL, password: shown[0] });
    const headers = { "Content-Type": "application/json" };
    const signIn = await fetch(`http://127.0.0.1:${port}/auth/token`, { method: "POST", headers, body });
    expect(signIn.status).toBe(200);
    await centre.stop();
    await line.close();
  });

  test("reports the release that did not stay up, before which it runs again", async () => {
    const program = join(folder, "releases/0.1.0.1/dist/main.js");
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, "");
    writeFileSync(join(folder, "returned"), "99.0.0\n");
    const { argv } = process;
    try {
      process.argv = [process.execPath, program, "centre"];
      await centre.start();
    } finally {
      process.argv = argv;
    }
    const { conditions } = (await ask("GET", "/site/status")).value as {
      conditions: { code: string; text: string }[];
    };
    expect(conditions).toEqual([
      expect.objectContaining({
        code: "release-returned",
        text: expect.stringContaining("99.0.0") as string,
      }),
    ]);
  });
});

/** A line to PostgreSQL that is cut once: when the response to the commit of a new account arrives. */
class Line {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-line-"));
  lost = 0;
  readonly #server: Server;

  private constructor(target: string) {
    this.#server = createServer((near) => this.#join(near, connect(join(target, SOCKET))));
  }

  static async to(target: string): Promise<Line> {
    const line = new Line(target);
    await once(line.#server.listen(join(line.folder, SOCKET)), "listening");
    return line;
  }

  async close(): Promise<void> {
    await close(this.#server);
    rmSync(this.folder, { recursive: true });
  }

  #join(near: Socket, far: Socket): void {
    let [isAdding, isCut] = [false, false];
    near.on("data", (chunk) => {
      isAdding ||= chunk.includes("account-added");
      isCut = this.lost === 0 && isAdding && chunk.includes("COMMIT");
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (!isCut) near.write(chunk);
      else {
        this.lost += 1;
        near.destroy();
      }
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on("error", () => {}).on("close", () => other.destroy());
  }
}

/** The name of a socket of PostgreSQL in its folder. */
const SOCKET = ".s.PGSQL.5432";

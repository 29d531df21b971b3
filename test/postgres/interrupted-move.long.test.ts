import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { MOVED_TABLES } from "../../src/postgres/moved-tables.ts";
import { MAIN } from "../support/built-program.ts";
import { eventually } from "../support/eventually.ts";
import { close } from "../support/loopback.ts";
import { MovingCentre } from "../support/moving-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { stoppedCentre } from "../support/stopped-centre.ts";

/* A move from SQLite to PostgreSQL that is interrupted: by a kill, by the end of the server, and at the commit. */

const RECORDS = 1_500;
/** The records are written by then, the audit trail is not. */
const LATE_STATEMENT = "move-audit";

describeOnPostgres("a move from SQLite to PostgreSQL", (server) => {
  let original: string;
  let centre: MovingCentre;
  let line: Line;

  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), "santinela-moved-"));
    await stoppedCentre(original, RECORDS);
  });
  afterAll(async () => {
    rmSync(original, { recursive: true });
  });
  beforeEach(async () => {
    centre = await MovingCentre.of(original, server);
    line = await Line.to(server.folder);
    centre.connectThrough(line);
  });
  afterEach(async () => {
    await line.close();
    centre.remove();
  });

  async function expectNothingThere(): Promise<void> {
    await eventually("the end of the session", async () => {
      const sessions = await centre.query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'santinela'",
      );
      return sessions.length === 0;
    });
    for (const { name, hasRows } of MOVED_TABLES)
      if (hasRows !== true) expect([name, await centre.rowsIn(name)]).toEqual([name, 0]);
  }

  async function expectMoveSucceeds(): Promise<void> {
    centre.configure(centre.url);
    expect(await centre.move()).toMatchObject({ code: 0 });
    expect(await centre.rowsIn("interventions")).toBeGreaterThan(RECORDS);
  }

  test("that is killed in the middle leaves an empty database, and a second one succeeds", async () => {
    const words = ["migrate", "--from-sqlite", "data", "--config", "centre.yaml"];
    const command = spawn(process.execPath, [MAIN, ...words], { cwd: centre.folder, stdio: "ignore" });
    line.onSent = (bytes) => {
      if (!bytes.includes(LATE_STATEMENT)) return true;
      command.kill("SIGKILL");
      return false;
    };
    expect(await once(command, "exit")).toEqual([null, "SIGKILL"]);
    await expectNothingThere();
    await expectMoveSucceeds();
  });

  test("during which the server ends names the reason, leaves an empty database, and a second one succeeds", async () => {
    let ended: Promise<void> | undefined;
    line.onSent = (bytes) => {
      if (!bytes.includes(LATE_STATEMENT)) return true;
      ended = server.kill();
      return false;
    };
    const { code, stdout, stderr } = await centre.move();
    expect([code, stdout]).toEqual([75, ""]);
    expect(stderr).toContain("the database is not available");
    await ended;
    await server.startAgain();
    await expectNothingThere();
    await expectMoveSucceeds();
  });

  test("whose last response is lost is reported as complete if the command is repeated", async () => {
    let isLate = false;
    line.onSent = (bytes) => {
      isLate ||= bytes.includes(LATE_STATEMENT);
      line.isMute = isLate && bytes.includes("COMMIT");
      return true;
    };
    const { code, stderr } = await centre.move();
    expect([code, stderr]).toEqual([
      75,
      expect.stringContaining("the end of the move was not confirmed\nRepeat the command"),
    ]);
    centre.configure(centre.url);
    await eventually("the commit", async () => (await centre.rowsIn("interventions")) > 0);
    expect((await centre.move()).stderr).toContain("was moved to this database before");
  });
});

/** A line to PostgreSQL that is cut when a test wants it. */
class Line {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-line-"));
  /** Called with bytes to the server. @returns false to cut the line instead of sending them */
  onSent: (bytes: Buffer) => boolean = () => true;
  /** Whether the next response is lost with the line. */
  isMute = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: string) {
    this.#server = createServer((near) => this.#join(near, connect(join(target, SOCKET))));
  }

  static async to(target: string): Promise<Line> {
    const line = new Line(target);
    await once(line.#server.listen(join(line.folder, SOCKET)), "listening");
    return line;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await close(this.#server);
    rmSync(this.folder, { recursive: true });
  }

  #join(near: Socket, far: Socket): void {
    near.on("data", (bytes: Buffer) => (this.onSent(bytes) ? far.write(bytes) : far.destroy()));
    far.on("data", (bytes: Buffer) => (this.isMute ? near.destroy() : near.write(bytes)));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {}).on("close", () => other.destroy());
    }
  }
}

/** The name of a socket of PostgreSQL in its folder. */
const SOCKET = ".s.PGSQL.5432";

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Centre } from "../../src/centre.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { INITIAL_ADMIN_EMAIL } from "../../src/domain/principal.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { setStandby } from "../support/missing-standby.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* Commits wait for a synchronous standby that is lost, until it returns or another one takes its place. */
describeOnPostgres("a process of a dispatch centre that starts while its standby is lost", (server) => {
  let url: string;
  let clock: ManualClock;
  const running: Centre[] = [];
  beforeEach(async () => {
    url = await server.newDatabase();
    clock = new ManualClock();
  });
  afterEach(async () => {
    await setStandby(server, "");
    for (const centre of running.splice(0)) await centre.stop();
  });

  /** Starts a process with one building. */
  function start(name: string) {
    const folder = temporaryFolder();
    const file = join(folder, "centre.yaml");
    const objectives = { "obiective/cladiri": [{ id: 1, name, status: "active" }] };
    const common = { dataDir: "./data", site: { ref: "centre" }, http: { port: 0 } };
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ ...common, database: url, objectives }));
    const config = loadConfiguration({ file, env: {}, cwd: folder, role: "centre" });
    if (config.database === null) throw new Error("no database");
    const [log, shown]: [string[], string[]] = [[], []];
    const centre = new Centre({
      config: { ...config, database: config.database },
      clock,
      write: (line) => void log.push(line),
      forJournald: false,
      announceInitialPassword: async ({ password }) => void shown.push(password),
      httpDescriptor: undefined,
    });
    running.push(centre);
    const started = centre.start();
    const state = { hasFailed: false };
    started.catch(() => (state.hasFailed = true));
    /** Counts the attempts that have failed. */
    const waits = (): number => log.filter((line) => line.includes('"retryInS"')).length;
    return { started, state, waits, shown };
  }

  const pass = (what: string, isOver: () => boolean) =>
    eventually(what, () => {
      clock.advance(1_000);
      return isOver();
    });

  test("needs no commit if it has nothing to write", async () => {
    await start("Hall").started;
    await setStandby(server, "missing");
    const second = start("Hall");
    await second.started;
    expect(second.waits()).toBe(0);
  });

  test("waits with what it has to write", async () => {
    await start("Hall").started;
    await setStandby(server, "missing");
    const second = start("Hall 2");
    await pass("the second failed attempt", () => second.state.hasFailed || second.waits() >= 2);
    expect(second.state.hasFailed).toBe(false);
    await setStandby(server, "");
    let isReady = false;
    void second.started.then(() => (isReady = true));
    await pass("its start", () => isReady);
    expect(
      await server.query(decodeURIComponent(new URL(url).pathname.slice(1)), "SELECT data FROM objectives"),
    ).toEqual([{ data: expect.stringContaining("Hall 2") as string }]);
  });

  test("shows one password, which is valid, although it has tried to store it several times", async () => {
    // With the schema, but without an account.
    await start("Hall").started;
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    await server.query(name, "DELETE FROM accounts WHERE password_hash IS NOT NULL");
    await setStandby(server, "missing");
    const second = start("Hall");
    await pass("the third failed attempt", () => second.state.hasFailed || second.waits() >= 3);
    expect(second.shown).toHaveLength(1);
    await setStandby(server, "");
    let port = 0;
    void second.started.then((address) => (port = address.port));
    await pass("its start", () => port > 0);
    expect(second.shown).toHaveLength(1);
    const body = JSON.stringify({ email: INITIAL_ADMIN_EMAIL, password: second.shown[0] });
    const headers = { "Content-Type": "application/json" };
    const signIn = await fetch(`http://127.0.0.1:${port}/auth/token`, { method: "POST", headers, body });
    expect(signIn.status).toBe(200);
  });
});

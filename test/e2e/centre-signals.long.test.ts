import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* What systemd and a full disk do to the process of a dispatch centre. */

const YAML = "site: { ref: centre }\nhttp: { port: 0 }\n";

let installation: Installation;
beforeEach(() => (installation = Installation.temporary()));

/** Starts `santinela centre` and waits until it answers. @param options before the name of the command */
async function start(yaml: string, logTo: string, options: readonly string[] = []): Promise<ChildProcess> {
  installation.centre("centre", yaml);
  const log = openSync(logTo, "a");
  const words = [MAIN, ...options, "centre", "--config", join(installation.folder, "centre.yaml")];
  const centre = spawn(process.execPath, words, { stdio: ["ignore", log, "ignore"] });
  closeSync(log);
  onTestFinished(() => void centre.kill("SIGKILL"));
  await eventually("the centre to answer", async () => (await status()) === 200);
  return centre;
}

const status = (): Promise<number | undefined> =>
  askDaemon(join(installation.folder, "centre"), "GET", "/site/status").then(
    (answer) => answer.status,
    () => undefined,
  );

/** Its exit code. */
async function stop(centre: ChildProcess): Promise<unknown> {
  const ended = once(centre, "exit");
  centre.kill("SIGTERM");
  return (await ended)[0] as unknown;
}

const logged = (event: string): Promise<string> =>
  eventually(event, () =>
    Promise.resolve(
      readFileSync(join(installation.folder, "log"), "utf8")
        .split("\n")
        .find((line) => line.includes(`"event":"${event}"`)),
    ),
  );

describe("a dispatch centre on SQLite", () => {
  test.each([[[]], [["--no-input"]]])(
    "reloads its configuration on SIGHUP, with the options %j",
    async (options) => {
      const centre = await start(YAML, join(installation.folder, "log"), options);
      centre.kill("SIGHUP");
      expect(await logged("reload-applied")).toContain("SIGHUP");
      expect(await stop(centre)).toBe(0);
    },
  );

  test("ends as usual although its log cannot be written", async () => {
    expect(await stop(await start(YAML, "/dev/full"))).toBe(0);
  });
});

describeOnPostgres("a dispatch centre on PostgreSQL", (server) => {
  test("says on SIGHUP that a changed configuration needs a restart, and goes on", async () => {
    const yaml = `${YAML}database: "${await server.newDatabase()}"\n`;
    const centre = await start(yaml, join(installation.folder, "log"));
    centre.kill("SIGHUP");
    expect(await logged("configuration-reload-failed")).toContain("restart");
    expect(await status()).toBe(200);
    expect(await stop(centre)).toBe(0);
  });
});

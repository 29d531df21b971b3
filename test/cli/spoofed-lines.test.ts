import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { formatResults, warning } from "../../src/cli/check-result.ts";
import { santinela } from "../support/command-line.ts";
import { Installation } from "../support/installation.ts";
import { close } from "../support/loopback.ts";

/* Names come from clients, sensors and dispatch centres: they must neither control a terminal nor look like other lines. */

const ESCAPE = "\u001b[2J";

/** Answers `GET /site/status` as a daemon would with these names. */
async function daemonWith(folder: string, status: object): Promise<void> {
  const server = createServer((_request, response) => {
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(status));
  });
  await new Promise<void>((resolve) => {
    server.listen(join(folder, "control.sock"), resolve);
  });
  onTestFinished(() => close(server));
}

test("santinela status shows a foreign name on one line, and sends no control character to the terminal", async () => {
  const { folder } = Installation.temporary();
  const data = join(folder, "data");
  mkdirSync(data);
  const file = join(folder, "site.yaml");
  writeFileSync(file, "dataDir: ./data\nmqtt: off\n");
  const name = `Patrol${ESCAPE}\r\nHala Nord: all well`;
  await daemonWith(data, {
    site: { name: "Hala Nord", ref: "hala", timezone: "UTC" },
    headline: { text: "alarm" },
    lifeSafetySuppressed: [],
    conditions: [{ severity: "error", title: "Sensor renamed", text: `now called ${name}` }],
    journeys: [
      { interventionId: 7, name, centre: { isUndelivered: true, upstreamId: null }, receiver: null },
      { interventionId: 8, name: "Fire", centre: { isStopped: true, upstreamId: null }, receiver: null },
    ],
    centrePhone: "0264 555 012",
    monitoring: null,
  });
  const { code, stdout } = await santinela(["status", "--config", file], { cwd: folder });
  expect([code, stdout.split("\n")]).toEqual([
    0,
    [
      "Hala Nord: alarm",
      "  the dispatch centre has not received #7 Patrol�[2J��Hala Nord: all well yet; call 0264 555 012",
      "  the dispatch centre does not have #8 Fire: sending was stopped; call 0264 555 012",
      "  error: Sensor renamed: now called Patrol�[2J�",
      "    Hala Nord: all well",
      "",
    ],
  ]);
});

test("santinela sync status says that an attempt is due or under way, for which there is no time", async () => {
  const { folder } = Installation.temporary();
  const data = join(folder, "data");
  mkdirSync(data);
  const file = join(folder, "site.yaml");
  writeFileSync(file, "dataDir: ./data\nmqtt: off\n");
  await daemonWith(data, {
    link: { state: "down", reason: `is lost${ESCAPE}`, nextAttemptAt: null },
    summary: { waiting: 1, blocked: 0, rejected: 0, gone: 0, doubtful: 0, oldestWaitingMs: null },
    comparison: null,
    records: [],
    isComplete: true,
  });
  const { stdout } = await santinela(["sync", "status", "--config", file], { cwd: folder });
  expect(stdout).toMatch(/^link: down, the dispatch centre is lost�\[2J; next attempt now\n/);
});

test("the results of checks and errors send no control character to the terminal", async () => {
  expect(formatResults([warning("sensors", `a${ESCAPE}\nb`, `c${ESCAPE}`)])).toBe(
    "▲ sensors: a�[2J\n    b\n    c�[2J\n",
  );
  const { stderr } = await santinela(["check-config", "--config", `/nowhere/${ESCAPE}.yaml`], { cwd: "/" });
  expect(stderr).toContain("/nowhere/�[2J.yaml");
  expect(stderr).not.toContain(ESCAPE);
});

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";

/* A program named systemctl, first in the path of the daemon, notes how it is called; nothing powers this machine off. */

const LIMIT_MS = 60_000;

let installation: Installation;
beforeEach(() => (installation = Installation.temporary()));

const zone = (id: string): string =>
  `  - { id: ${id}, name: ${id}, kind: power, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n`;

/** @param script what systemctl does after it has noted its arguments */
async function start(script: string): Promise<DaemonProcess> {
  const systemctl = join(installation.folder, "systemctl");
  writeFileSync(systemctl, `#!/bin/sh\necho "$@" >> "${installation.folder}/calls"\n${script}\n`);
  chmodSync(systemctl, 0o755);
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}` +
      `onBattery: { mains: mains, batteryLow: battery }\nzones:\n${zone("mains")}${zone("battery")}`,
  );
  await site.start({ ...process.env, PATH: `${installation.folder}:${process.env["PATH"] ?? ""}` });
  return site;
}
const open = async (id: string): Promise<void> => {
  const { code, stderr } = await santinela(["trip", "--zone", id, "--config", "site.yaml"], {
    cwd: installation.folder,
  });
  expect([code, stderr]).toEqual([0, ""]);
};
const conditions = async (site: DaemonProcess): Promise<string[]> =>
  (await site.get<StatusView>("/site/status")).conditions.map(({ code }) => code);
const calls = (): string => {
  const file = join(installation.folder, "calls");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

test("a low battery without mains stops the daemon in order and powers the machine off, with both trips recorded", async () => {
  // systemd ends the service while the machine goes down.
  const site = await start("kill -TERM $PPID");
  await open("mains");
  await eventually("the condition", async () => (await conditions(site)).includes("on-battery"), LIMIT_MS);
  expect(calls()).toBe("");
  await open("battery");
  await site.exited();
  expect(calls()).toBe("--no-ask-password poweroff\n");
  await site.start();
  expect(await interventionsOf(site)).toHaveLength(1);
  expect((await interventionsOf(site))[0]?.notes).toContain("battery");
}, 240_000);

test("a machine that may not be powered off is monitored further, with the reason as a condition", async () => {
  const site = await start('echo "Access denied" >&2; exit 1');
  await open("mains");
  await open("battery");
  const reason = async () =>
    (await site.get<StatusView>("/site/status")).conditions.find(({ code }) => code === "power-off-failed");
  const condition = await eventually("the condition", () => reason().catch(() => undefined), LIMIT_MS);
  expect(condition.text).toContain("Access denied");
  expect(calls()).toBe("--no-ask-password poweroff\n");
}, 240_000);

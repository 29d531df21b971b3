import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { DiscoveryView, SensorTrialView } from "../../src/site/discovery-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

/* The built-in broker listens at a port that the system has chosen: only the running daemon knows it. */

let installation: Installation;
let site: DaemonProcess;
let devices: AnnouncingDevices;
let port: number | undefined;
beforeEach(async () => {
  installation = Installation.temporary();
  site = installation.daemon(
    "site",
    "http: { port: 0 }\nmqtt: { listen: { port: 0 } }\ngpio: { backend: simulated }\n",
  );
  ({ mqttPort: port } = await site.start());
  devices = await AnnouncingDevices.at(`mqtt://127.0.0.1:${port}`);
});
afterEach(() => devices.end());

test("devices at the built-in broker are found and tried out in the web panel, at the port that was opened", async () => {
  expect((await site.get<StatusView>("/site/status")).brokerPort).toBe(port);
  const found = await eventually("the devices", async () => {
    const view = await site.get<DiscoveryView>("/site/discovered");
    return view.devices.length > 0 && view;
  });
  expect(found.listening).toMatchObject({ state: "listening", reason: null });
  await devices.send("hala/usa", "open");
  const input = { mqtt: "hala/usa", open: ["open"] };
  const dataDir = join(installation.folder, "site");
  await eventually("the reading", async () => {
    const { value } = await askDaemon(dataDir, "POST", "/site/discovered/trial", { input });
    return (value as SensorTrialView).readings.length === 1;
  });
});

test("zones discover asks the running daemon for the port, and fails if none runs", async () => {
  const discover = ["zones", "discover", "--wait", "2", "--config", join(installation.folder, "site.yaml")];
  const { code, stdout } = await santinela(discover, { cwd: installation.folder });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^zones:|^ {2}- /m)]);
  await site.end("SIGTERM");
  expect((await santinela(discover, { cwd: installation.folder })).code).toBe(69);
});

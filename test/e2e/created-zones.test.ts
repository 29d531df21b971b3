import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AlarmPanel } from "../support/alarm-panel.ts";
import { daemonInProcess, machineWith } from "../support/daemon-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";
import { MonitoringReceiver } from "../support/monitoring-receiver.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a monitoring receiver gets the code of a zone's type for the alarm that has created the zone", async () => {
  const folder = temporaryFolder();
  const receiver = new MonitoringReceiver({ account: "12AB", wallMs: () => Date.now() });
  await receiver.start();
  onTestFinished(() => receiver.stop());
  const port = await freePort();
  const file = join(folder, "site.yaml");
  writeFileSync(
    file,
    `dataDir: ./site
site: { ref: site }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
dc09: { port: ${port}, accounts: [ { account: "777A", plain: true, from: [ 127.0.0.1 ], objective: { type: obiective/cladiri, id: 1 } } ] }
upstreams: [ { dc09: { account: "12AB", plain: true, receivers: [ { host: 127.0.0.1, port: ${receiver.port} } ] } } ]
`,
  );
  const daemon = daemonInProcess(file, machineWith(join(folder, "machine")));
  await daemon.start();
  onTestFinished(async () => void (await daemon.stop()));
  const panel = new AlarmPanel({ account: "777A", port: () => port, wallMs: () => Date.now() });
  for (const event of ["1122 01 004", "1137 01 005", "1131 01 006"])
    expect(await panel.contactId(event)).toMatchObject({ token: "ACK" });
  await eventually("all three events at the receiver", () => receiver.events.length === 3, 60_000);
  expect(receiver.events).toEqual(["0001 1122 01 001", "0002 1137 01 002", "0003 1131 01 003"]);
});

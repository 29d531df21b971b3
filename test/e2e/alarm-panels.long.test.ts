import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { HistoryView } from "../../src/site/timeline-view.ts";
import type { ZoneHistoryView } from "../../src/site/zone-view.ts";
import { AlarmPanel, newAlarmPanelKey } from "../support/alarm-panel.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";
import { freePort, listen } from "../support/loopback.ts";

let installation: Installation;
let port: number;
const key = newAlarmPanelKey(32);
beforeEach(async () => {
  installation = Installation.temporary();
  installation.secret("panel.key", `${key}\n`);
  port = await freePort();
});

function siteOf(more = ""): DaemonProcess {
  return installation.daemon(
    "site",
    `site: { locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(2)}` +
      `dc09: { port: ${port}, accounts: [ { account: "12ab", keyFile: panel.key, objective: { type: obiective/cladiri, id: 2 } } ] }\n${more}`,
  );
}

const panel = (): AlarmPanel =>
  new AlarmPanel({ account: "12AB", key, port: () => port, wallMs: () => Date.now(), replyWithinMs: 5_000 });

test("an encrypted alarm of a panel is an intervention at the panel's objective, and santinela dc09 send another", async () => {
  const site = siteOf();
  await site.start();
  expect(await panel().sia("Nri1/FA07^Boiler room^")).toMatchObject({ token: "ACK", sequence: "0001" });
  await eventually("the record of the fire", async () => (await interventionsOf(site)).length === 1);
  await site.run(["dc09", "send", "--account", "12ab"]);
  await site.run(["dc09", "send", "--account", "12ab", "--event", "1130 01 004", "--udp"]);
  const records = await eventually("the record of the burglary", async () => {
    const all = await interventionsOf(site);
    return all.length === 2 && all;
  });
  expect(records.map(({ objectiveId, firetruck }) => ({ objectiveId, firetruck }))).toEqual([
    { objectiveId: 2, firetruck: true },
    { objectiveId: 2, firetruck: false },
  ]);
  const zones = await site.get<{ id: string; name: string; source: string }[]>("/site/zones");
  expect(zones).toMatchObject([
    { id: "dc09-12ab-7-fire", name: "Boiler room (12AB/7)", source: "dc09" },
    { id: "dc09-12ab-4-intrusion", name: "Alarm panel 12AB, zone 4" },
  ]);
  // The names of zones that are not in the file come from the daemon.
  const { stdout } = await santinela(["events", "--config", "site.yaml"], { cwd: installation.folder });
  expect(stdout).toMatch(/ {2}Boiler room \(12AB\/7\): Fire! #1 - recorded as an intervention /);
  await expect(site.run(["dc09", "send", "--account", "12ab", "--event", "x"])).rejects.toThrow("DUH");
  await expect(site.run(["dc09", "send", "--account", "777"])).rejects.toThrow(
    /exited with 65: account 777 is not in dc09\.accounts/,
  );
});

test("a zone that an alarm panel has just created has its type and its history at once", async () => {
  const site = siteOf();
  await site.start();
  await panel().contactId("1122 01 004");
  const { journey } = await eventually("the record of the hold-up", async () => {
    const [record] = await interventionsOf(site);
    return record && site.get<HistoryView>(`/site/interventions/${record.id}/history`);
  });
  const id = "dc09-12ab-4-holdup";
  expect(journey?.zone).toEqual({ id, name: "Alarm panel 12AB, zone 4", kind: "holdup" });
  const histories = await site.get<ZoneHistoryView[]>("/site/zones/history?hours=1");
  expect(histories).toMatchObject([{ id, trips: [expect.any(String)] }]);
});

test("a daemon that is killed between commit and acknowledgement has one trip of the repeated message", async () => {
  const site = siteOf();
  await site.start({ ...process.env, SANTINELA_FAILPOINT: "journal-committed" });
  const sender = panel();
  expect(await sender.contactId("1110 01 003", "0042").catch(() => undefined)).toBeUndefined();
  await site.exited();
  await site.start();
  expect(await sender.contactId("1110 01 003", "0042")).toMatchObject({ token: "ACK", sequence: "0042" });
  const records = await eventually("the record", async () => {
    const all = await interventionsOf(site);
    return all.length > 0 && all;
  });
  expect(records).toHaveLength(1);
  const trips = await site.get<Trip[]>("/site/trips?limit=100");
  expect(trips.filter(({ type }) => type === "trip")).toHaveLength(1);
});

test("the source of a zone names the numbers that keep it open, also after a restart", async () => {
  const site = siteOf(
    `zones: [ { id: fire, name: Fire, kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { dc09: "12AB", codes: ["110"] } } ]\n`,
  );
  await site.start();
  const sender = panel();
  for (const event of ["1110 01 004", "1110 01 007"]) await sender.contactId(event);
  await site.end("SIGTERM");
  await site.start();
  const openBy = async (): Promise<readonly string[]> =>
    (await site.get<{ openBy: string[] }>("/site/zones/fire/source")).openBy;
  expect(await openBy()).toEqual(["1/4", "1/7"]);
  await site.run(["dc09", "send", "--account", "12ab", "--event", "3110 01 004"]);
  expect(await openBy()).toEqual(["1/7"]);
  await site.run(["dc09", "send", "--account", "12ab", "--event", "3110 01 007"]);
  expect(await openBy()).toEqual([]);
  expect(await site.get("/site/zones")).toMatchObject([{ id: "fire", contact: "normal" }]);
});

test("a created zone survives a reload and a restart, until the file declares it", async () => {
  const site = siteOf();
  await site.start();
  await panel().contactId("1130 01 004");
  const ids = async (): Promise<string[]> =>
    (await site.get<{ id: string }[]>("/site/zones")).map(({ id }) => id);
  await site.run(["reload"]);
  expect(await ids()).toEqual(["dc09-12ab-4-intrusion"]);
  await site.end("SIGTERM");
  await site.start();
  expect(await ids()).toEqual(["dc09-12ab-4-intrusion"]);
  siteOf(
    `zones: [ { id: hall, name: Hall, kind: motion, objective: { type: obiective/cladiri, id: 1 }, input: { dc09: "12AB", zone: 4 } } ]\n`,
  );
  await site.run(["reload"]);
  expect(await ids()).toEqual(["hall"]);
  expect(await panel().contactId("1130 01 004", "0100")).toMatchObject({ token: "ACK" });
  const trips = await site.get<Trip[]>("/site/trips?limit=100");
  expect(trips.filter(({ zoneId, type }) => zoneId === "hall" && type === "trip")).toHaveLength(1);
});

test("santinela dc09 send names the addresses of an account when there is no reply", async () => {
  const closing = createServer((socket) => socket.end());
  const at = await listen(closing);
  onTestFinished(() => void closing.close());
  const account =
    "{ account: 777A, plain: true, from: [192.0.2.7], objective: { type: obiective/cladiri, id: 1 } }";
  writeFileSync(join(installation.folder, "plain.yaml"), `dc09: { port: ${at}, accounts: [ ${account} ] }\n`);
  const sent = await santinela(["dc09", "send", "--account", "777a", "--config", "plain.yaml"], {
    cwd: installation.folder,
  });
  expect(sent.code).not.toBe(0);
  expect(sent.stderr).toContain(
    "Account 777A accepts messages only from 192.0.2.7: for the test, add the address of this machine to its from.",
  );
});

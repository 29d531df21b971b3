import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TransmissionView } from "../../src/site/transmission-view.ts";
import { AlarmPanel, newAlarmPanelKey } from "../support/alarm-panel.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  Installation,
  interventionsOf,
  pause,
  seededRandom,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { MonitoringReceiver } from "../support/monitoring-receiver.ts";

const KEY = newAlarmPanelKey(32);
const BUILDING = "objective: { type: obiective/cladiri, id: 1 }";

let installation: Installation;
let receiver: MonitoringReceiver;
beforeEach(async () => {
  installation = new Installation();
  installation.secret("receiver.key", `${KEY}\n`);
  receiver = new MonitoringReceiver({ account: "12AB", key: KEY, wallMs: () => Date.now() });
  await receiver.start();
});
afterEach(async () => {
  await installation.remove();
  await receiver.stop();
});

function siteOf(port: number, more = ""): DaemonProcess {
  return installation.daemon(
    "site",
    `site: { locale: en, ref: proof }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}` +
      `upstreams: [ { dc09: { account: "12ab", keyFile: receiver.key, replyS: 2, receivers: [ { host: 127.0.0.1, port: ${port}, pollS: SP6 } ] } } ]\n` +
      `zones:\n  - { id: smoke, name: Smoke, kind: fire, ${BUILDING}, input: { simulated: true } }\n` +
      `  - { id: hall, name: Hall, kind: motion, ${BUILDING}, input: { simulated: true } }\n${more}`,
  );
}

async function trip(site: DaemonProcess, zone: string): Promise<void> {
  await site.run(["trip", "--zone", zone]);
  await site.run(["trip", "--zone", zone, "--restore"]);
}

const transmissions = (site: DaemonProcess, id: number): Promise<TransmissionView[]> =>
  site.get<TransmissionView[]>(`/site/interventions/${id}/transmissions`);

/** Waits until every event of a record is acknowledged. */
function acknowledged(site: DaemonProcess, id: number, count: number): Promise<TransmissionView[]> {
  return eventually(`${count} acknowledged events`, async () => {
    const all = await transmissions(site, id);
    return all.length === count && all.every(({ state }) => state === "acknowledged") && all;
  });
}

test("a trip reaches the dispatch centre over HTTP and the monitoring receiver, and each place shows both", async () => {
  const { centre, port } = await startCentre(installation, buildingsYaml(1));
  const site = siteOf(receiver.port, upstreamYaml(port));
  await site.start();
  await site.run(["trip", "--zone", "smoke"]);
  await eventually(
    "the record at the dispatch centre",
    async () => (await interventionsOf(centre)).length === 1,
  );
  const [sent] = await acknowledged(site, 1, 1);
  expect(sent).toMatchObject({
    zone: "smoke",
    data: "1110 01 001",
    sequence: 1,
    acknowledgedBy: `127.0.0.1:${receiver.port}/tcp`,
  });
  expect(receiver.events).toEqual(["0001 1110 01 001"]);
  const { journeys, monitoring } = await site.get<StatusView>("/site/status");
  expect(journeys).toMatchObject([
    { interventionId: 1, receiver: { state: "acknowledged", acknowledgedAt: sent?.acknowledgedAt } },
  ]);
  expect(journeys[0]?.centre).not.toBeNull();
  expect(monitoring).toMatchObject({ account: "12AB", waiting: 0, receivers: [{ state: "up" }] });
  const inFolder = { cwd: installation.folder };
  const status = await santinela(["status", "--config", "site.yaml"], inFolder);
  expect(status.stdout).toContain(`monitoring receiver 127.0.0.1:${receiver.port}/tcp: up`);
  const shown = await santinela(["interventions", "show", "1", "--config", "site.yaml"], inFolder);
  expect(shown.stdout).toContain(
    `monitoring: 1110 01 001: acknowledged by 127.0.0.1:${receiver.port}/tcp at `,
  );
  const metrics = await santinela(["metrics", "--config", "site.yaml"], inFolder);
  expect(metrics.stdout).toContain("santinela_transmissions_waiting 0");
  expect(metrics.stdout).toContain(
    `santinela_monitoring_receiver_up{receiver="127.0.0.1:${receiver.port}/tcp"} 1`,
  );
  const doctor = await santinela(["doctor", "--json", "--config", "site.yaml"], inFolder);
  expect(JSON.parse(doctor.stdout)).toContainEqual(
    expect.objectContaining({ check: "Monitoring receiver", status: "ok" }),
  );
  expect(receiver.complaints).toEqual([]);
});

test("a daemon that is killed between acknowledgement and commit sends the same message, and the event counts once", async () => {
  const site = siteOf(receiver.port);
  await site.start({ ...process.env, SANTINELA_FAILPOINT: "transmission-answered" });
  await site.run(["trip", "--zone", "smoke"]).catch(() => {});
  await site.exited();
  await site.start();
  await acknowledged(site, 1, 1);
  expect(receiver.sent.length).toBeGreaterThan(1);
  expect(new Set(receiver.sent.map(({ sequence }) => sequence))).toEqual(new Set(["0001"]));
  expect(receiver.events).toEqual(["0001 1110 01 001"]);
});

test("while the receiver is away, the status reports it, and the alarm arrives when it is back", async () => {
  await receiver.stop();
  const site = siteOf(receiver.port);
  await site.start();
  await site.run(["trip", "--zone", "smoke"]);
  await eventually("the condition", async () =>
    (await site.get<StatusView>("/site/status")).conditions.some(
      ({ code }) => code === "monitoring-receiver-unreachable",
    ),
  );
  await eventually("the waiting event", async () => (await transmissions(site, 1)).length === 1);
  const { stdout } = await santinela(["status", "--config", "site.yaml"], { cwd: installation.folder });
  expect(stdout).toMatch(/no monitoring receiver has acknowledged #1 .* yet/);
  await receiver.start();
  await acknowledged(site, 1, 1);
  expect(receiver.events).toEqual(["0001 1110 01 001"]);
});

test("a reload adds a receiver at once, and removing it withdraws what waits", async () => {
  const zones = (more: string): DaemonProcess =>
    installation.daemon(
      "site",
      `site: { locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}${more}` +
        `zones: [ { id: smoke, name: Smoke, kind: fire, ${BUILDING}, input: { simulated: true } } ]\n`,
    );
  const site = zones("");
  await site.start();
  await trip(site, "smoke");
  await eventually("the record", async () => (await interventionsOf(site)).length === 1);
  const section = `upstreams: [ { dc09: { account: "12AB", keyFile: receiver.key, receivers: [ { host: 127.0.0.1, port: ${receiver.port} } ] } } ]\n`;
  zones(section);
  await site.run(["reload"]);
  await eventually("the supervision", () => receiver.messages.length > 0);
  await trip(site, "smoke");
  await acknowledged(site, 1, 2);
  expect(receiver.events).toEqual(["0001 1110 01 001", "0002 3110 01 001"]);
  await receiver.stop();
  await trip(site, "smoke");
  await eventually("the waiting events", async () => (await transmissions(site, 1)).length === 4);
  zones("");
  await site.run(["reload"]);
  expect((await transmissions(site, 1)).map(({ state }) => state)).toEqual([
    "acknowledged",
    "acknowledged",
    "withdrawn",
    "withdrawn",
  ]);
  const { monitoring, conditions } = await site.get<StatusView>("/site/status");
  expect({ monitoring, conditions }).toEqual({ monitoring: null, conditions: [] });
});

test("a second alarm of a zone that is still open sends no restoral, which follows once all of it is restored", async () => {
  const port = await freePort();
  const site = siteOf(
    receiver.port,
    `  - { id: cellar, name: Cellar, kind: fire, ${BUILDING}, input: { dc09: "1234", codes: ["110"] } }\n` +
      `dc09: { host: 127.0.0.1, port: ${port}, accounts: [ { account: "1234", plain: true, from: [127.0.0.1], ${BUILDING} } ] }\n`,
  );
  await site.start();
  const panel = new AlarmPanel({ account: "1234", port: () => port });
  for (const event of ["1110 01 001", "1110 01 002", "3110 01 001"])
    expect(await panel.contactId(event)).toMatchObject({ token: "ACK" });
  await acknowledged(site, 1, 2);
  expect(receiver.events).toEqual(["0001 1110 01 003", "0002 1110 01 003"]);
  expect(await panel.contactId("3110 01 002")).toMatchObject({ token: "ACK" });
  await acknowledged(site, 1, 3);
  expect(receiver.events.at(-1)).toBe("0003 3110 01 003");
});

test("the receiver of another Santinela has one trip of each alarm, over kills of both daemons", async () => {
  const port = await freePort();
  const centre = installation.daemon(
    "receiving",
    `site: { locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(1)}` +
      `dc09: { port: ${port}, accounts: [ { account: "12AB", keyFile: receiver.key, ${BUILDING} } ] }\n`,
  );
  await centre.start();
  const site = siteOf(port);
  await site.start();
  const random = seededRandom(31);
  for (let round = 0; round < 3; round += 1) {
    await trip(site, "smoke");
    await trip(site, "hall");
    await pause(random() * 900);
    const killed = round % 2 === 0 ? site : centre;
    await killed.end("SIGKILL");
    await killed.start();
  }
  const trips = await eventually(
    "all alarms at the receiving daemon",
    async () => {
      const { monitoring } = await site.get<StatusView>("/site/status");
      const all = (await centre.get<{ type: string; zoneId: string }[]>("/site/trips?limit=100")).filter(
        ({ type }) => type === "trip",
      );
      return monitoring?.waiting === 0 && all.length >= 6 && all;
    },
    60_000,
  );
  const counts = new Map<string, number>();
  for (const { zoneId } of trips) counts.set(zoneId, (counts.get(zoneId) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({
    "dc09-12ab-1-fire": 3,
    "dc09-12ab-2-motion": 3,
  });
}, 180_000);

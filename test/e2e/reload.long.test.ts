import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Condition } from "../../src/domain/condition.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import type { ReloadView } from "../../src/site/administration-view.ts";
import type { OptionView } from "../../src/site/administration-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { askDaemon, type ControlAnswer } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  countByObjective,
  EDGE,
  Installation,
  interventionsOf,
  pause,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const BASE = "http: { port: 0 }\ngpio: { backend: simulated }\n";
const zone = (id: string, input: string, more = ""): string =>
  `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, swinger: false, input: ${input}${more} }\n`;
const line = (id: string, gpio: number, more = ""): string => zone(id, `{ gpio: ${gpio} }`, more);

let installation: Installation;
let site: DaemonProcess;
beforeEach(() => (installation = Installation.temporary()));

/** Whether a process handles SIGHUP, the first bit of its caught signals (proc(5)). */
function catchesHangUp(pid: number | undefined): boolean {
  const caught = /^SigCgt:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return caught !== undefined && (Number.parseInt(caught, 16) & 1) === 1;
}

/** Replaces the configuration of the site. */
function edit(yaml: string): void {
  writeFileSync(join(installation.folder, "site.yaml"), `dataDir: ./site\n${yaml}`);
}

function command(...words: string[]): Promise<Outcome> {
  return santinela([...words, "--config", "site.yaml"], { cwd: installation.folder });
}

function post(): Promise<ControlAnswer> {
  return askDaemon(join(installation.folder, "site"), "POST", "/site/reload");
}

async function start(yaml: string): Promise<number> {
  site = installation.daemon("site", yaml);
  return (await site.start()).httpPort;
}

const zones = (): Promise<ZoneView[]> => site.get("/site/zones");
const contacts = async (): Promise<string[]> => (await zones()).map(({ id, contact }) => `${id} ${contact}`);
const conditions = async (): Promise<Condition[]> =>
  (await site.get<{ conditions: Condition[] }>("/site/status")).conditions;
const entries = (): Promise<readonly TimelineEntry[]> => site.get("/site/journal?limit=100");
const trips = async (): Promise<string[]> =>
  (await site.get<Trip[]>("/site/trips?limit=1000"))
    .filter(({ type }) => type === "trip")
    .map(({ zoneId, cause }) => `${zoneId} ${cause}`)
    .toReversed();

test("a reload adds, changes and removes zones; the others continue, and the event log names the user", async () => {
  await start(`${BASE}mqtt: off\nzones:\n${line("door", 17)}${line("yard", 18)}${line("attic", 19)}`);
  expect((await command("zones", "bypass", "--zone", "attic", "--reason", "painter")).code).toBe(0);
  expect((await command("zones", "bypass", "--zone", "yard", "--reason", "painter")).code).toBe(0);
  expect((await command("trip", "--zone", "door")).code).toBe(0);
  edit(
    `${BASE}mqtt: off\nlog: { level: debug }\nzones:\n${line("door", 17)}${line("yard", 28)}${line("cellar", 27)}`,
  );
  expect(await command("reload")).toMatchObject({
    code: 0,
    stdout: "zones added: cellar\nzones removed: attic\nzones changed: yard\noptions applied: log.level\n",
  });
  await eventually("the new lines", async () => !(await contacts()).some((seen) => seen.endsWith("unknown")));
  expect(await contacts()).toEqual(["door open", "yard normal", "cellar normal"]);
  expect((await zones()).map(({ disposition }) => disposition)).toEqual(["waiting", "bypassed", "waiting"]);
  const [ended, reloaded] = (await entries())
    .filter(({ event }) => /^zone-restored|^reload-/.test(event))
    .toReversed();
  expect([ended, reloaded]).toMatchObject([
    { event: "zone-restored", subject: "zone attic", who: "control socket" },
    {
      event: "reload-applied",
      who: "control socket",
      detail: { added: ["cellar"], removed: ["attic"], changed: ["yard"], applied: ["log.level"] },
    },
  ]);
  expect((await command("trip", "--zone", "cellar")).code).toBe(0);
  expect((await command("trip", "--zone", "attic")).code).toBe(65);
  expect(await trips()).toEqual(["door edge", "cellar edge"]);
  expect(await command("reload")).toMatchObject({ code: 0, stdout: "the configuration is unchanged\n" });
}, 180_000);

test("a configuration with errors changes nothing, and is a condition until a valid one is loaded", async () => {
  const good = `${BASE}mqtt: off\nzones:\n${line("door", 17)}`;
  await start(good);
  edit(`${BASE}mqtt: off\nzones:\n${line("yard", 17)}${line("attic", 17)}`);
  const refused = await command("reload");
  expect(refused.code).toBe(78);
  expect(refused.stderr).toMatch(
    /site\.yaml:7:\d+: zones\[1\]\.input\.gpio: line 17 is used by two zones, yard and attic/,
  );
  expect(await post()).toMatchObject({
    status: 422,
    value: { statusCode: 422, message: expect.stringMatching(/site\.yaml:7:\d+: /) as string },
  });
  expect(await contacts()).toEqual(["door normal"]);
  expect(await conditions()).toMatchObject([
    {
      code: "configuration-invalid",
      text: expect.stringMatching(/; the daemon keeps its previous configuration$/) as string,
    },
  ]);
  expect((await entries())[0]).toMatchObject({ event: "reload-rejected" });
  edit("zones: [\n");
  site.hangUp();
  await eventually("the text of the truncated file", async () =>
    (await conditions())[0]?.text.includes("invalid YAML"),
  );
  expect((await command("trip", "--zone", "door")).code).toBe(0);
  edit(good);
  expect((await command("reload")).stdout).toBe("the configuration is unchanged\n");
  expect(await conditions()).toEqual([]);
  await site.end("SIGKILL");
  await site.start();
  expect(await trips()).toEqual(["door edge"]);
}, 180_000);

test("options that require a restart are reported, and keep their values until then", async () => {
  await start(
    `site: { name: Hall, timezone: Europe/Bucharest }\n${BASE}mqtt: off\nzones:\n${line("door", 17)}`,
  );
  edit(
    `site: { name: Hall, timezone: Europe/Paris }\nhttp: { port: 1 }\ngpio: { backend: simulated }\nmqtt: { listen: { port: 0 } }\nzones:\n${line("door", 17)}`,
  );
  const { value } = await post();
  expect(value).toMatchObject({
    applied: [],
    needsRestart: [
      "site.timezone",
      "http.port",
      "mqtt.url",
      "mqtt.listen.host",
      "mqtt.listen.port",
      "mqtt.accounts",
    ],
  } satisfies Partial<ReloadView>);
  expect(await conditions()).toMatchObject([
    {
      code: "restart-needed",
      text: expect.stringMatching(/^site\.timezone, http\.port, /) as string,
    },
  ]);
  const shown = await site.get<OptionView[]>("/site/configuration");
  expect(
    shown
      .filter(({ option }) => ["site.timezone", "http.port"].includes(option))
      .map(({ option, value: now }) => `${option} ${String(now)}`)
      .toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(["http.port 0", "site.timezone Europe/Bucharest"]);
  edit(`site: { name: Hall, timezone: Europe/Paris }\n${BASE}mqtt: off\nzones:\n${line("door", 17)}`);
  expect(await command("reload")).toMatchObject({
    code: 0,
    stdout: "options that need a restart: site.timezone\n",
  });
  await site.end("SIGTERM");
  await site.start();
  expect(await conditions()).toEqual([]);
  expect(await site.get<OptionView[]>("/site/configuration")).toContainEqual(
    expect.objectContaining({ option: "site.timezone", value: "Europe/Paris" }),
  );
}, 180_000);

test("another dispatch centre receives the records from the reload on", async () => {
  const { centre, port } = await startCentre(installation, buildingsYaml(12));
  const own = `${BASE}mqtt: off\n${buildingsYaml(12)}zones:\n${line("door", 17)}`;
  await start(own);
  expect((await command("trip", "--zone", "door")).code).toBe(0);
  await eventually("the record", async () => (await interventionsOf(site)).length === 1);
  edit(`${own}${upstreamYaml(port)}`);
  expect(await command("reload")).toMatchObject({ code: 0, stdout: "options applied: upstream\n" });
  await eventually("the record at the centre", async () => (await interventionsOf(centre)).length === 1);
  installation.secret("upstream.password", `${EDGE.password}, another one`);
  expect(await command("reload")).toMatchObject({
    code: 0,
    stdout: "options applied: upstream.passwordFile\n",
  });
  expect((await command("trip", "--zone", "door", "--restore")).code).toBe(0);
  expect((await command("trip", "--zone", "door")).code).toBe(0);
  await eventually("the refused sign-in", async () =>
    (await conditions()).some(({ code }) => code === "upstream-authentication-failed"),
  );
  edit(own);
  expect((await command("reload")).code).toBe(0);
  expect(await conditions()).toEqual([]);
}, 180_000);

test("only administrators may reload the configuration", async () => {
  site = installation.daemon("site", `${BASE}mqtt: off\nzones:\n${line("door", 17)}`);
  const password = "correct horse battery staple";
  for (const role of ["viewer", "operator", "administrator"] as const)
    await site.addAccount({ email: `${role}@site.example`, password }, role);
  const { httpPort } = await site.start();
  const ask = async (path: string, body: object, token?: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${httpPort}${path}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const statuses: number[] = [(await ask("/site/reload", {})).status];
  for (const role of ["viewer", "operator", "administrator"]) {
    const signedIn = await ask("/auth/token", { email: `${role}@site.example`, password });
    const { token } = (await signedIn.json()) as { token: string };
    statuses.push((await ask("/site/reload", {}, token)).status);
  }
  expect(statuses).toEqual([401, 403, 403, 200]);
  const applied = await eventually("the entry of the reload", async () =>
    (await entries()).find(({ event }) => event === "reload-applied"),
  );
  expect(applied).toMatchObject({ who: "administrator@site.example", from: "127.0.0.1" });
}, 180_000);

describe("the signal", () => {
  const reloads = async (): Promise<number> =>
    (await entries()).filter(({ event }) => event === "reload-applied").length;

  test("sent a thousand times causes a few reloads, and the last content of the file applies", async () => {
    await start(`${BASE}mqtt: off\nzones:\n${line("door", 17)}`);
    for (let sent = 0; sent < 1000; sent += 1) {
      if (sent % 100 === 0) edit(`${BASE}mqtt: off\nzones:\n${line("door", 17)}${line(`zone-${sent}`, 18)}`);
      site.hangUp();
      if (sent % 50 === 0) await pause(1);
    }
    await eventually("the last content", async () => (await contacts()).includes("zone-900 normal"));
    expect(await reloads()).toBeLessThan(10);
    expect((await entries()).find(({ event }) => event === "reload-applied")).toMatchObject({
      who: "santinela",
      from: "SIGHUP",
    });
  }, 180_000);

  test("sent during the start causes a reload after it, and during the stop has no effect", async () => {
    site = installation.daemon("site", `${BASE}mqtt: off\nzones:\n${line("door", 17)}`);
    const starting = site.start();
    const state = { isReady: false };
    void starting.then(() => (state.isReady = true));
    // From the time the program handles the signal; no program can before.
    await eventually("the program to listen", () => catchesHangUp(site.pid));
    while (!state.isReady) {
      site.hangUp();
      await pause(10);
    }
    await eventually("the reload", async () => (await reloads()) > 0);
    const ending = site.end("SIGTERM");
    for (let sent = 0; sent < 20; sent += 1) {
      site.hangUp();
      await pause(5);
    }
    await ending;
    await site.start();
    expect(await conditions()).toEqual([]);
  }, 180_000);

  test("during a write of the file never loads a partial file", async () => {
    const whole = `${BASE}mqtt: off\nzones:\n${line("door", 17)}${line("yard", 18)}${line("attic", 19)}`;
    await start(whole);
    const written = `dataDir: ./site\n${whole}${line("cellar", 20)}`;
    // Truncated within a zone, or empty during a write, for any duration and number of reads.
    const cuts = [0, ...["id: door", "id: yard", "id: cellar"].map((part) => written.indexOf(part))];
    for (const length of cuts) {
      writeFileSync(join(installation.folder, "site.yaml"), written.slice(0, length));
      site.hangUp();
      expect(await post()).toMatchObject({ status: 422 });
      expect(await zones()).toHaveLength(3);
    }
    writeFileSync(join(installation.folder, "site.yaml"), written);
    site.hangUp();
    await eventually("the whole of it", async () => (await zones()).length === 4);
  }, 180_000);
});

test("two concurrent reloads run one after the other", async () => {
  await start(`${BASE}mqtt: off\nzones:\n${line("door", 17)}`);
  edit(`${BASE}mqtt: off\nzones:\n${line("yard", 18)}`);
  const answers = await Promise.all([post(), post(), post()]);
  expect(answers.map(({ value }) => (value as ReloadView).zones.added)).toEqual([["yard"], [], []]);
}, 180_000);

const REPORT = (contact: boolean): string =>
  JSON.stringify({ battery: 60, battery_low: false, contact, linkquality: 23, tamper: false, voltage: 2900 });
const GATES = 10;
const RELOADS = 100;
const gateIds = Array.from({ length: GATES }, (_, index) => index + 1);
/** Gates, of which some get other names and topics of the same sensors in each round. */
const gates = (round: number): string =>
  gateIds
    .map((id) =>
      `  - { id: gate-${id}, name: "Gate ${id}${id % 2 === 0 ? ` of ${round}` : ""}", kind: perimeter, swinger: false, incidentless: 1, objective: { type: obiective/cladiri, id: ${id} }, input: { mqtt: zigbee2mqtt/gate-${id}, path: /contact, open: [false], normal: [true] } }\n`.replace(
        " incidentless: 1,",
        "",
      ),
    )
    .join("");
/** Another zone that is added, removed and moved to another topic. */
const guest = (round: number): string =>
  round % 3 === 0
    ? ""
    : zone(
        `guest-${round % 5}`,
        `{ mqtt: zigbee2mqtt/guest-${round % 7}, path: /contact, open: [false], normal: [true] }`,
      );

/** Opens and closes each gate during a hundred reloads. */
async function openDuringReloads(sensors: MqttClient, yaml: (round: number) => string): Promise<number> {
  let openings = 0;
  const state = { isOver: false };
  const publish = async (): Promise<void> => {
    while (!state.isOver) {
      for (const id of gateIds)
        await sensors.publishAsync(`zigbee2mqtt/gate-${id}`, REPORT(false), { qos: 1 });
      openings += 1;
      for (const id of gateIds)
        await sensors.publishAsync(`zigbee2mqtt/gate-${id}`, REPORT(true), { qos: 1 });
      // Trips of a zone beyond twenty a minute are only counted.
      await pause(3_500);
    }
  };
  const publishing = publish();
  for (let round = 1; round <= RELOADS; round += 1) {
    edit(yaml(round));
    expect(await post()).toMatchObject({ status: 200 });
  }
  state.isOver = true;
  await publishing;
  return openings;
}

async function eachOpeningOnce(openings: number): Promise<void> {
  const count = async (): Promise<string[]> => {
    const seen = await trips();
    return gateIds.map((id) => `gate-${id}: ${seen.filter((trip) => trip === `gate-${id} edge`).length}`);
  };
  const wanted = gateIds.map((id) => `gate-${id}: ${openings}`);
  await eventually("every opening", async () => (await count()).join() === wanted.join()).catch(() => {});
  expect(await count()).toEqual(wanted);
  await eventually("every trip to be processed", async () =>
    (await site.get<Trip[]>("/site/trips?limit=1000")).every(({ state }) => state !== "waiting"),
  );
  const counts = countByObjective(await interventionsOf(site));
  expect(gateIds.map((id) => counts.get(id))).toEqual(gateIds.map(() => 1));
}

async function closeAll(sensors: MqttClient): Promise<void> {
  await eventually("a closed reading of every gate", async () => {
    for (const id of gateIds) await sensors.publishAsync(`zigbee2mqtt/gate-${id}`, REPORT(true), { qos: 1 });
    return (await zones())
      .filter(({ id }) => id.startsWith("gate-"))
      .every(({ contact }) => contact === "normal");
  });
}

test("a hundred reloads in a row at the built-in broker: each opening is exactly one trip", async () => {
  const yaml = (round: number): string =>
    `${BASE}mqtt: { listen: { port: 0 } }\n${buildingsYaml(GATES)}zones:\n${gates(round)}${guest(round)}`;
  site = installation.daemon("site", yaml(0));
  const { mqttPort } = await site.start();
  const sensors = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`);
  let isCut = false;
  sensors.on("close", () => (isCut = true));
  await closeAll(sensors);
  const openings = await openDuringReloads(sensors, yaml);
  await eachOpeningOnce(openings);
  expect(isCut).toBe(false);
  await sensors.endAsync();
}, 240_000);

describeWithMosquitto("with a real broker", () => {
  let broker: Mosquitto;
  let sensors: MqttClient;
  let proxy: TcpProxy;
  let mqtt: string;

  beforeEach(async () => {
    broker = await startMosquitto();
    sensors = await connectAsync(broker.url);
    proxy = new TcpProxy(broker.port);
    mqtt = `mqtt: { url: "${(await proxy.start()).replace("http:", "mqtt:")}" }\n`;
  });
  afterEach(async () => {
    await sensors.endAsync();
    await site.end("SIGKILL");
    await proxy.stop();
    await broker.stop();
  });

  test("a hundred reloads in a row: one connection, and each opening is exactly one trip", async () => {
    const yaml = (round: number): string =>
      `${BASE}${mqtt}${buildingsYaml(GATES)}zones:\n${gates(round)}${guest(round)}`;
    await start(yaml(0));
    await closeAll(sensors);
    const openings = await openDuringReloads(sensors, yaml);
    await eachOpeningOnce(openings);
    expect(proxy.connections).toBe(1);
  }, 240_000);

  test("a zone moved to another topic reads it at once, with its retained message", async () => {
    const at = (topic: string): string =>
      `${BASE}${mqtt}zones:\n${zone("door", `{ mqtt: ${topic}, path: /contact, open: [false], normal: [true] }`)}`;
    await sensors.publishAsync("z/new", REPORT(true), { qos: 1, retain: true });
    await start(at("z/old"));
    edit(at("z/new"));
    expect(await command("reload")).toMatchObject({ code: 0, stdout: "zones changed: door\n" });
    await eventually("what was kept", async () => (await contacts())[0] === "door normal");
    await sensors.publishAsync("z/new", REPORT(false), { qos: 1 });
    await eventually("the trip", async () => (await trips()).length === 1);
    edit(at("z/+"));
    expect((await command("reload")).code).toBe(0);
    edit(at("z/old"));
    expect((await command("reload")).code).toBe(0);
    await sensors.publishAsync("z/old", REPORT(true), { qos: 1 });
    await eventually("the old topic", async () => (await contacts())[0] === "door normal");
    expect(proxy.connections).toBe(1);
  }, 180_000);

  test("a reload during a broker outage applies when the broker is back", async () => {
    const at = (topic: string): string =>
      `${BASE}${mqtt}zones:\n${zone("door", `{ mqtt: ${topic}, path: /contact, open: [false], normal: [true] }`)}`;
    await start(at("z/old"));
    proxy.mode = "refuse";
    proxy.cut();
    edit(at("z/new"));
    expect((await command("reload")).code).toBe(0);
    proxy.mode = "carry";
    await eventually("the new topic", async () => {
      await sensors.publishAsync("z/new", REPORT(true), { qos: 1 });
      return (await contacts())[0] === "door normal";
    });
  }, 180_000);

  test.each(["reload-prepared", "reload-committed"])(
    "a power cut during a reload (%s) neither loses an opening nor adds one",
    async (failpoint) => {
      const yaml = (swapped: boolean): string => {
        const inputs = ["z/a", "z/b"].map(
          (topic) => `{ mqtt: ${topic}, path: /contact, open: [false], normal: [true] }`,
        );
        const [a = "", b = ""] = swapped ? inputs.toReversed() : inputs;
        return `${BASE}${mqtt}zones:\n${zone("a", a)}${zone("b", b)}`;
      };
      site = installation.daemon("site", yaml(false));
      await site.start({ ...process.env, SANTINELA_FAILPOINT: failpoint });
      const say = (topic: string, contact: boolean): Promise<unknown> =>
        sensors.publishAsync(topic, REPORT(contact), { qos: 1 });
      await eventually("both", async () => {
        await say("z/a", true);
        await say("z/b", true);
        return (await contacts()).join() === "a normal,b normal";
      });
      await say("z/a", false);
      await eventually("the trip", async () => (await trips()).length === 1);
      edit(yaml(true));
      site.hangUp();
      await site.exited();
      await say("z/b", false);
      await site.start();
      await eventually("the opening during the power cut", async () => (await contacts())[0] === "a open");
      await say("z/a", true);
      await say("z/b", true);
      await say("z/a", false);
      await eventually("the next opening", async () => (await trips()).includes("b edge"));
      expect((await trips()).filter((trip) => trip.startsWith("b "))).toEqual(["b edge"]);
      expect((await trips())[0]).toBe("a edge");
    },
    180_000,
  );
});

test("a reload while the front is started again takes effect: the records are sent to the new centre", async () => {
  const { port } = await startCentre(installation, buildingsYaml(1));
  const standalone = `${BASE}site: { ref: alone }\nmqtt: off\n${buildingsYaml(1)}`;
  site = installation.daemon("site", standalone);
  const folder = join(installation.folder, "site");
  const isAnswering = (): Promise<boolean> =>
    askDaemon(folder, "GET", "/healthz").then(
      () => true,
      () => false,
    );
  await site.start({ ...process.env, SANTINELA_FAILPOINT: "request:4=throw" });
  const record = { name: "Call", objectiveType: "obiective/cladiri", objectiveId: 1 };
  expect((await askDaemon(folder, "POST", "/interventii", record)).status).toBe(201);
  // Each failure doubles the pause before the next start; in the fifth there is time for a reload.
  for (let failure = 1; failure <= 5; failure += 1) {
    if (failure > 1) await eventually("the next front", isAnswering);
    await eventually("its end", async () => !(await isAnswering()));
  }
  edit(`${standalone}${upstreamYaml(port)}`);
  site.hangUp();
  await eventually("the record at the centre", async () => {
    const response = await askDaemon(join(installation.folder, "centre"), "GET", "/interventii");
    return (response.value as { name: string }[]).some(({ name }) => name === "Call");
  });
}, 180_000);

test("a stop during a reload that waits for records that hang ends within its limit, and loses no trip", async () => {
  const inner = zone("inner", "{ simulated: true }");
  const outer = zone("outer", "{ simulated: true }").replace("id: 12", "id: 13");
  const yaml = `${BASE}mqtt: off\nzones:\n${inner}${outer}`;
  site = installation.daemon("site", yaml);
  await site.start({ ...process.env, SANTINELA_FAILPOINT: "record-changed=hang" });
  for (const id of ["inner", "outer"])
    await askDaemon(join(installation.folder, "site"), "POST", "/site/simulate", {
      zone: id,
      contact: "open",
    });
  await eventually("both trips", async () => (await trips()).length === 2);
  await eventually("the record", async () => (await interventionsOf(site)).length === 1);
  edit(`${yaml}${line("yard", 18)}`);
  site.hangUp();
  // The reload has begun to wait by then: for up to 25 s.
  await pause(1_000);
  const startMs = performance.now();
  await site.end("SIGTERM");
  // Systemd ends the process after 20 s.
  expect(performance.now() - startMs).toBeLessThan(16_000);
  await site.start();
  await eventually("both records", async () => (await interventionsOf(site)).length === 2);
  expect(await contacts()).toContain("yard normal");
}, 180_000);

test("the event log names the zones that differ after a start, as those of a file that a power cut has shortened", async () => {
  const head = `${BASE}mqtt: off\nzones:\n${line("door", 17)}`;
  await start(`${head}${line("yard", 18)}${line("attic", 19)}`);
  const edited = async () => (await entries()).filter(({ event }) => event === "zones-edited");
  expect(await edited()).toEqual([]);
  await site.end("SIGKILL");
  edit(`${head}${line("yard", 28)}`);
  await site.start();
  const detail = { added: [], removed: ["attic"], changed: ["yard"] };
  expect(await edited()).toMatchObject([{ from: "configuration file", detail }]);
  await site.end("SIGTERM");
  await site.start();
  expect(await edited()).toHaveLength(1);
});

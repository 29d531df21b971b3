import { join } from "node:path";
import { connectAsync } from "mqtt";
import { beforeEach, expect, test } from "vitest";
import type { ZoneView } from "../../src/site/zone-view.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf, startCentre, upstreamYaml } from "../support/installation.ts";
import { ControlClient } from "../../src/cli/control-client.ts";
import { santinela } from "../support/command-line.ts";
import { describeWithMosquitto, startMosquitto } from "../support/mosquitto.ts";

const OBJECTIVES = "objectives: { obiective/cladiri: [{ id: 12, name: Hall }] }\n";
const zone = (id: string): string =>
  `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }\n`;

let installation: Installation;
beforeEach(() => (installation = Installation.temporary()));

/** The command is never interrupted. */
const never = (): Promise<void> => new Promise(() => {});

test("an installer bypasses a zone, tests the others, and tests the link to the dispatch centre", async () => {
  const { centre, port } = await startCentre(installation, OBJECTIVES);
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n${zone("door")}${zone("yard")}${upstreamYaml(port)}`,
  );
  await site.start();
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await santinela([...words, "--config", "site.yaml"], {
      cwd: installation.folder,
      untilSignal: never,
    });
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const dispositions = async (): Promise<string[]> =>
    (await site.get<Trip[]>("/site/trips")).map(({ zoneId, state }) => `${zoneId} ${state}`).toReversed();

  await run("zones", "bypass", "--zone", "door", "--reason", "painter", "--minutes", "60");
  expect(await run("zones", "list")).toMatch(
    /ZONE .*\ndoor .* bypassed until 20\S+ \S+ \S+ \(control socket: painter\)\s+yard .* in service\s+$/,
  );
  expect((await site.get<ZoneView[]>("/site/zones"))[0]).toMatchObject({
    disposition: "bypassed",
    reason: "painter (control socket)",
    bypass: { reason: "painter", who: "control socket" },
  });
  expect(await run("trip", "--zone", "door")).toMatch(
    /^door is open: trip \S+, suppressed \(bypassed: painter \(control socket\)\)\n$/,
  );
  await site.end("SIGTERM");
  await site.start();
  // Contacts that are open at the end of a bypass or walk test are reported: these two were closed before.
  await run("trip", "--zone", "door", "--restore");
  expect(await run("zones", "restore", "--zone", "door")).toMatch(/door is in service/);

  await new ControlClient(join(installation.folder, "site")).post("/site/walk-test", { minutes: 5 });
  await run("trip", "--zone", "yard");
  await run("trip", "--zone", "yard", "--restore");
  expect(await run("test", "walk", "--end")).toMatch(/1 of 2 zones tested[^]*door +NOT TESTED\s+yard +1 +20/);
  expect(JSON.parse(await run("test", "walk", "--status", "--json"))).toMatchObject({ running: false });
  expect(await dispositions()).toEqual(["door bypassed", "yard test"]);
  expect(await interventionsOf(site)).toEqual([]);

  expect(await run("test", "signal", "--zone", "yard")).toMatch(
    /yard: arrived at the dispatch centre as #1\n$/,
  );
  expect(await interventionsOf(centre)).toMatchObject([
    {
      name: "Test de comunicație: yard",
      description: expect.stringMatching(
        /^Test de comunicație solicitat din linia de comandă la \d\d\.\d\d\.20\d\d /,
      ) as string,
      status: "done",
    },
  ]);
}, 180_000);

test("a signal test during an outage shows its progress, and arrives later", async () => {
  const { centre, port } = await startCentre(installation, OBJECTIVES);
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n${zone("door")}${upstreamYaml(port)}`,
  );
  await centre.end("SIGTERM");
  await site.start();
  const words = ["test", "signal", "--wait", "1", "--config", "site.yaml"];
  const { code, stderr } = await santinela(words, {
    cwd: installation.folder,
    untilSignal: never,
  });
  expect(code).toBe(75);
  expect(stderr).toMatch(/the test has not arrived yet; delivery continues in the background/);
  const nowhere = ["test", "signal", "--zone", "attic", "--config", "site.yaml"];
  expect(await santinela(nowhere, { cwd: installation.folder })).toMatchObject({
    code: 65,
    stderr: expect.stringMatching(/unknown zone "attic"/) as string,
  });
}, 180_000);

test("a second zone that confirms an incident is one record at the dispatch centre too, with the police and its line", async () => {
  const { centre, port } = await startCentre(installation, OBJECTIVES);
  const site = installation.daemon(
    "site",
    `site: { locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n${zone("door")}${zone("yard")}${upstreamYaml(port)}`,
  );
  await site.start();
  await site.run(["trip", "--zone", "door"]);
  await eventually("the first trip at the centre", async () => (await interventionsOf(centre)).length === 1);
  await site.run(["trip", "--zone", "yard"]);
  const [record] = await eventually("the second trip at the centre", async () => {
    const records = await interventionsOf(centre);
    return records[0]?.police === true && records;
  });
  expect(await interventionsOf(centre)).toHaveLength(1);
  expect(record).toMatchObject({ priority: "high", crews: 2, objectiveId: 12 });
  expect(record?.notes).toMatch(/^\d\d:\d\d yard\n\[ref:site-1-[^\]]+\]$/);
  expect(await interventionsOf(site)).toMatchObject([{ notes: record?.notes?.split("\n")[0] }]);
}, 180_000);

test("a viewer may read the zones and not change them", async () => {
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\nzones:\n${zone("door")}`,
  );
  const email = "eye@site.example";
  const password = "correct horse battery staple";
  await site.addAccount({ email, password }, "viewer");
  const { httpPort } = await site.start();
  const ask = (path: string, method: string, body?: object, token?: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${httpPort}${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const { token } = (await (await ask("/auth/token", "POST", { email, password })).json()) as {
    token: string;
  };
  expect((await ask("/site/zones", "GET", undefined, token)).status).toBe(200);
  for (const [path, body] of [
    ["/site/zones/door/bypass", { reason: "burglar" }],
    ["/site/zones/door/restore", {}],
    ["/site/walk-test", {}],
    ["/site/signal-test", {}],
  ] as const) {
    expect((await ask(path, "POST", body, token)).status).toBe(403);
    expect((await ask(path, "POST", body)).status).toBe(401);
  }
  const report = await ask("/site/walk-test", "GET", undefined, token);
  expect([report.status, await report.json()]).toEqual([200, null]);
}, 180_000);

describeWithMosquitto("a door that its own sensor keeps open", () => {
  test("an open contact cannot be closed from the web panel or the command line", async () => {
    const broker = await startMosquitto();
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n` +
        `  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { mqtt: door, open: [open], normal: [closed] } }\n`,
    );
    await site.start();
    const sensor = await connectAsync(broker.url);
    const readContact = async (value: string, contact: string): Promise<void> => {
      await eventually(`the door to be ${contact}`, async () => {
        await sensor.publishAsync("door", value, { qos: 1 });
        return (await site.get<ZoneView[]>("/site/zones"))[0]?.contact === contact;
      });
    };
    await readContact("closed", "normal");
    await readContact("open", "open");

    const client = new ControlClient(join(installation.folder, "site"));
    expect(await client.post("/site/simulate", { zone: "door", contact: "normal" })).toMatchObject({
      contact: "open",
      changed: false,
      unchangedBy: "sensor",
    });
    const { stdout } = await santinela(["trip", "--zone", "door", "--restore", "--config", "site.yaml"], {
      cwd: installation.folder,
      untilSignal: never,
    });
    expect(stdout).toBe("door is still open: only its own sensor can restore it\n");
    await sensor.endAsync();
    await broker.stop();
  }, 180_000);

  test("a walk test counts what the sensor reports, not a test trip of its zone", async () => {
    const broker = await startMosquitto();
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n${zone("yard")}` +
        `  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { mqtt: door, open: [open], normal: [closed] } }\n`,
    );
    await site.start();
    const client = new ControlClient(join(installation.folder, "site"));
    await client.post("/site/walk-test", { minutes: 5 });
    const trip = (id: string): ReturnType<typeof santinela> =>
      santinela(["trip", "--zone", id, "--config", "site.yaml"], {
        cwd: installation.folder,
      });
    const refused = await trip("door");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/a walk test tests the sensors: open the zone itself/);
    // A zone without a sensor has nothing else that could trip it.
    expect(await trip("yard")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^yard is open/) as unknown,
    });
    const tested = async (): Promise<string[]> =>
      (await site.get<ZoneView[]>("/site/zones")).flatMap(({ id, testedAt }) =>
        testedAt === null ? [] : id,
      );
    expect(await tested()).toEqual(["yard"]);
    const sensor = await connectAsync(broker.url);
    await eventually("the door to be tested", async () => {
      for (const value of ["closed", "open"]) await sensor.publishAsync("door", value, { qos: 1 });
      return (await tested()).includes("door");
    });
    await client.post("/site/walk-test", { end: true });
    expect(await tested()).toEqual(["yard", "door"]);
    await trip("yard");
    expect(await trip("door")).toMatchObject({ code: 0 });
    await sensor.endAsync();
    await broker.stop();
  }, 180_000);
});

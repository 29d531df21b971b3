import { afterEach, beforeEach, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { SignalTestView, WalkTestView, ZoneView } from "../../src/http/site/site-ports.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf, startCentre, upstreamYaml } from "../support/installation.ts";

const OBJECTIVES = "objectives: { obiective/cladiri: [{ id: 12, name: Hall }] }\n";
const zone = (id: string): string =>
  `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }\n`;

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => installation.remove());

test("an installer takes a zone out of service, walks the others, and tries the way to the centre", async () => {
  const { centre, port } = await startCentre(installation, OBJECTIVES);
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}zones:\n${zone("door")}${zone("yard")}${upstreamYaml(port)}`,
  );
  await site.start();
  const control = new ControlClient(`${installation.folder}/site`);
  const trip = (id: string): Promise<void> => site.run(["trip", "--zone", id]);
  const fates = async (): Promise<string[]> =>
    (await site.get<Trip[]>("/site/trips")).map(({ zoneId, state }) => `${zoneId} ${state}`).toReversed();

  const bypassed = await control.post<ZoneView>("/site/zones/door/bypass", {
    reason: "painter",
    minutes: 60,
  });
  expect(bypassed).toMatchObject({ fate: "bypassed", bypass: { reason: "painter", who: "control socket" } });
  await trip("door");
  await site.end("SIGTERM");
  await site.start();
  expect(await control.post<ZoneView>("/site/zones/door/restore")).toMatchObject({ fate: "waiting" });

  await control.post<WalkTestView>("/site/walk-test", { minutes: 5 });
  await trip("yard");
  const report = await control.post<WalkTestView>("/site/walk-test", { end: true });
  expect(report).toMatchObject({
    running: false,
    zones: [
      { id: "door", trips: 0 },
      { id: "yard", trips: 1 },
    ],
  });
  expect(await fates()).toEqual(["door bypassed", "yard test"]);
  expect(await interventionsOf(site)).toEqual([]);

  const { key } = await control.post<SignalTestView>("/site/signal-test", { zone: "yard" });
  await eventually("the test to arrive", async () => {
    const { state } = await control.get<SignalTestView>(`/site/signal-test/${key}`);
    return state === "arrived";
  });
  expect(await interventionsOf(centre)).toMatchObject([{ name: "Test de semnal: yard", status: "done" }]);
});

test("a viewer may look at the zones and change nothing about them", async () => {
  const site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\nzones:\n${zone("door")}`,
  );
  const email = "eye@site.example";
  const password = "correct horse battery staple";
  await site.run(["user", "add", "--email", email, "--role", "viewer", "--password-stdin"], password);
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
});

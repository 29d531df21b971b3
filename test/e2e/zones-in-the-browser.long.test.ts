import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type {
  ConfigurationProposalView,
  ConfigurationResult,
  ConfirmationView,
  ConfiguredZonesView,
} from "../../src/site/configuration-view.ts";
import type { DraftView } from "../../src/site/administration-view.ts";
import type { DiscoveryView } from "../../src/site/discovery-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { type Answer, callApi } from "../support/api-user.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto } from "../support/mosquitto.ts";

/* A browser changes the zones of an installation over HTTP; the file stays the truth. */

const ADMINISTRATOR = { email: "ana@site.example", password: "correct horse battery staple" };
const OBJECTIVE = { type: "obiective/cladiri", id: 1 };
const BASE = [
  "# Hala de test",
  "http: { port: 0, configuration: panel } # panou",
  "gpio: { backend: simulated }",
  "objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }",
  "",
].join("\n");
const TWO_ZONES = `${BASE}mqtt: off
zones:
  # la intrare
  - id: usa
    name: Ușa
    kind: intrusion
    objective: { type: obiective/cladiri, id: 1 }
    input: { gpio: 17, contact: nc } # cablu roșu

  - id: geam
    name: Geam
    kind: glass
    objective: { type: obiective/cladiri, id: 1 }
    input: { gpio: 18 }
`;

let installation: Installation;
let site: DaemonProcess;
let base: string;
let token: string;
const file = (): string => join(installation.folder, "site.yaml");
const content = (): string => readFileSync(file(), "utf8");
const keptFolder = (): string => join(installation.folder, "site", "configurations");

beforeEach(() => (installation = Installation.temporary()));

async function start(yaml: string, environment?: NodeJS.ProcessEnv): Promise<void> {
  site = installation.daemon("site", yaml);
  await site.addAccount(ADMINISTRATOR, "administrator");
  await begin(environment);
}

async function begin(environment?: NodeJS.ProcessEnv): Promise<void> {
  const { httpPort } = await site.start(environment);
  base = `http://127.0.0.1:${httpPort}`;
  const answer = await call<{ token: string }>("POST", "/auth/token", ADMINISTRATOR);
  ({ token } = answer.body);
}

const call = <T>(method: string, path: string, body?: unknown, as = token): Promise<Answer<T>> =>
  callApi({ base, token: as }, method, path, body);

const read = async (): Promise<ConfiguredZonesView> =>
  (await call<ConfiguredZonesView>("GET", "/site/configuration/zones")).body;
const confirm = async (): Promise<string> =>
  (await call<ConfirmationView>("POST", "/site/configuration/confirmation", ADMINISTRATOR)).body.confirmation;
const propose = async (changes: unknown): Promise<Answer<ConfigurationProposalView>> =>
  call("POST", "/site/configuration/proposal", { hash: (await read()).hash, changes });
async function apply(
  changes: unknown,
  order: { hash?: string | null; confirmation?: string } = {},
): Promise<Answer<ConfigurationResult & { diff: string }>> {
  const { hash = (await read()).hash, confirmation = await confirm() } = order;
  return call("POST", "/site/configuration/apply", { hash, confirmation, changes });
}
const zones = (): Promise<ZoneView[]> => site.get("/site/zones");
const ids = async (): Promise<string[]> => (await zones()).map(({ id }) => id);
const events = async (name: string): Promise<TimelineEntry[]> =>
  (await site.get<TimelineEntry[]>("/site/journal?limit=100")).filter((entry) =>
    JSON.stringify(entry).includes(`"${name}"`),
  );
const gpio = (id: string, line: number) => ({
  id,
  name: id,
  kind: "intrusion",
  objective: OBJECTIVE,
  input: { gpio: line },
});

describe("a browser", () => {
  test("sees what a change does to the file before it is written, with the place of each error", async () => {
    await start(TWO_ZONES);
    const zone = (await read()).zones[0];
    const { body } = await propose([{ action: "change", id: "usa", zone: { ...zone, name: "Ușa mare" } }]);
    expect(body.diff.split("\n").filter((line) => /^[-+]/.test(line))).toEqual([
      "-    name: Ușa",
      "+    name: Ușa mare",
    ]);
    expect(body.errors).toEqual([]);
    const wrong = await propose([{ action: "add", zone: gpio("hol", 17) }]);
    expect(wrong.body.errors).toEqual([
      {
        place: expect.stringMatching(/site\.yaml:\d+:\d+$/),
        message: expect.stringMatching(/line 17 is used by two zones, usa and hol/),
      },
    ]);
    const before = content();
    expect(await apply([{ action: "add", zone: gpio("hol", 17) }])).toMatchObject({ status: 422 });
    expect(content()).toBe(before);
  });

  test("adds, changes, copies, disables, orders and deletes zones; comments stay, and the event log has the change", async () => {
    await start(TWO_ZONES);
    const [usa] = (await read()).zones;
    const { status, body } = await apply([
      { action: "change", id: "usa", zone: { ...usa, input: { gpio: 17, contact: "no" }, minOpenMs: 100 } },
      { action: "add", zone: gpio("hol", 22) },
      { action: "copy", id: "hol", newId: "hol-2", name: "Hol 2" },
      { action: "change", id: "hol-2", zone: { ...gpio("hol-2", 23), name: "Hol 2" } },
      { action: "disable", id: "geam" },
      { action: "order", ids: ["hol-2", "usa", "geam", "hol"] },
    ]);
    expect([status, body]).toEqual([200, expect.objectContaining({ state: "applied", reason: null })]);
    expect(await ids()).toEqual(["hol-2", "usa", "hol"]);
    expect(content()).toContain("# Hala de test\n");
    expect(content()).toContain("configuration: panel } # panou\n");
    expect(content()).toContain("# la intrare\n");
    expect(content()).toContain("input: { gpio: 17, contact: no } # cablu roșu\n");
    const [event] = await events("configuration-changed");
    expect(JSON.stringify(event)).toContain("+    minOpenMs: 100");
    expect(JSON.stringify(event)).toContain(ADMINISTRATOR.email);
    await apply([
      { action: "enable", id: "geam" },
      { action: "delete", id: "hol" },
    ]);
    expect(await ids()).toEqual(["hol-2", "usa", "geam"]);
    // The next start has the same zones.
    await site.end("SIGTERM");
    await begin();
    expect(await ids()).toEqual(["hol-2", "usa", "geam"]);
  });

  test("continues the set-up where the installation stands", async () => {
    await start(TWO_ZONES);
    const draft = {
      "site-name": "Hala Nouă",
      "site-ref": "hala",
      zone: "simulated",
      "zone-id": "test",
      "zone-name": "Test",
    };
    const { body } = await call<DraftView>("POST", "/site/setup/draft", draft);
    expect(body.errors).toBeNull();
    const zonesOf = (text: string): string[] =>
      [...text.matchAll(/- id: "?([\w-]+)/g)].map(([, id]) => id ?? "");
    expect(zonesOf(body.configuration ?? "")).toEqual(["usa", "geam", "test"]);
    expect(body.configuration).toContain("http: { port: 0, configuration: panel } # panou\n");
    expect(body.configuration).toContain("mqtt: off\n");
    expect(body.configuration).toMatch(/name: "?Hala Nouă/);
    expect(body.questions.find(({ name }) => name === "timezone")?.fallback).toBe("Europe/Bucharest");
  });

  test("needs the password again, and the state of the file that it has seen", async () => {
    await start(TWO_ZONES);
    const changes = [{ action: "delete", id: "geam" }];
    const { hash } = await read();
    expect(await apply(changes, { confirmation: "guess" })).toMatchObject({ status: 403 });
    expect(
      await call("POST", "/site/configuration/confirmation", { password: "not this one at all" }),
    ).toMatchObject({ status: 403 });
    await site.addAccount({ email: "ion@site.example", password: "another long password" }, "operator");
    const { body } = await call<{ token: string }>("POST", "/auth/token", {
      email: "ion@site.example",
      password: "another long password",
    });
    for (const path of ["zones", "confirmation", "proposal", "apply"])
      expect(
        await call(path === "zones" ? "GET" : "POST", `/site/configuration/${path}`, undefined, body.token),
      ).toMatchObject({ status: 403 });
    writeFileSync(file(), `${content()}# scris de mână\n`);
    expect(await apply(changes, { hash })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/has changed in the meantime/) },
    });
    expect(await ids()).toEqual(["usa", "geam"]);
  });

  test("changes nothing where the file is the only way, and reads no secret", async () => {
    await start(TWO_ZONES.replace(", configuration: panel", ""));
    expect(await read()).toMatchObject({ mode: "file-only" });
    expect(await apply([{ action: "delete", id: "geam" }])).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/file-only/) },
    });
    expect((await ids()).length).toBe(2);
  });

  test("gets the earlier zones back if the daemon is not healthy with the new ones", async () => {
    await start(
      TWO_ZONES.replace("backend: simulated", "backend: cdev, chip: no such chip").replace(
        /zones:[^]*/,
        "zones: []\n",
      ),
    );
    const before = content();
    const { status, body } = await apply([{ action: "add", zone: gpio("hol", 17) }]);
    expect([status, body.state]).toEqual([200, "reverted"]);
    expect(body.reason).toMatch(/no such chip/);
    expect(content()).toBe(before);
    expect(await ids()).toEqual([]);
    expect(await events("configuration-reverted")).toHaveLength(1);
    expect(await events("configuration-changed")).toEqual([]);
  });

  test("repairs zones on a dead chip one by one, and adds none to it", async () => {
    await start(TWO_ZONES.replace("backend: simulated", "backend: cdev, chip: no such chip"));
    await eventually("the dead chip", async () =>
      (await site.get<StatusView>("/site/status")).conditions.some(({ code }) => code === "gpio-unavailable"),
    );
    expect(await apply([{ action: "disable", id: "usa" }])).toMatchObject({ body: { state: "applied" } });
    expect(await apply([{ action: "enable", id: "usa" }])).toMatchObject({
      body: { state: "reverted", reason: expect.stringContaining("Not read: usa, geam.") as string },
    });
    expect(await ids()).toEqual(["geam"]);
  });

  test("gets the earlier zones back if the process ends before the change is proven", async () => {
    await start(TWO_ZONES, { ...process.env, SANTINELA_FAILPOINT: "reload-committed" });
    const before = content();
    await expect(apply([{ action: "delete", id: "geam" }])).rejects.toThrow();
    await site.exited();
    expect(content()).not.toBe(before);
    await begin();
    expect(content()).toBe(before);
    expect(await ids()).toEqual(["usa", "geam"]);
    expect(await events("configuration-reverted")).toHaveLength(1);
  });

  test("gets the earlier zones back also if the clock has gone back since ten earlier changes", async () => {
    await start(TWO_ZONES, { ...process.env, SANTINELA_FAILPOINT: "reload-committed" });
    const before = content();
    mkdirSync(keptFolder(), { recursive: true });
    for (let day = 10; day < 20; day += 1)
      writeFileSync(join(keptFolder(), `2999-01-${day}T00-00-00-000Z.yaml`), before);
    await expect(apply([{ action: "delete", id: "geam" }])).rejects.toThrow();
    await site.exited();
    expect(readdirSync(keptFolder())).toHaveLength(10);
    await begin();
    expect(content()).toBe(before);
    expect(await ids()).toEqual(["usa", "geam"]);
  });

  test("keeps what an editor has written into the file before the change was taken back", async () => {
    await start(TWO_ZONES, { ...process.env, SANTINELA_FAILPOINT: "reload-committed" });
    const before = content();
    await expect(apply([{ action: "delete", id: "geam" }])).rejects.toThrow();
    await site.exited();
    const edited = `${content()}# scris de mână\n`;
    writeFileSync(file(), edited);
    await begin();
    expect(content()).toBe(before);
    const texts = readdirSync(keptFolder()).map((name) => readFileSync(join(keptFolder(), name), "utf8"));
    expect(texts).toEqual(expect.arrayContaining([before, edited]));
  });

  test.each([
    ["is empty", () => ""],
    ["is cut off", (text: string) => text.slice(0, text.length / 2)],
    ["has other contents", () => "[]"],
    ["names no kept text", (text: string) => text.replace(/"kept":"[^"]*"/, '"kept":"../../etc/passwd"')],
    ["names a text that is gone", (text: string) => text.replace(/"kept":"[^"]*"/, '"kept":"gone.yaml"')],
  ])("starts, and reports a change that cannot be taken back, if its marker %s", async (_name, damaged) => {
    await start(TWO_ZONES, { ...process.env, SANTINELA_FAILPOINT: "reload-committed" });
    await expect(apply([{ action: "delete", id: "geam" }])).rejects.toThrow();
    await site.exited();
    const changed = content();
    const marker = join(installation.folder, "site", "configuration-trial.json");
    writeFileSync(marker, damaged(readFileSync(marker, "utf8")));
    await begin();
    expect(content()).toBe(changed);
    expect(await ids()).toEqual(["usa"]);
    expect(await events("configuration-unproven")).toHaveLength(1);
    // A later change works, and the report is not repeated.
    expect(await apply([{ action: "disable", id: "usa" }])).toMatchObject({ body: { state: "applied" } });
    await site.end("SIGTERM");
    await begin();
    expect(await events("configuration-unproven")).toHaveLength(1);
  });

  test("keeps the mode of the file and the last ten texts", async () => {
    await start(TWO_ZONES);
    // Of a group that may write it, which the umask of the service would not give.
    chmodSync(file(), 0o660);
    const order = { confirmation: await confirm() };
    for (let round = 0; round < 6; round += 1) {
      expect(await apply([{ action: "disable", id: "geam" }], order)).toMatchObject({
        body: { state: "applied" },
      });
      expect(await apply([{ action: "enable", id: "geam" }], order)).toMatchObject({
        body: { state: "applied" },
      });
    }
    const { kept } = await read();
    expect(kept).toHaveLength(10);
    expect(statSync(file()).mode & 0o777).toBe(0o660);
    const newest = readFileSync(join(installation.folder, "site", "configurations", kept[0] ?? ""), "utf8");
    expect(newest).toContain("disabled: true");
  });
});

describeWithMosquitto("from an empty site", () => {
  test("to twelve zones, three of them discovered, each opened once and seen", async () => {
    const broker = await startMosquitto();
    const devices = await AnnouncingDevices.at(broker.url);
    try {
      await start(`${BASE}mqtt: { url: ${JSON.stringify(broker.url)} }\n`);
      const wanted = ["poarta", "hol-usa", "shellydw2-a4cf12f43189"];
      const found = await eventually("three devices", async () => {
        const { body } = await call<DiscoveryView>("GET", "/site/discovered");
        const proposals = body.devices.flatMap((device) => device.proposals);
        const chosen = proposals.filter(({ zone }) => wanted.includes(zone.id));
        return chosen.length === 3 && chosen;
      });
      const { unknown } = (await call<DiscoveryView>("GET", "/site/discovered")).body;
      expect(unknown.map(({ lastMessage }) => lastMessage.topic)).not.toContain("shellies/command");
      const order = { confirmation: await confirm() };
      const discovered = found.map(({ zone }) => ({
        action: "add",
        zone: { ...zone, objective: OBJECTIVE },
      }));
      expect(await apply(discovered, order)).toMatchObject({ body: { state: "applied", reason: null } });
      const lines = Array.from({ length: 9 }, (_none, index) => gpio(`linia-${index + 1}`, 2 + index));
      for (const at of [0, 3, 6]) {
        const changes = lines.slice(at, at + 3).map((zone) => ({ action: "add", zone }));
        expect(await apply(changes, order)).toMatchObject({ body: { state: "applied", reason: null } });
      }
      expect(await ids()).toEqual([...found.map(({ zone }) => zone.id), ...lines.map(({ id }) => id)]);
      for (const { id } of lines)
        expect((await call("POST", "/site/simulate", { zone: id, contact: "open" })).status).toBe(200);
      for (const closed of [true, false]) {
        await devices.send("zigbee2mqtt/poarta", { contact: closed });
        await devices.send("stat/tasmota_3D5E26/RESULT", { Usa: { Action: closed ? "OFF" : "ON" } });
        await devices.send("shellies/shellydw2-A4CF12F43189/sensor/state", closed ? "close" : "open");
        await eventually(
          "the three",
          async () =>
            (await zones()).filter(
              ({ id, contact }) => wanted.includes(id) && contact === (closed ? "normal" : "open"),
            ).length === 3,
        );
      }
      await eventually("twelve trips", async () => {
        const trips = await site.get<Trip[]>("/site/trips?limit=1000");
        return new Set(trips.filter(({ type }) => type === "trip").map(({ zoneId }) => zoneId)).size === 12;
      });
    } finally {
      await devices.end();
      await broker.stop();
    }
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type {
  ConfigurationResult,
  ConfirmationView,
  ConfiguredZonesView,
  EarlierConfigurationProposalView,
  EarlierConfigurationsView,
} from "../../src/site/configuration-view.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { type Answer, callApi } from "../support/api-user.ts";
import { askDaemon } from "../support/control-socket.ts";
import { Installation } from "../support/installation.ts";

/* An administrator returns to an earlier text of the configuration file over HTTP; the file stays the truth. */

const ADMINISTRATOR = { email: "ana@site.example", password: "correct horse battery staple" };
const OPERATOR = { email: "ion@site.example", password: "another long password" };
const TWO_ZONES = `# Hala de test
http: { port: 0, configuration: panel } # panou
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }
zones:
  - { id: usa, name: Ușa, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17 } }
  - { id: geam, name: Geam, kind: glass, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 18 } }
`;
const EARLIER = "/site/configuration/earlier";
const RETURN = "/site/configuration/return";

let installation: Installation;
let site: DaemonProcess;
let base: string;
let token: string;
const file = (): string => join(installation.folder, "site.yaml");
const dataDir = (): string => join(installation.folder, "site");
const content = (): string => readFileSync(file(), "utf8");
const keptFolder = (): string => join(dataDir(), "configurations");

beforeEach(() => (installation = Installation.temporary()));

async function start(yaml: string, environment?: NodeJS.ProcessEnv): Promise<void> {
  site = installation.daemon("site", yaml);
  await site.addAccount(ADMINISTRATOR, "administrator");
  await begin(environment);
}

async function begin(environment?: NodeJS.ProcessEnv): Promise<void> {
  const { httpPort } = await site.start(environment);
  base = `http://127.0.0.1:${httpPort}`;
  ({ token } = (await call<{ token: string }>("POST", "/auth/token", ADMINISTRATOR)).body);
}

const call = <T>(method: string, path: string, body?: unknown, as = token): Promise<Answer<T>> =>
  callApi({ base, token: as }, method, path, body);

const list = async (): Promise<EarlierConfigurationsView> =>
  (await call<EarlierConfigurationsView>("GET", EARLIER)).body;
const propose = (name: string): Promise<Answer<EarlierConfigurationProposalView>> =>
  call("GET", `${EARLIER}/${encodeURIComponent(name)}`);
const confirm = async (): Promise<string> =>
  (await call<ConfirmationView>("POST", "/site/configuration/confirmation", ADMINISTRATOR)).body.confirmation;
async function returnTo(
  name: string,
  order: { hash?: string; confirmation?: string } = {},
): Promise<Answer<ConfigurationResult & { diff: string }>> {
  const { hash = (await list()).hash, confirmation = await confirm() } = order;
  return call("POST", RETURN, { name, hash, confirmation });
}
async function change(...changes: readonly unknown[]): Promise<Answer<ConfigurationResult>> {
  const { hash } = (await call<ConfiguredZonesView>("GET", "/site/configuration/zones")).body;
  return call("POST", "/site/configuration/apply", { hash, confirmation: await confirm(), changes });
}
async function editByHand(text: string): Promise<void> {
  writeFileSync(file(), text);
  expect(await askDaemon(dataDir(), "POST", "/site/reload")).toMatchObject({ status: 200 });
}
const ids = async (): Promise<string[]> => (await site.get<ZoneView[]>("/site/zones")).map(({ id }) => id);
const events = async (name: string): Promise<string[]> =>
  (await site.get<TimelineEntry[]>("/site/journal?limit=100"))
    .map((entry) => JSON.stringify(entry))
    .filter((entry) => entry.includes(`"${name}"`));
const changedLines = (diff: string): string[] => diff.split("\n").filter((line) => /^[-+]/.test(line));
/** A text that the file had long ago. */
function keep(name: string, text: string): void {
  mkdirSync(keptFolder(), { recursive: true });
  writeFileSync(join(keptFolder(), name), text);
}

test("an administrator returns to a text from before a change and an edit by hand, and it stays after a restart", async () => {
  await start(TWO_ZONES);
  const original = content();
  expect((await list()).earlier).toEqual([]);
  expect(await change({ action: "delete", id: "geam" })).toMatchObject({ body: { state: "applied" } });
  const changed = content();
  await editByHand(`${changed}# scris de mână\n`);
  const { earlier } = await list();
  expect(earlier).toMatchObject([
    { source: "change", who: ADMINISTRATOR.email, from: "127.0.0.1", isCurrent: false },
    { source: "file", who: null, from: null, isCurrent: false },
  ]);
  for (const { replacedAt, writtenAt } of earlier)
    expect(Date.parse(writtenAt ?? "")).toBeLessThanOrEqual(Date.parse(replacedAt));
  const oldest = earlier[1]?.name ?? "";
  const { body } = await propose(oldest);
  expect(body).toMatchObject({ name: oldest, errors: [], needsRestart: [], applied: [] });
  expect(body.zones).toHaveLength(2);
  expect(changedLines(body.diff)).toEqual([
    "-# scris de mână",
    expect.stringMatching(/^\+ {2}- \{ id: geam/),
  ]);
  expect(content()).toBe(`${changed}# scris de mână\n`);

  expect(await returnTo(oldest)).toMatchObject({ status: 200, body: { state: "applied", diff: body.diff } });
  expect(content()).toBe(original);
  expect(await ids()).toEqual(["usa", "geam"]);
  const [event] = await events("configuration-changed");
  expect(event).toContain(ADMINISTRATOR.email);
  expect(event).toContain("scris de mână");
  // The edited text is kept now, and the list marks the one that is in the file.
  const after = (await list()).earlier;
  expect(after[0]).toMatchObject({ source: "file", isCurrent: false });
  expect(after.find(({ name }) => name === oldest)).toMatchObject({ isCurrent: true });
  expect(await returnTo(oldest)).toMatchObject({
    status: 409,
    body: { message: expect.stringMatching(/has this text already/) },
  });
  await site.end("SIGTERM");
  await begin();
  expect(content()).toBe(original);
  expect(await ids()).toEqual(["usa", "geam"]);
});

test("a return needs an administrator, the password, an earlier text and the file as it was shown", async () => {
  await start(TWO_ZONES);
  const name = "2026-01-02T03-04-05-006Z.yaml";
  keep(name, `${content()}# vechi\n`);
  const before = content();
  expect((await list()).earlier).toMatchObject([
    { name, replacedAt: "2026-01-02T03:04:05.006Z", writtenAt: null, source: "unknown", who: null },
  ]);
  expect(await returnTo(name, { confirmation: "" })).toMatchObject({
    status: 403,
    body: { message: expect.stringMatching(/enter your password again/) },
  });
  expect(await returnTo(name, { hash: "0".repeat(64) })).toMatchObject({
    status: 409,
    body: { message: expect.stringMatching(/has changed in the meantime/) },
  });
  const confirmation = await confirm();
  for (const order of [
    { name, confirmation },
    { hash: (await list()).hash, confirmation },
  ])
    expect((await call("POST", RETURN, order)).status).toBe(400);
  for (const other of ["none.yaml", "../last-good.yaml", "../../site.yaml", "%2e%2e%2fsite.yaml"]) {
    expect((await propose(other)).status).toBe(404);
    expect((await returnTo(other)).status).toBe(404);
  }
  await site.addAccount(OPERATOR, "operator");
  const { token: operator } = (await call<{ token: string }>("POST", "/auth/token", OPERATOR)).body;
  for (const [method, path] of [
    ["GET", EARLIER],
    ["GET", `${EARLIER}/${name}`],
    ["POST", RETURN],
  ] as const)
    expect((await call(method, path, undefined, operator)).status).toBe(403);
  expect(content()).toBe(before);
});

test("where the file is the only way, a return is refused with the words of every other change", async () => {
  await start(TWO_ZONES.replace(", configuration: panel", ""));
  keep("2026-01-02T03-04-05-006Z.yaml", `${content()}# vechi\n`);
  const before = content();
  const refused = await returnTo("2026-01-02T03-04-05-006Z.yaml");
  expect([refused.status, refused.body.message]).toEqual([
    409,
    (await change({ action: "delete", id: "geam" })).body.message,
  ]);
  expect(refused.body.message).toMatch(/http\.configuration is file-only/);
  expect((await list()).earlier).toHaveLength(1);
  expect(content()).toBe(before);
});

test("a return does not change where alarms go, nor who may sign in, nor the broker", async () => {
  await start(TWO_ZONES);
  const before = content();
  const name = "2026-01-02T03-04-05-006Z.yaml";
  keep(
    name,
    before
      .replace("mqtt: off", "mqtt: { listen: { port: 1884 } }")
      .replace("http: {", "http: { corsOrigins: ['https://other.example'],")
      .replace("name: Geam", "name: Geam mare"),
  );
  const { body } = await propose(name);
  expect(body.errors).toEqual([
    {
      place: `${join(keptFolder(), name)}:1:1`,
      message: expect.stringMatching(
        /^only the configuration file on the device can change .*http\.corsOrigins/,
      ),
    },
  ]);
  expect(body.errors[0]?.message).toMatch(/mqtt/);
  expect(changedLines(body.diff)).toContainEqual(expect.stringMatching(/^\+.*Geam mare/));
  expect((await returnTo(name)).status).toBe(422);
  keep(name, before.replace("zones:", "zone:"));
  expect((await propose(name)).body.errors).toEqual([
    {
      place: expect.stringMatching(/006Z\.yaml:\d+:\d+$/),
      message: expect.stringMatching(/zone: unknown option/),
    },
  ]);
  expect((await returnTo(name)).status).toBe(422);
  expect(content()).toBe(before);
});

test("a text with which the daemon is not healthy is taken back, and is still among the earlier ones", async () => {
  const idle = TWO_ZONES.replace("backend: simulated", "backend: cdev, chip: no such chip");
  await start(idle.replace(/zones:[^]*/, "zones: []\n"));
  const before = content();
  // The oldest of ten: the present text is kept too while it is tried out.
  const names = Array.from({ length: 10 }, (_none, day) => `2026-01-${10 + day}T00-00-00-000Z.yaml`);
  const zones = /zones:[^]*/.exec(idle)?.[0] ?? "";
  for (const name of names)
    keep(name, name === names[0] ? before.replace("zones: []\n", zones) : `${before}# ${name}\n`);
  const { body } = await returnTo(names[0] ?? "");
  expect(body).toMatchObject({ state: "reverted", reload: null });
  expect(body.reason).toMatch(/no such chip/);
  expect(content()).toBe(before);
  expect(await ids()).toEqual([]);
  expect(await events("configuration-reverted")).toHaveLength(1);
  const { earlier } = await list();
  expect(earlier).toHaveLength(10);
  expect(earlier.map(({ name }) => name)).toContain(names[0]);
});

test("after a power cut during a return, the next start has the zones from before it", async () => {
  await start(TWO_ZONES, { ...process.env, SANTINELA_FAILPOINT: "reload-committed" });
  const before = content();
  keep("2026-01-02T03-04-05-006Z.yaml", before.replace(/ {2}- \{ id: geam.*\n/, ""));
  await expect(returnTo("2026-01-02T03-04-05-006Z.yaml")).rejects.toThrow();
  await site.exited();
  expect(content()).not.toBe(before);
  await begin();
  expect(content()).toBe(before);
  expect(await ids()).toEqual(["usa", "geam"]);
  expect(await events("configuration-reverted")).toHaveLength(1);
  // What was tried out has never been in force for good.
  expect((await list()).earlier.filter(({ isCurrent }) => !isCurrent)).toHaveLength(1);
});

test("the last ten texts are kept, however they were written", async () => {
  await start(TWO_ZONES);
  const original = content();
  for (let round = 0; round < 12; round += 1) await editByHand(`${original}# ${round}\n`);
  const texts = (await list()).earlier.map(({ name }) => readFileSync(join(keptFolder(), name), "utf8"));
  expect(texts).toEqual(Array.from({ length: 10 }, (_none, at) => `${original}# ${10 - at}\n`));
  expect(readdirSync(keptFolder())).toHaveLength(10);
  // The same text again is not a new one.
  await editByHand(content());
  expect((await list()).earlier).toHaveLength(10);
});

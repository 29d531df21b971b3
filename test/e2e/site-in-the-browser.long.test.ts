import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type {
  ConfigurationProposalView,
  ConfigurationResult,
  ConfirmationView,
  ConfiguredZonesView,
} from "../../src/site/configuration-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { type Answer, callApi } from "../support/api-user.ts";
import { Installation } from "../support/installation.ts";

/* An administrator names the site over HTTP; the file stays the truth. */

const ADMINISTRATOR = { email: "ana@site.example", password: "correct horse battery staple" };
const CONFIGURATION = `# Fabrica
site:
  name: New site # unnamed
  ref: fabrica
http: { port: 0, configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }
zones:
  - { id: usa, name: Ușa, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17 } }
`;

let installation: Installation;
let site: DaemonProcess;
let base: string;
let token: string;
beforeEach(() => (installation = Installation.temporary()));

async function start(environment?: NodeJS.ProcessEnv): Promise<void> {
  site = installation.daemon("site", CONFIGURATION);
  await site.addAccount(ADMINISTRATOR, "administrator");
  const { httpPort } = await site.start(environment);
  base = `http://127.0.0.1:${httpPort}`;
  ({ token } = (await call<{ token: string }>("POST", "/auth/token", ADMINISTRATOR)).body);
}

const call = <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
  callApi({ base, token }, method, path, body);

const read = async (): Promise<ConfiguredZonesView> =>
  (await call<ConfiguredZonesView>("GET", "/site/configuration/zones")).body;
const propose = async (named: unknown): Promise<Answer<ConfigurationProposalView>> =>
  call("POST", "/site/configuration/proposal", {
    hash: (await read()).hash,
    changes: [{ action: "site", site: named }],
  });
async function apply(named: unknown): Promise<Answer<ConfigurationResult>> {
  const { body } = await call<ConfirmationView>("POST", "/site/configuration/confirmation", ADMINISTRATOR);
  const { hash } = await read();
  const order = { hash, confirmation: body.confirmation, changes: [{ action: "site", site: named }] };
  return call("POST", "/site/configuration/apply", order);
}
const status = async (): Promise<StatusView> => site.get<StatusView>("/site/status");
const content = (): string => readFileSync(join(installation.folder, "site.yaml"), "utf8");

test("a new name is in force at once, and only its line changes", async () => {
  await start();
  const { startedAt } = await status();
  const proposed = await propose({ name: "Fabrica de mobilă" });
  expect(proposed.body).toMatchObject({ errors: [], needsRestart: [] });
  expect(proposed.body.diff).toContain("+  name: Fabrica de mobilă # unnamed");
  expect(content()).toContain(CONFIGURATION);
  const applied = await apply({ name: "Fabrica de mobilă" });
  expect(applied.body).toMatchObject({
    state: "applied",
    reload: { applied: ["site.name"], needsRestart: [] },
  });
  expect(content()).toContain(CONFIGURATION.replace("New site", "Fabrica de mobilă"));
  expect(await status()).toMatchObject({ site: { name: "Fabrica de mobilă", ref: "fabrica" }, startedAt });
  expect((await read()).site.name).toBe("Fabrica de mobilă");
});

test("a new time zone is in the file, and applies after a restart", async () => {
  await start();
  expect((await propose({ timezone: "Europe/Lisbon" })).body.needsRestart).toEqual(["site.timezone"]);
  const { body } = await apply({ timezone: "Europe/Lisbon", name: "Filiala" });
  expect(body.reload).toMatchObject({ applied: ["site.name"], needsRestart: ["site.timezone"] });
  expect((await status()).site).toMatchObject({ name: "Filiala", timezone: "Europe/Bucharest" });
  expect((await read()).site).toMatchObject({ timezone: "Europe/Lisbon", locale: "ro" });
  expect((await status()).conditions).toMatchObject([{ code: "restart-needed" }]);
});

test("what cannot be a site is refused, and nothing changes", async () => {
  await start();
  for (const named of [{ name: " " }, { name: "a\u0000" }, { timezone: "Mars/Base" }, { locale: "de" }]) {
    const { body } = await propose(named);
    expect(body.errors).toHaveLength(1);
    expect((await apply(named)).status).toBe(422);
  }
  for (const named of [{ ref: "other" }, { auditDays: 1 }, { name: 1 }, "x", null, undefined])
    expect((await propose(named)).status).toBe(400);
  expect(content()).toContain(CONFIGURATION);
});

test("a name that an environment variable sets is not changed in the file", async () => {
  await start({ ...process.env, SANTINELA_SITE__NAME: "Depozit" });
  const { status: code, body } = await propose({ name: "Fabrica" });
  expect([code, body.message]).toEqual([
    409,
    expect.stringMatching(/site.name is set by an environment variable/),
  ]);
});

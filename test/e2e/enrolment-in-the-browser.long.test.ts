import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import type { ConfirmationView, EnrolmentResult, EnrolmentView } from "../../src/site/configuration-view.ts";
import { type Answer, callApi } from "../support/api-user.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";
import { LINE_FAULTS } from "../support/line-faults.ts";
import { close, freePort, listen } from "../support/loopback.ts";

/* An installer with a phone enrols a site at a dispatch centre, over HTTP as the web panel does, without a terminal. */

const ADMINISTRATOR = { email: "ana@site.example", password: "correct horse battery staple" };
const OPERATOR = { email: "ion@site.example", password: "another horse battery staple" };
const SITE = `# Hala de test
site: { ref: hala-nord, name: Hala Nord }
http: { port: 0, configuration: panel } # panou
mqtt: off
gpio: { backend: simulated }
# upstream: none (standalone)
zones: # zone
  - { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } }
  - { id: roof, name: Roof, kind: intrusion, objective: { type: obiective/cladiri, id: 3 }, input: { simulated: true } }
`;
const UNKNOWN_CODE = "abcde-fghjk-mnpqr-stuvw";

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
let line: FaultProxy;
let address: string;
let base: string;
let token: string;

beforeAll(async () => {
  installation = new Installation();
  centre = installation.daemon(
    "centre",
    `site: { ref: centre, locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(4)}`,
  );
  const { httpPort } = await centre.start();
  line = new FaultProxy(httpPort);
  address = `http://127.0.0.1:${await line.start()}`;
  site = installation.daemon("site", SITE);
  await site.addAccount(ADMINISTRATOR, "administrator");
  await site.addAccount(OPERATOR, "operator");
  base = `http://127.0.0.1:${(await site.start()).httpPort}`;
  token = await signIn(ADMINISTRATOR);
}, 120_000);
afterAll(async () => {
  await installation.remove();
  await line.stop();
});

const call = <T>(method: string, path: string, body?: unknown, as = token): Promise<Answer<T>> =>
  callApi({ base, token: as }, method, path, body);

async function signIn(account: object): Promise<string> {
  return (await call<{ token: string }>("POST", "/auth/token", account, "")).body.token;
}

const content = (): string => readFileSync(join(installation.folder, "site.yaml"), "utf8");
const view = async (): Promise<EnrolmentView> => (await call<EnrolmentView>("GET", "/site/enrolment")).body;
const confirm = async (): Promise<string> =>
  (await call<ConfirmationView>("POST", "/site/configuration/confirmation", ADMINISTRATOR)).body.confirmation;

async function code(more: object = {}): Promise<string> {
  const invitation = { site: "hala-nord", objectives: ["obiective/cladiri/2"], ...more };
  const { value } = await askDaemon(join(installation.folder, "centre"), "POST", "/enrolments", invitation);
  return (value as EnrolmentCode).code;
}

async function enrol(order: object): Promise<Answer<EnrolmentResult>> {
  return call("POST", "/site/enrolment", { centre: address, confirmation: await confirm(), ...order });
}

test("only an administrator who has entered the password again can enrol the site", async () => {
  const before = content();
  const order = { centre: address, code: await code() };
  const operator = await signIn(OPERATOR);
  expect((await call("GET", "/site/enrolment", undefined, operator)).status).toBe(403);
  expect((await call("POST", "/site/enrolment", order, operator)).status).toBe(403);
  expect((await call("POST", "/site/enrolment", order, "")).status).toBe(401);
  const unconfirmed = await call("POST", "/site/enrolment", order);
  expect([unconfirmed.status, unconfirmed.body.message]).toEqual([
    403,
    expect.stringContaining("enter your password again"),
  ]);
  expect(content()).toBe(before);
  expect(await view()).toMatchObject({ site: "hala-nord", centre: null, obstacle: null });
});

test("a wrong code, another kind of server and none are named, and the file stays as it is", async () => {
  const before = content();
  const foreign = createServer((_request, response) => {
    response.writeHead(404, { "Content-Type": "application/json" }).end('{"message":"not found"}');
  });
  const foreignPort = await listen(foreign);
  const cases = [
    [{ code: UNKNOWN_CODE }, 403, "unknown here, used or expired"],
    [{ code: UNKNOWN_CODE, centre: `http://127.0.0.1:${foreignPort}` }, 400, "cannot enrol sites (404)"],
    [{ code: UNKNOWN_CODE, centre: `http://127.0.0.1:${await freePort()}` }, 503, "no response from"],
    [{ code: UNKNOWN_CODE, centre: "dispecerat.example.ro" }, 400, "is not the address of a dispatch centre"],
    [{ code: UNKNOWN_CODE, ca: "hello" }, 400, "the certificate of the authority cannot be used"],
    [{ code: "" }, 400, "code"],
  ] as const;
  for (const [order, status, text] of cases) {
    const answer = await enrol(order);
    expect([order, answer.status, answer.body.message]).toEqual([
      order,
      status,
      expect.stringContaining(text),
    ]);
    expect(answer.body.message).not.toContain("--");
  }
  await close(foreign);
  expect(content()).toBe(before);
});

test("a code enrols the site, also after a lost response, and its trips are at the centre", async () => {
  const before = content();
  const order = { code: await code() };
  let lost = 0;
  line.faultFor = ({ path }) => {
    if (path !== "/enrolments/claim" || lost > 0) return undefined;
    lost += 1;
    return LINE_FAULTS["the connection is reset after the request is applied, before the response"];
  };
  const first = await enrol(order);
  expect([lost, first.status]).toEqual([1, 503]);
  expect(content()).toBe(before);

  const { status, body } = await enrol(order);
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      state: "applied",
      site: "hala-nord",
      objectives: ["obiective/cladiri/2"],
      zonesOutside: ["roof"],
    }),
  ]);
  const passwordFile = join(installation.folder, "site", "secrets", "enrolled.password");
  expect(statSync(passwordFile).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(body)).not.toContain(readFileSync(passwordFile, "utf8").trim());
  const section = [
    "upstream:",
    `  baseUrl: "${address}"`,
    '  email: "hala-nord@sites.santinela.local"',
    `  passwordFile: ${JSON.stringify(passwordFile)}`,
  ].join("\n");
  expect(content()).toBe(before.replace("# upstream: none (standalone)", section));

  await askDaemon(join(installation.folder, "site"), "POST", "/site/simulate", {
    zone: "gate",
    contact: "open",
  });
  const [trip] = await eventually("the trip at the dispatch centre", async () => {
    const found = await interventionsOf(centre);
    return found.length > 0 && found;
  });
  expect(trip).toMatchObject({ objectiveId: 2, status: "planned" });
});

test("an enrolled site stays with its centre: a stolen session cannot send alarms elsewhere", async () => {
  const before = content();
  expect(await view()).toMatchObject({ centre: address, obstacle: "has-centre" });
  const { status, body } = await enrol({
    code: await code({ transfer: true }),
    centre: "http://127.0.0.1:9",
  });
  expect([status, body.message]).toEqual([409, expect.stringContaining("this site has a dispatch centre")]);
  expect(content()).toBe(before);
});

test("where the owner keeps the configuration to the file, the panel cannot enrol", async () => {
  const kept = installation.daemon("kept", SITE.replace(", configuration: panel", ""));
  await kept.addAccount(ADMINISTRATOR, "administrator");
  const folder = join(installation.folder, "kept");
  await kept.start();
  const order = { centre: address, code: UNKNOWN_CODE };
  const { status, value } = await askDaemon(folder, "POST", "/site/enrolment", order);
  expect([status, value]).toEqual([
    409,
    expect.objectContaining({
      message: expect.stringContaining("http.configuration is file-only") as string,
    }),
  ]);
  expect(await kept.get<EnrolmentView>("/site/enrolment")).toMatchObject({ obstacle: "file-only" });

  // Such a site that has a centre does not say that it has none.
  installation.secret("upstream.password", "not needed");
  const upstream = `upstream: { baseUrl: "${address}", email: kept@example.ro, passwordFile: ./upstream.password }\n`;
  const has = installation.daemon("has", `${SITE.replace(", configuration: panel", "")}${upstream}`);
  await has.start();
  const view = await has.get<EnrolmentView>("/site/enrolment");
  expect(view).toMatchObject({ centre: address, obstacle: "has-centre" });
});

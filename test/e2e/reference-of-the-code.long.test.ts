import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EnrolmentCode, SiteView } from "../../src/generated/types.ts";
import type { EnrolmentResult, EnrolmentView } from "../../src/site/configuration-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";
import { LINE_FAULTS } from "../support/line-faults.ts";

/* A site has a random reference until it is enrolled: the dispatch centre cannot know it, so the site takes that of its code. */

const RANDOM = "site-9f2c41a07b";
const SITE = `# Hala de test
site:
  ref: ${RANDOM} # short and unique
  name: Hala Est
http: { port: 0, configuration: panel }
mqtt: off
gpio: { backend: simulated }
zones:
  - { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } }
`;

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
let line: FaultProxy;
let address: string;

beforeAll(async () => {
  installation = new Installation();
  centre = installation.daemon(
    "centre",
    `site: { ref: centre, locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(4)}`,
  );
  line = new FaultProxy((await centre.start()).httpPort);
  address = `http://127.0.0.1:${await line.start()}`;
  site = installation.daemon("site", SITE);
  await site.start();
});
afterAll(async () => {
  await installation.remove();
  await line.stop();
});

async function ask<T>(
  name: string,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<[number, T]> {
  const { status, value } = await askDaemon(join(installation.folder, name), method, path, body);
  return [status, value as T];
}

async function codeFor(reference: string): Promise<string> {
  const invitation = { site: reference, objectives: ["obiective/cladiri/2"] };
  const [, { code }] = await ask<EnrolmentCode>("centre", "POST", "/enrolments", invitation);
  return code;
}

const enrol = (code: string) =>
  ask<EnrolmentResult & { message: string }>("site", "POST", "/site/enrolment", { centre: address, code });
const content = (): string => readFileSync(join(installation.folder, "site.yaml"), "utf8");
const status = () => site.get<StatusView>("/site/status");

test("a new site takes the reference of its code without a restart, also after a lost response", async () => {
  expect(await site.get<EnrolmentView>("/site/enrolment")).toMatchObject({
    site: RANDOM,
    takesReference: true,
  });
  const code = await codeFor("hala-est");
  const before = content();
  let lost = 0;
  line.faultFor = ({ path }) => {
    if (path !== "/enrolments/claim" || lost > 0) return undefined;
    lost += 1;
    return LINE_FAULTS["the connection is reset after the request is applied, before the response"];
  };
  expect((await enrol(code))[0]).toBe(503);
  expect([lost, content()]).toEqual([1, before]);

  const [answer, result] = await enrol(code);
  expect([answer, result]).toEqual([200, expect.objectContaining({ state: "applied", site: "hala-est" })]);
  expect(content()).toContain("site:\n  ref: hala-est # short and unique\n  name: Hala Est\n");
  expect(content()).toContain('  email: "hala-est@sites.santinela.local"\n');
  const { site: shown, conditions } = await status();
  expect(shown.ref).toBe("hala-est");
  expect(conditions.map(({ code: name }) => name)).not.toContain("restart-needed");
});

test("its trips and its reports arrive under that reference, which it keeps after a restart", async () => {
  await ask("site", "POST", "/site/simulate", { zone: "gate", contact: "open" });
  const [trip] = await eventually("the trip at the dispatch centre", async () => {
    const found = await interventionsOf(centre);
    return found.length > 0 && found;
  });
  expect(trip?.notes).toContain("[ref:hala-est-");
  await eventually("the first report", async () => {
    const sites = await centre.get<SiteView[]>("/sites");
    return sites.map(({ report }) => report.ref).join() === "hala-est";
  });
  await site.end("SIGTERM");
  await site.start();
  expect((await status()).site.ref).toBe("hala-est");
});

test("a site with records at a centre keeps its reference: a code for another one is refused", async () => {
  const file = join(installation.folder, "site.yaml");
  writeFileSync(file, content().replace(/^upstream:\n(?: {2}.*\n)+/m, ""));
  expect((await ask("site", "POST", "/site/reload"))[0]).toBe(200);
  expect(await site.get<EnrolmentView>("/site/enrolment")).toMatchObject({
    site: "hala-est",
    centre: null,
    takesReference: false,
  });
  const before = content();
  const [answer, { message }] = await enrol(await codeFor("hala-vest"));
  expect([answer, message]).toEqual([
    403,
    expect.stringContaining("the one-time code is for site hala-vest and not for hala-est"),
  ]);
  expect(content()).toBe(before);
});

test("a change that is cut off is taken back; the same code enrols the site again, whose alarm is there once", async () => {
  const other = installation.daemon("other", SITE.replace(RANDOM, "site-0123456789"));
  await other.start();
  const file = join(installation.folder, "other.yaml");
  const before = readFileSync(file, "utf8");
  await ask("other", "POST", "/site/simulate", { zone: "gate", contact: "open" });
  const order = { centre: address, code: await codeFor("hala-sud") };
  const lost = LINE_FAULTS["the connection is reset after the request is applied, before the response"];
  let cuts = 0;
  // While the change is on trial, a record is sent with the reference of the code.
  line.faultFor = ({ method, path }) => {
    if (method !== "POST" || path !== "/interventii" || cuts > 0) return undefined;
    cuts += 1;
    return async (exchange) => {
      await lost(exchange);
      process.kill(other.pid ?? 0, "SIGKILL");
    };
  };
  await expect(ask("other", "POST", "/site/enrolment", order)).rejects.toThrow();
  await other.exited();
  await other.start();
  expect([cuts, readFileSync(file, "utf8")]).toEqual([1, before]);
  expect(await other.get<EnrolmentView>("/site/enrolment")).toMatchObject({
    site: "site-0123456789",
    takesReference: false,
  });

  const [answer, result] = await ask<EnrolmentResult>("other", "POST", "/site/enrolment", order);
  expect([answer, result]).toEqual([200, expect.objectContaining({ state: "applied", site: "hala-sud" })]);
  await eventually("nothing to send", async () => {
    const { outbox, link } = await other.get<StatusView>("/site/status");
    return outbox.waiting === 0 && link.state === "up";
  });
  const there = await interventionsOf(centre);
  expect(there.filter(({ notes }) => notes?.includes("[ref:hala-sud-") === true)).toHaveLength(1);
  expect(there.filter(({ notes }) => notes?.includes("[ref:site-0123456789-") === true)).toEqual([]);
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { SafeModeServer } from "../../src/http/safe-mode.ts";
import { TestApp } from "../support/app.ts";
import { TestAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { exchangesOf, HTTP_REQUESTS, resetAll } from "../support/reset-exchanges.ts";
import { ServedApp } from "../support/served-app.ts";

/*
 * Clients that reset connections at every stage of an exchange, once each. test/e2e/resets.long.test.ts repeats this at every port
 * of the built daemon.
 */

/** What would have ended a process or a thread. */
let uncaught: unknown[];
const note = (error: unknown): void => void uncaught.push(error);
beforeEach(() => {
  uncaught = [];
  process.on("uncaughtException", note);
});
afterEach(() => {
  process.off("uncaughtException", note);
});

const EXCHANGES = exchangesOf(HTTP_REQUESTS);

test.each([
  ["over plain HTTP", false],
  ["over TLS", true],
])("the local API responds after clients have reset connections at every stage %s", async (_what, tls) => {
  const authority = await TestAuthority.make();
  const site = await TestApp.forTest();
  const served = new ServedApp(site, tls ? { tls: await authority.sign("127.0.0.1") } : {});
  const { port } = (await served.start()).server.address;
  await resetAll({ port, tls }, EXCHANGES, 1);
  await eventually("no connection", () => served.server.use.open === 0);
  expect((await fetch(`http://127.0.0.1:${served.server.loopbackPort}/site/setup`)).status).toBe(200);
  await served.stop();
  authority.remove();
  expect(uncaught).toEqual([]);
});

test("the page with the configuration errors is there after clients have reset connections at every stage", async () => {
  const server = new SafeModeServer(() => "site.yaml:1:1: htpp: unknown option", []);
  const { port } = await server.start("127.0.0.1", 0);
  await resetAll({ port, tls: false }, EXCHANGES, 1);
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { Accept: "text/html" } });
  expect(await page.text()).toContain("site.yaml:1:1");
  await server.stop();
  expect(uncaught).toEqual([]);
});

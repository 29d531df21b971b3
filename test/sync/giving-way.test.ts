import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { close, listen } from "../support/loopback.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/*
 * Re-checks of records must not delay new ones. The application is the dispatch centre; it receives no keys,
 * like one that does not support them.
 */

let centre: TestApp;
let server: Server;
let site: SyncingSite;
/** Requests to the dispatch centre in order. */
let asked: string[];
/** Called at each request before the response. */
let atRequest: (request: string) => void;

beforeEach(async () => {
  asked = [];
  atRequest = () => {};
  centre = await TestApp.forTest();
  server = createServer((request, response) => {
    delete request.headers["idempotency-key"];
    const words = `${request.method} ${request.url}`;
    asked.push(words);
    atRequest(words);
    centre.app(request, response);
  });
  site = new SyncingSite(await TestApp.make(), `http://127.0.0.1:${await listen(server)}`);
});
afterEach(async () => {
  await site.close();
  server.closeAllConnections();
  await close(server);
});

/** Creates a record at the first matching request, like a user at any time. */
function createAt(fits: (request: string) => boolean): void {
  atRequest = (request) => {
    if (!fits(request)) return;
    atRequest = () => {};
    asked.length = 0;
    site.create({ name: "New" });
    void site.push.cycle();
  };
}

test("a new record waits for one check of an old one, not for all", async () => {
  for (let number = 1; number <= 5; number += 1) site.create({ name: `Old ${number}` });
  await site.push.cycle();
  site.app.clock.advance(600_000);
  await site.push.cycleWithChecks();
  site.app.clock.advance(600_000);
  const isCheck = (request: string): boolean => /^GET \/interventii\/\d+$/.test(request);
  createAt(isCheck);
  await site.push.cycleWithChecks();
  const sent = asked.indexOf("POST /interventii");
  expect(asked.slice(0, sent).filter(isCheck)).toEqual([]);
  expect(asked.slice(sent).filter(isCheck)).toHaveLength(4);
});

test("a new record does not wait for the duplicate sweeps of hundreds", async () => {
  for (let number = 1; number <= 60; number += 1) site.create({ name: `Old ${number}` });
  await site.push.cycle();
  const last = centre.records().at(-1);
  if (!last) throw new Error("the centre has no record");
  const { id: _id, dispeceratId: _dispeceratId, invoicePdf: _invoicePdf, ...fields } = last;
  centre.interventions.create(fields, OPERATOR_USER);
  site.app.clock.advance(200_000);
  createAt((request) => request.startsWith("GET /interventii?"));
  await site.push.cycleWithChecks();
  const sent = asked.indexOf("POST /interventii");
  const removed = asked.findIndex((request) => request.startsWith("DELETE "));
  expect([sent >= 0, removed > sent]).toEqual([true, true]);
  expect(
    centre
      .records()
      .map(({ name }) => name)
      .filter((name) => name === last.name),
  ).toHaveLength(1);
});

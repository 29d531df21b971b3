import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ServedApp } from "../support/served-app.ts";

/* Clients that read nothing fill the memory for responses. The centre then rejects reports of sites, which are not silent. */

const SIGN_MS = 15_000;
/** A page is about 4 MB; 48 MB may be buffered, beyond what the kernel takes. */
const RECORDS = 1_000;
const SLOW_CLIENTS = 60;
const REPORT = { ref: "hala-nord", name: "Hala Nord", version: "0.1.0", upS: 60, level: "well" };

let centre: TestApp;
let served: ServedApp;
let token: string;
const clients: Socket[] = [];
beforeEach(async () => {
  centre = await TestApp.forTest();
  token = await centre.token();
  const limits = { connectionsMax: 500, connectionsPerAddressMax: 500 };
  served = await new ServedApp(centre, { limits }).start();
  const description = "x".repeat(3_900);
  for (let record = 0; record < RECORDS; record += 1)
    await centre.parts.records.create({ ...PATROL, description }, OPERATOR_USER);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await served.stop();
});

async function report(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${served.server.address.port}/site-reports`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Connection: "close" },
    body: JSON.stringify({ ...REPORT, at: Math.round(centre.clock.wallMs()) }),
  });
  await response.text();
  return response.status;
}

/** Since when the centre has missed no report. */
async function completeSinceMs(): Promise<number> {
  return (await centre.parts.fleet.reception({ silentMs: 600_000, signMs: SIGN_MS })).sinceMs;
}

test("a report that is rejected for want of memory is not the silence of its site", async () => {
  expect(await report()).toBe(204);
  centre.clock.advance(60_000);
  const before = await completeSinceMs();
  expect(before).toBeLessThan(centre.clock.wallMs());
  for (let number = 0; number < SLOW_CLIENTS; number += 1) {
    const client = connect(served.server.address.port, "127.0.0.1");
    client.pause();
    client.on("error", () => {});
    client.write(`GET /interventii HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    clients.push(client);
  }
  await eventually("a rejected report", async () => (await report()) === 503);
  expect(await completeSinceMs()).toBe(centre.clock.wallMs());
});

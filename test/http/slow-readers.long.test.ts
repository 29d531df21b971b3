import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ServedApp } from "../support/served-app.ts";

/* Clients that read nothing fill the memory for responses. Alarms and reports of others are accepted all the same. */

const SIGN_MS = 15_000;
/** A page is about 8 MB, more than the kernel takes for one connection; 48 MB may wait. */
const RECORDS = 1_000;
const REPORT = { ref: "hala-nord", name: "Hala Nord", version: "0.1.0", upS: 60, level: "well" };

let centre: TestApp;
let served: ServedApp;
let slow: string;
let other: string;
const clients: Socket[] = [];
beforeEach(async () => {
  centre = await TestApp.forTest();
  slow = await centre.token("operator");
  other = await centre.token("administrator");
  const limits = { connectionsMax: 500, connectionsPerAddressMax: 500 };
  served = await new ServedApp(centre, { limits }).start();
  const description = '"'.repeat(3_900);
  for (let record = 0; record < RECORDS; record += 1)
    await centre.parts.records.create({ ...PATROL, description }, OPERATOR_USER);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await served.stop();
});

async function post(path: string, body: object): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${served.server.address.port}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${other}`, "Content-Type": "application/json", Connection: "close" },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

/** Asks for a long list on one connection, this number of times, and reads nothing. */
function readNothing(token: string, lists = 1): Socket {
  const client = connect(served.server.address.port, "127.0.0.1");
  client.pause();
  client.on("error", () => {});
  client.write(
    `GET /interventii HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(lists),
  );
  clients.push(client);
  return client;
}

/** Since when the centre has missed no report. */
async function completeSinceMs(): Promise<number> {
  return (await centre.parts.fleet.reception({ silentMs: 600_000, signMs: SIGN_MS })).sinceMs;
}

async function slowConnectionsEnd(count: number): Promise<void> {
  await eventually("the connections with the most unsent bytes end", async () => {
    const report = { ...REPORT, at: Math.round(centre.clock.wallMs()) };
    expect([await post("/interventii", PATROL), await post("/site-reports", report)]).toEqual([201, 204]);
    return served.server.use.ended >= count;
  });
}

test("alarms and reports are accepted while another account reads nothing of many long lists", async () => {
  await slowConnectionsEnd(0);
  const before = await completeSinceMs();
  centre.clock.advance(60_000);
  for (let number = 0; number < 20; number += 1) readNothing(slow);
  await slowConnectionsEnd(10);
  // No site is late because of them.
  expect(await completeSinceMs()).toBe(before);
});

test("lists that wait behind another one on their connection count too", async () => {
  for (let number = 0; number < 5; number += 1) readNothing(slow, 4);
  await slowConnectionsEnd(3);
});

test("a user who reads one list slowly keeps the connection: those of the account with the most end", async () => {
  const own = readNothing(other);
  let [received, hasEnded] = [0, false];
  own.once("close", () => (hasEnded = true));
  own.on("data", (chunk) => (received += chunk.length));
  own.once("data", () => own.pause());
  own.resume();
  await eventually("its first part arrives", () => received > 0);
  for (let number = 0; number < 20; number += 1) readNothing(slow);
  await slowConnectionsEnd(10);
  expect(hasEnded).toBe(false);
  own.resume();
  await eventually("the rest of it arrives", () => received > 7_800_000);
});

import { beforeEach, expect, test } from "vitest";
import { PATROL, TestApp } from "../support/app.ts";
import { enrolled } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";

/* A device that was stolen writes as fast as it can with the account of its site. */

let centre: TestApp;
let stolen: string;
let other: string;
let url: string;
beforeEach(async () => {
  centre = await TestApp.forTest();
  stolen = await enrolled(centre, "hala-nord", ["obiective/cladiri/1"]);
  other = await enrolled(centre, "hala-sud", ["obiective/cladiri/1"]);
  url = `http://127.0.0.1:${await centre.listen()}`;
});

async function ask(method: string, path: string, body?: object, token = stolen): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response;
}

async function post(path: string, body: object, token = stolen): Promise<number> {
  return (await ask("POST", path, body, token)).status;
}

/** Deletes records that do not exist, which counts as any other write. @returns how many were not rejected */
async function writes(count: number): Promise<number> {
  let accepted = 0;
  for (let left = count; left > 0; left -= 1) {
    const { status } = await ask("DELETE", "/interventii/999999");
    accepted += status === 404 ? 1 : 0;
  }
  return accepted;
}

/** @returns the path of the created record */
async function created(priority: string): Promise<string> {
  const response = await ask("POST", "/interventii", { ...PATROL, priority });
  return response.headers.get("location") ?? "";
}

test("a site that writes too often is slowed down: its alarms, its reports and all other sites are not", async () => {
  expect(await writes(4_010)).toBe(4_000);
  const rejected = await ask("POST", "/interventii", PATROL);
  expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(centre.raised).toContain("site-writes-limited hala-nord");
  const alarm = { ...PATROL, priority: "high" };
  const report = { ...REPORT, at: Math.round(centre.clock.wallMs()) };
  expect(await post("/interventii", alarm)).toBe(201);
  expect(await post("/site-reports", report)).toBe(204);
  expect(await post("/interventii", PATROL, other)).toBe(201);
  expect(await post("/interventii", PATROL, await centre.token())).toBe(201);
  centre.clock.advance(60_000);
  // Two per second; the alarm has taken one.
  expect(await writes(150)).toBe(119);
});

test("a site that writes too often still adds further trips to its alarms, and nothing else to other records", async () => {
  const [alarm, patrol] = [await created("high"), await created("low")];
  const change = async (path: string, body: object) => (await ask("PUT", path, body)).status;
  expect(await writes(3_998)).toBe(3_998);
  expect(await change(alarm, { notes: "magazie: deschis" })).toBe(200);
  expect(await change(patrol, { notes: "poarta: deschis" })).toBe(429);
  expect(await change(patrol, { priority: "high" })).toBe(200);
  expect(await change(alarm, { priority: "low" })).toBe(429);
});

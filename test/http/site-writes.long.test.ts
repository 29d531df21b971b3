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

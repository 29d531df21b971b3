import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { eventually } from "../support/eventually.ts";
import { LeftInstallation, type LeftTrip } from "./left-installation.ts";

/** Data of 0.1.0, in which the safe has tripped; a second zone of its objective has not. */
const LEFT = fileURLToPath(new URL("0.1.0/killed.tar.br", import.meta.url));
const SECOND =
  "  - { id: safe-motion, name: Mișcare seif, kind: motion, objective: { type: obiective/cladiri, id: 7 }, input: { simulated: true } }\n";

let left: LeftInstallation;
beforeEach(() => {
  left = new LeftInstallation(LEFT);
  const file = join(left.folder, "site.yaml");
  const text = readFileSync(file, "utf8").replace("incidentWindowS: 60", "incidentWindowS: 600");
  writeFileSync(file, text.replace(/^zones:\n/m, `zones:\n${SECOND}`));
  const agoMs = 60_000;
  left.change(
    "site/journal.db",
    `UPDATE incidents SET last_wall = ${Date.now() - agoMs} WHERE subject = 'obiective/cladiri/7';
     UPDATE trips SET at_wall = ${Date.now() - agoMs} WHERE zone_id = 'safe'`,
  );
});
afterEach(() => left.remove());

/** The records of the safe, once each trip has become one or has joined one. */
async function recordsOfSafe(): Promise<Intervention[]> {
  await eventually("no trip to wait", async () => {
    const trips = await left.site.get<LeftTrip[]>("/site/trips?limit=1000");
    return trips.every(({ state }) => state !== "waiting");
  });
  const records = await left.site.get<Intervention[]>("/interventii");
  return records.filter(({ objectiveId }) => objectiveId === 7);
}

const CONFIRMED = { name: expect.stringContaining("Ușa seifului") as string, police: true, crews: 2 };

test("a second zone that trips after the upgrade confirms the incident that 0.1.0 has opened", async () => {
  await left.startSite();
  await left.site.run(["trip", "--zone", "safe-motion"]);
  const records = await recordsOfSafe();
  expect(records).toEqual([expect.objectContaining(CONFIRMED)]);
  expect(records[0]?.notes).toContain("Mișcare seif");
});

test("the zone that has opened the incident confirms nothing when it opens again, and its restore is noted", async () => {
  await left.startSite();
  await left.site.run(["trip", "--zone", "safe"]);
  await left.site.run(["trip", "--zone", "safe", "--restore"]);
  expect(await recordsOfSafe()).toEqual([expect.objectContaining({ police: false, crews: 1 })]);
  const notes = await eventually("the restore in the notes", async () => {
    const [record] = await recordsOfSafe();
    return record?.notes?.includes("restabilită") ? record.notes : undefined;
  });
  expect(notes).toMatch(/Ușa seifului ×2/);
});

test.each([
  ["decided to join it", "key"],
  ["did not decide yet", "NULL"],
])("a second zone whose trip was waiting when 0.1.0 ended, which %s, confirms it", async (_, incident) => {
  left.change(
    "site/journal.db",
    `INSERT INTO trips(key, zone_id, source, about, cause, subject, at_wall, boot, at_monotonic, dated, body, line,
         confirmed, state, incident)
       SELECT '01a209b7-8888-7a6f-9a5e-4f4ec2f2fa60', 'safe-motion', source, about, cause, subject, at_wall + 1000, boot,
         at_monotonic + 1000, dated, replace(body, 'Ușa seifului', 'Mișcare seif'), '18:42:29 Mișcare seif', confirmed,
         'waiting', ${incident}
       FROM trips WHERE zone_id = 'safe'`,
  );
  await left.startSite();
  expect(await recordsOfSafe()).toEqual([expect.objectContaining(CONFIRMED)]);
});

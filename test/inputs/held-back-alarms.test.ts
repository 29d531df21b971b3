import { expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import { resolveProfiles, resolveZone } from "../../src/domain/zone-rules.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/* Regressions in which a valid alarm was delayed or missing in a text. */

const HALL = { type: "obiective/cladiri", id: 1 } as const;
const ANA = { who: "ana@example.ro", from: "192.0.2.7" };

let site: DispatchingSite;

async function make(...zones: readonly (Partial<ZoneOptions> & Pick<ZoneOptions, "id">)[]): Promise<void> {
  site = await DispatchingSite.make(
    zones.map((zone) => zoneOf({ input: { simulated: true }, objective: HALL, ...zone })),
  );
}

test("a record that always gets 500 does not delay the next smoke detector", async () => {
  await make({ id: "a", name: "Smoke a", kind: "fire" }, { id: "b", name: "Smoke b", kind: "fire" });
  await site.trip("a");
  site.intercept = ({ method }, response) => {
    if (method === "POST") return false;
    response.writeHead(500).end('{"message":"on purpose"}');
    return true;
  };
  site.zones.monitor.read("b", "open", { live: true });
  await site.until(() => {
    site.zones.clock.advance(60_000);
    site.requestDispatch();
    return site.records.length === 2;
  });
  expect(site.records[1]).toMatchObject({ name: "Alarm, fire: Smoke b", firetruck: true });
});

test("a smoke detector with more openings than are recorded is not restored by an earlier closing", async () => {
  await make({ id: "smoke", name: "Smoke", kind: "fire" });
  for (let opening = 0; opening < 25; opening += 1)
    for (const contact of ["normal", "open"] as const)
      site.zones.monitor.read("smoke", contact, { live: true });
  await site.pass(10_000);
  // The other record is for the zone that floods the journal.
  const fires = () => site.records.filter(({ firetruck }) => firetruck);
  expect(fires()).toHaveLength(1);
  expect(fires()[0]?.notes).toMatch(/^23:30 Smoke ×\d+$/);
  expect(site.zones.trips.at(-1)).toMatchObject({ cause: "standing", state: "merged" });
  site.change(fires()[0]?.id ?? 0, { status: "done" });
  await site.pass(1_000_000);
  await site.pass(1_000_000);
  expect(fires()).toHaveLength(2);
});

test("a smoke detector with an open retained value trips with its first live message", async () => {
  await make({ id: "smoke", name: "Smoke", kind: "fire" });
  site.zones.monitor.read("smoke", "open", { live: false });
  await site.pass(10_000);
  expect([site.records.length, site.zones.conditions]).toEqual([0, ["zone-open/smoke"]]);
  for (let message = 0; message < 3; message += 1) site.zones.monitor.read("smoke", "open", { live: true });
  await site.pass(10_000);
  expect([site.records.length, site.zones.conditions]).toEqual([1, []]);
});

test("a detector in alarm trips at once at the end of its bypass, although its intervention is done", async () => {
  await make({ id: "smoke", name: "Smoke", kind: "fire" });
  await site.trip("smoke");
  site.change(1, { status: "done" });
  await site.pass(10_000);
  site.zones.zoneService.zoneOverrides.bypass("smoke", { reason: "dust", minutes: 2 }, ANA);
  await site.pass(130_000);
  expect(site.records).toHaveLength(2);
});

test("a name with a character that the contract does not allow is cleaned and sent", async () => {
  await make({ id: "door", name: "Door \u0096 left\u0085" });
  await site.trip("door");
  expect(site.dispositions).toEqual(["posted"]);
  expect(site.records[0]?.name).toBe("Alarm, intrusion: Door  left");
});

test("a profile without the zone in its texts has the line of the zone in the notes", async () => {
  const profile = {
    priority: "high",
    name: "Alarm at {objective.name}",
    description: "Call the guard.",
  } as const;
  const zone = resolveZone(
    {
      id: "door",
      name: "Door",
      kind: "intrusion",
      objective: HALL,
      input: { simulated: true },
      profile: "own",
    },
    resolveProfiles({ own: profile }),
  );
  if (!zone) throw new Error("the zone is not to be resolved");
  site = await DispatchingSite.make([zone]);
  await site.trip("door");
  expect(site.records).toMatchObject([{ description: "Call the guard.", notes: "23:30 Door" }]);
  site.zones.clock.advance(60_000);
  await site.trip("door");
  expect(site.records).toMatchObject([{ notes: "23:30 Door ×2 → 23:31" }]);
});

test("an entry delay that ends in a failed commit ends again", async () => {
  await make({ id: "door", name: "Door", entryDelayS: 30 });
  site.zones.monitor.read("door", "normal", { live: true });
  site.zones.monitor.read("door", "open", { live: true });
  const { journal } = site.zones;
  const lost = journal.groupCommit(() => {
    site.zones.clock.advance(31_000);
    site.zones.breakJournal();
    throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  });
  await expect(lost).rejects.toThrow(/full/);
  site.zones.repairJournal();
  await site.pass(5_000);
  expect(site.records).toHaveLength(1);
});

test("a closing that is noted late leaves no condition", async () => {
  await make({ id: "door", name: "Door" });
  await site.trip("door");
  let refusals = 4;
  site.intercept = ({ method }, response) => {
    if (method === "POST" || refusals === 0) return false;
    refusals -= 1;
    response.writeHead(503).end();
    return true;
  };
  site.zones.monitor.read("door", "normal", { live: true });
  await site.until(() => {
    site.zones.clock.advance(60_000);
    site.requestDispatch();
    return site.zones.restores.at(-1)?.state === "merged";
  });
  await site.until(() => site.zones.conditions.length === 0);
  expect(site.records[0]?.notes).toMatch(/restored/);
});

test("a restore that stays in the journal has its reason, or is tried again, whenever the disk refuses", async () => {
  await make({ id: "smoke", name: "Smoke", kind: "fire" });
  await site.trip("smoke");
  site.change(1, { status: "done" });
  const { database, journal } = site.zones;
  database.exec(
    `CREATE TEMP TRIGGER refused BEFORE UPDATE OF reason ON trips WHEN NEW.about = 'restore' BEGIN SELECT raise(ABORT, 'on purpose'); END`,
  );
  let attempts = 0;
  site.intercept = ({ method }) => void (attempts += Number(method === "GET"));
  site.zones.monitor.read("smoke", "normal", { live: true });
  site.zones.clock.advance(60_000);
  await site.until(() => {
    site.requestDispatch();
    return attempts > 1;
  });
  const pending = journal.restores.nextPending(0);
  expect(pending).toBeDefined();
  expect(journal.restores.nextPending(pending?.seq ?? 0)).toBeUndefined();
  database.exec("DROP TRIGGER refused");
  await site.settled();
  expect(site.zones.restores.at(-1)).toMatchObject({ reason: "intervention 1 is done or deleted" });
});

import { describe, expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { gateIdOf, zoneOf } from "../support/monitored-zones.ts";
import { AlarmTrips } from "../../src/store/alarm-trips.ts";
import { isDamage } from "../../src/store/integrity.ts";
import { onRollback } from "../../src/store/transaction.ts";

const ANA = { who: "ana@example.ro", from: "192.0.2.7" };
const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
const GATE = gateIdOf(KEY);
const HALL = { type: "obiective/cladiri", id: 1 } as const;
const simulated = { simulated: true } as const;
const MINUTE_MS = 60_000;
/** Longer than the maximum time until an opening is reported. */
const TOLD_MS = 5_000;

let site: DispatchingSite;

async function make(...zones: readonly (Partial<ZoneOptions> & Pick<ZoneOptions, "id">)[]): Promise<void> {
  site = await DispatchingSite.make(
    zones.map((zone) => zoneOf({ input: simulated, objective: HALL, swinger: false, ...zone })),
  );
}

function opens(zoneId: string): void {
  for (const contact of ["normal", "open"] as const) site.zones.monitor.read(zoneId, contact, { live: true });
}

const names = (): string[] => site.records.map(({ name }) => name);

describe("a smoke detector in alarm", () => {
  test("trips at once at the end of a walk test, with the time of its opening", async () => {
    await make({ id: "smoke", name: "Smoke", kind: "fire" });
    site.zones.zoneService.zoneOverrides.walkTests.begin(10, ANA);
    opens("smoke");
    await site.pass(10 * MINUTE_MS);
    await site.pass(TOLD_MS);
    expect(site.records).toMatchObject([{ name: "Alarm, fire: Smoke", firetruck: true }]);
    expect(site.records[0]?.description).toMatch(/still open at .*, open since 2026-11-20 23:30:00\.$/);
    expect(site.zones.trips.map(({ cause, state }) => [cause, state])).toEqual([
      ["edge", "test"],
      ["standing", "posted"],
    ]);
  });

  test.each(["expires", "is ended by a technician"])("trips at once when its bypass %s", async (how) => {
    await make({ id: "smoke", name: "Smoke", kind: "fire" });
    site.zones.zoneService.zoneOverrides.bypass("smoke", { reason: "dust", minutes: 10 }, ANA);
    opens("smoke");
    if (how === "is ended by a technician") site.zones.zoneService.zoneOverrides.restore("smoke", ANA);
    else await site.pass(10 * MINUTE_MS);
    await site.pass(TOLD_MS);
    expect(names()).toEqual(["Alarm, fire: Smoke"]);
  });

  test("has a condition at once after its intervention is done, and trips again after a quarter of an hour", async () => {
    await make({ id: "smoke", name: "Smoke", kind: "fire" });
    opens("smoke");
    await site.settled();
    await site.pass(MINUTE_MS);
    site.change(1, { status: "done" });
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual(["zone-open/smoke"]);
    await site.pass(899_000 - TOLD_MS);
    expect(names()).toHaveLength(1);
    await site.pass(2 * TOLD_MS);
    expect(names()).toEqual(["Alarm, fire: Smoke", "Alarm, fire: Smoke"]);
    expect(site.zones.conditions).toEqual([]);
  });

  test("trips again a quarter of an hour after its intervention is done, also across a restart", async () => {
    await make({ id: "smoke", name: "Smoke", kind: "fire" });
    opens("smoke");
    await site.settled();
    site.change(1, { status: "done" });
    await site.pass(600_000);
    await site.restart();
    await site.pass(299_000);
    expect(names()).toHaveLength(1);
    await site.pass(2 * TOLD_MS);
    expect(names()).toHaveLength(2);
  });

  test("is never gated, delayed or shut down", async () => {
    await make({ id: "smoke", kind: "fire", gate: KEY, entryDelayS: 45, swinger: { maxTrips: 1 } });
    site.zones.monitor.setGate(GATE, "closed");
    for (let trip = 0; trip < 25; trip += 1) {
      opens("smoke");
      await site.pass(31 * MINUTE_MS);
    }
    expect(new Set(site.dispositions)).toEqual(new Set(["posted"]));
  });
});

describe("a window that is open at arming", () => {
  const WINDOWS = ["a", "b"].map((id) => ({ id, name: `Window ${id}`, gate: KEY }));

  test("is listed with the others in one record, once for each arming", async () => {
    await make(...WINDOWS, { id: "c", name: "Window c", gate: KEY });
    site.zones.monitor.setGate(GATE, "closed");
    opens("a");
    await site.pass(MINUTE_MS);
    opens("b");
    await site.pass(MINUTE_MS);
    expect(site.records).toEqual([]);
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(TOLD_MS);
    expect(site.records).toMatchObject([
      {
        name: "Armed with 2 zones open",
        type: "inspection",
        priority: "medium",
        description:
          "At 2026-11-20 23:32:00, when the zones were armed or returned to service, these were open:\n" +
          "Window a (a, intrusion), open since 2026-11-20 23:30:00\n" +
          "Window b (b, intrusion), open since 2026-11-20 23:31:00",
        notes: null,
      },
    ]);
    const [first, second] = site.zones.trips.slice(-2);
    expect([first?.incident, second?.incident]).toEqual([first?.key, first?.key]);
    await site.pass(8 * 60 * MINUTE_MS);
    expect(names()).toHaveLength(1);
    site.change(1, { status: "done" });
    await site.pass(60 * MINUTE_MS);
    expect(names()).toHaveLength(1);
    expect(site.zones.conditions).toEqual(["zone-open/a", "zone-open/b"]);
    site.zones.monitor.setGate(GATE, "closed");
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual([]);
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(TOLD_MS);
    expect(names()).toEqual(["Armed with 2 zones open", "Armed with 2 zones open"]);
  });

  test("and whose record is rejected keeps its condition while its trip is accepted", async () => {
    await make(...WINDOWS);
    site.intercept = ({ method }, response) => {
      if (method !== "POST") return;
      response.writeHead(400, { "Content-Type": "application/json" });
      response.end('{"message":"no inspections here"}');
      return true;
    };
    site.zones.monitor.setGate(GATE, "closed");
    opens("a");
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(TOLD_MS);
    site.intercept = () => {};
    opens("a");
    site.requestDispatch();
    await site.until(() => site.dispositions.at(-1) === "posted");
    expect(site.dispositions).toEqual(["gated", "refused", "posted"]);
    expect(site.zones.conditions).toEqual(["trip-refused/a"]);
    await site.restart();
    opens("a");
    await site.settled();
    expect(site.zones.conditions).toEqual([]);
  });

  test("is noted in that record when it closes, and trips when it opens again", async () => {
    await make(...WINDOWS);
    site.zones.monitor.setGate(GATE, "closed");
    opens("a");
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(MINUTE_MS);
    site.zones.monitor.read("a", "normal", { live: true });
    await site.pass(MINUTE_MS);
    expect(site.records).toMatchObject([
      { notes: "23:30 Window a (open since 2026-11-20 23:30), restored 23:31" },
    ]);
    opens("a");
    await site.settled();
    expect(names()).toEqual(["Armed with 1 zone open", "Alarm, intrusion: Window a"]);
  });

  test.each([
    ["", async () => site.settled()],
    [", also after a power cut before they were all dispatched", async () => site.powerCut(MINUTE_MS)],
    [
      " that an earlier version has listed",
      async () => {
        await site.settled();
        site.zones.database.exec("UPDATE trips SET incident = NULL WHERE state = 'merged'");
      },
    ],
  ])("is noted there with each of the others as it closes%s", async (_what, happens) => {
    await make(...WINDOWS, { id: "c", name: "Window c", gate: KEY });
    site.zones.monitor.setGate(GATE, "closed");
    for (const id of ["a", "b", "c"]) opens(id);
    site.zones.monitor.setGate(GATE, "open");
    site.zones.clock.advance(TOLD_MS);
    await happens();
    await site.settled();
    for (const id of ["c", "a", "b"]) {
      site.zones.monitor.read(id, "normal", { live: true });
      await site.settled();
    }
    expect(names()).toEqual(["Armed with 3 zones open"]);
    const lines = (site.records[0]?.notes ?? "").split("\n");
    expect(
      lines
        .map((line) => /Window (\w) .*restored/.exec(line)?.[1])
        .toSorted((a, b) => String(a).localeCompare(String(b))),
    ).toEqual(["a", "b", "c"]);
    expect(site.zones.restores.map(({ state, interventionId }) => [state, interventionId])).toEqual(
      Array.from({ length: 3 }, () => ["merged", 1]),
    );
  });

  test("trips, or only has a condition, if configured", async () => {
    await make(
      { id: "a", name: "Window a", gate: KEY, whenArmedOpen: "trip" },
      { id: "b", name: "Window b", gate: KEY, whenArmedOpen: "condition" },
    );
    site.zones.monitor.setGate(GATE, "closed");
    opens("a");
    opens("b");
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(TOLD_MS);
    expect(names()).toEqual(["Alarm, intrusion: Window a"]);
    expect(site.zones.conditions).toEqual(["zone-open/b"]);
    site.change(1, { status: "done" });
    await site.pass(60 * MINUTE_MS);
    expect(names()).toHaveLength(1);
    expect(site.zones.conditions).toEqual(["zone-open/b", "zone-open/a"]);
  });

  test("is listed by the next start after a power cut", async () => {
    await make(...WINDOWS);
    site.zones.monitor.setGate(GATE, "closed");
    opens("a");
    await site.powerCut(MINUTE_MS);
    await site.pass(MINUTE_MS);
    // The arming condition is unknown before the first reading of its key switch.
    expect(site.records).toEqual([]);
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(TOLD_MS);
    expect(names()).toEqual(["Armed with 1 zone open"]);
  });
});

describe("an open door", () => {
  test("is listed at the end of its bypass", async () => {
    await make({ id: "door", name: "Door" });
    site.zones.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 10 }, ANA);
    opens("door");
    await site.pass(10 * MINUTE_MS + TOLD_MS);
    expect(names()).toEqual(["Armed with 1 zone open"]);
  });

  test.each(["done", "deleted"])("is listed once after its intervention was %s", async (end) => {
    await make({ id: "door", name: "Door" });
    opens("door");
    await site.settled();
    if (end === "done") site.change(1, { status: "done" });
    else site.app.interventions.delete(1, OPERATOR_USER);
    await site.pass(TOLD_MS);
    const record = site.records.at(-1);
    expect(record).toMatchObject({
      name: "Still open after the alarm: 1 zone",
      type: "inspection",
      description: expect.stringMatching(
        /^At 2026-11-20 23:30:0\d, after their intervention was done or deleted, these zones were still open:\nDoor \(door/,
      ),
    });
    expect(site.zones.trips.at(-1)).toMatchObject({ type: "standing", signal: { isAfterAlarm: true } });
    // The inspection is not an alarm.
    expect(new AlarmTrips(site.zones.database).last()).toBe(site.zones.trips[0]?.key);
    site.change(record?.id ?? 0, { status: "done" });
    await site.pass(60 * MINUTE_MS);
    expect(site.records.at(-1)?.id).toBe(record?.id);
    expect(site.zones.conditions).toEqual(["zone-open/door"]);
  });

  test("is listed apart from a window that was open at arming in the same moment", async () => {
    await make({ id: "door", name: "Door" }, { id: "window", name: "Window", gate: KEY });
    site.zones.monitor.setGate(GATE, "closed");
    opens("door");
    opens("window");
    await site.settled();
    site.change(1, { status: "done" });
    site.zones.monitor.setGate(GATE, "open");
    await site.pass(TOLD_MS);
    expect(names().slice(1).toSorted()).toEqual([
      "Armed with 1 zone open",
      "Still open after the alarm: 1 zone",
    ]);
  });

  test("is listed at the end of its swinger shutdown", async () => {
    await make({ id: "door", name: "Door", swinger: { maxTrips: 1, resetAfterQuietS: 3600 } });
    opens("door");
    await site.settled();
    site.change(1, { status: "done" });
    site.zones.monitor.read("door", "normal", { live: true });
    opens("door");
    await site.pass(TOLD_MS);
    expect(site.dispositions).toContain("swinger");
    await site.pass(3_700_000);
    expect(names()).toContain("Armed with 1 zone open");
  });

  test("is still in its intervention after it was renamed", async () => {
    const door = { id: "door", name: "Door" };
    await make(door);
    opens("door");
    await site.pass(TOLD_MS);
    const renamed = zoneOf({
      ...door,
      input: simulated,
      objective: HALL,
      swinger: false,
      name: "Main entrance",
    });
    site.zones.zoneService.exchange([renamed], ANA);
    site.zones.zoneService.checkOpenContacts();
    await site.pass(TOLD_MS);
    expect(site.records).toHaveLength(1);
    expect(site.zones.conditions).toEqual([]);
  });

  test("does not trip at the first reading, and has a condition", async () => {
    await make({ id: "door", name: "Door" });
    site.zones.monitor.read("door", "open", { live: true });
    await site.pass(TOLD_MS);
    expect(site.records).toEqual([]);
    expect(site.zones.conditions).toEqual(["zone-open/door"]);
    site.zones.monitor.read("door", "normal", { live: true });
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual([]);
  });

  test("with an unfinished intervention is reported only there, also across restarts", async () => {
    await make({ id: "door", name: "Door" });
    opens("door");
    await site.settled();
    await site.restart();
    await site.pass(60 * MINUTE_MS);
    expect(names()).toEqual(["Alarm, intrusion: Door"]);
    expect(site.zones.conditions).toEqual([]);
  });

  test.each([0, -3_600_000])(
    "whose last opening was only counted is reported within seconds, also after the clock was set by %d ms",
    async (stepMs) => {
      await make({ id: "door", name: "Door" });
      for (let second = 0; second < 25; second += 1) {
        opens("door");
        site.zones.clock.advance(1_000);
      }
      opens("door");
      site.zones.clock.stepWall(stepMs);
      await site.pass(TOLD_MS);
      expect(names().at(-1)).toBe("Armed with 1 zone open");
    },
  );

  test("has a condition while the record names only a zone with a longer name", async () => {
    await make({ id: "front", name: "Door of the hall" }, { id: "door", name: "Door" });
    opens("front");
    await site.settled();
    opens("door");
    await site.settled();
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual([]);
    site.change(1, { notes: "Crew 4 is on its way." });
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual(["zone-open/door"]);
  });

  test("has a condition while a user has removed its line from the record", async () => {
    await make({ id: "door", name: "Front door" }, { id: "window", name: "Window" });
    opens("door");
    await site.settled();
    opens("window");
    await site.settled();
    expect(names()).toHaveLength(1);
    site.change(1, { notes: "Crew 4 is on its way." });
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual(["zone-open/window"]);
    site.change(1, { notes: "Crew 4 is on its way: Window left open." });
    await site.pass(TOLD_MS);
    expect(site.zones.conditions).toEqual([]);
    expect(names()).toHaveLength(1);
  });

  test("is listed once the journal is writable again", async () => {
    await make({ id: "door", name: "Door" });
    site.zones.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 10 }, ANA);
    opens("door");
    site.zones.breakJournal();
    site.zones.clock.advance(11 * MINUTE_MS);
    expect(site.zones.logged("open-contacts-check-failed").length).toBeGreaterThan(0);
    site.zones.repairJournal();
    await site.pass(11_000);
    expect(names()).toEqual(["Armed with 1 zone open"]);
  });
});

test("a record on a damaged page is damage of the records, and not of the journal", async () => {
  await make({ id: "door", name: "Door" });
  opens("door");
  await site.settled();
  const { database } = site.app;
  const damaged: string[] = [];
  onRollback(database, (error) => void (isDamage(error) && damaged.push("santinela.db")));
  onRollback(site.zones.database, (error) => void (isDamage(error) && damaged.push("journal.db")));
  database.unsafeMode(true);
  database.pragma("writable_schema = ON");
  database.exec("UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'interventions'");
  database.pragma("writable_schema = RESET");
  site.zones.zoneService.checkOpenContacts();
  site.zones.clock.advance(MINUTE_MS);
  expect(site.zones.logged("open-contacts-check-failed").length).toBeGreaterThan(0);
  expect(new Set(damaged)).toEqual(new Set(["santinela.db"]));
});

describe("a zone that closes", () => {
  test("is noted with the time in the record of its opening", async () => {
    await make({ id: "door", name: "Door" });
    opens("door");
    await site.settled();
    await site.pass(17 * MINUTE_MS);
    site.zones.monitor.read("door", "normal", { live: true });
    await site.settled();
    expect(site.records).toMatchObject([{ notes: "23:30 Door, restored 23:47" }]);
    expect(site.zones.restores).toMatchObject([{ cause: "reading", state: "merged", interventionId: 1 }]);
  });

  test("and opens again is noted in one line", async () => {
    await make({ id: "door", name: "Door" });
    for (let opening = 0; opening < 14; opening += 1) {
      opens("door");
      await site.pass(MINUTE_MS);
      site.zones.monitor.read("door", "normal", { live: true });
      await site.settled();
    }
    expect(site.records).toMatchObject([{ notes: "23:30 Door ×14 → 23:43, restored 23:44" }]);
  });

  test("before its trip is dispatched is noted after it", async () => {
    await make({ id: "door", name: "Door" });
    let refusals = 2;
    site.intercept = ({ method }, response) => {
      if (method !== "POST" || refusals === 0) return false;
      refusals -= 1;
      response.writeHead(500).end();
      return true;
    };
    opens("door");
    site.zones.clock.advance(MINUTE_MS);
    site.zones.monitor.read("door", "normal", { live: true });
    await site.settled();
    expect(site.records).toMatchObject([{ notes: "23:30 Door, restored 23:31" }]);
  });

  test.each([
    ["its intervention is done", "intervention 1 is done or deleted"],
    ["its opening was bypassed", "its opening was bypassed"],
  ])("after %s is recorded with the reason", async (what, reason) => {
    await make({ id: "door", name: "Door" });
    if (what === "its opening was bypassed")
      site.zones.zoneService.zoneOverrides.bypass("door", { reason: "painter" }, ANA);
    opens("door");
    await site.settled();
    if (what === "its intervention is done") site.change(1, { status: "done" });
    site.zones.monitor.read("door", "normal", { live: true });
    await site.settled();
    expect(site.zones.restores).toMatchObject([{ state: "recorded", reason }]);
    expect(site.records.every(({ notes }) => notes === null)).toBe(true);
  });

  test("by its restore time is noted as such", async () => {
    await make({ id: "pir", name: "Hall", kind: "motion", autoRestoreS: 60 });
    site.zones.monitor.read("pir", "open", { live: true });
    await site.pass(MINUTE_MS);
    expect(site.records).toMatchObject([{ notes: "23:30 Hall, restored 23:31" }]);
    expect(site.zones.restores).toMatchObject([{ cause: "auto" }]);
  });

  test("during an edit by a user is noted with the edit", async () => {
    await make({ id: "door", name: "Door" });
    opens("door");
    await site.settled();
    site.intercept = ({ method }) => {
      if (method !== "PUT") return;
      site.intercept = () => {};
      site.change(1, { notes: "Crew 4" });
    };
    site.zones.monitor.read("door", "normal", { live: true });
    await site.settled();
    expect(site.records).toMatchObject([{ notes: "Crew 4\n23:30 Door, restored 23:30" }]);
  });
});

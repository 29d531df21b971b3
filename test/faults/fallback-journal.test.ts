import { appendFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { Journal } from "../../src/store/journal.ts";
import { OffDiskChanges } from "../../src/store/journal-changes.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { gateIdOf, MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeUnless } from "../support/required-programs.ts";

/* The journal connection rejects every write, like a read-only disk: no mount and no privilege is needed. */

const WIRE = zoneOf({ input: { gpio: 17, contact: "nc" } });
const MESSAGES = zoneOf({ id: "back-gate", input: { mqtt: "gate/back", open: ["ON"], normal: ["OFF"] } });

let folder: string;
let journalPath: string;
let offDiskFile: string;
let site: MonitoredZones;
beforeEach(() => {
  folder = temporaryFolder();
  journalPath = join(folder, "journal.db");
  offDiskFile = join(folder, "run", "trips.ndjson");
  site = started();
});
afterEach(() => {
  site.stop();
  site.database.close();
});

function started(): MonitoredZones {
  const zones = new MonitoredZones([WIRE, MESSAGES], { journalPath, offDiskFile });
  zones.zoneService.start();
  return zones;
}

function setContact(zone: string, contact: "open" | "normal"): void {
  site.monitor.read(zone, contact, { live: true });
  site.clock.advance(1_000);
}

const conditions = (): string[] => site.health.list().map(({ code }) => code);
const keys = (): string[] => site.trips.map(({ key }) => key);

describe("when the disk rejects a trip of a GPIO contact", () => {
  beforeEach(() => {
    setContact(WIRE.id, "normal");
    site.breakJournal();
  });

  test("it is kept in memory with a condition, and stored once when there is space", () => {
    setContact(WIRE.id, "open");
    setContact(WIRE.id, "normal");
    setContact(WIRE.id, "open");
    expect(keys()).toEqual([]);
    expect(conditions()).toContain("trips-off-disk");
    expect(existsSync(offDiskFile)).toBe(true);
    site.repairJournal();
    site.clock.advance(10_000);
    expect(keys()).toHaveLength(2);
    expect(site.monitor.zones().find(({ zone }) => zone.id === WIRE.id)?.contact).toBe("open");
    expect(conditions()).not.toContain("trips-off-disk");
    expect(existsSync(offDiskFile)).toBe(false);
    site.clock.advance(60_000);
    expect(keys()).toHaveLength(2);
  });

  test("it is stored once at the next start, also after an interrupted start", () => {
    setContact(WIRE.id, "open");
    const line = JSON.stringify(site.journal.offDisk.list()[0]);
    site.repairJournal();
    // The process is killed without a clean shutdown.
    site = started();
    expect(keys()).toHaveLength(1);
    mkdirSync(dirname(offDiskFile), { recursive: true });
    site.journal.offDisk.clear();
    appendFileSync(offDiskFile, `\n${line}\n{"zoneId":"front-d`);
    site = started();
    expect(keys()).toHaveLength(1);
    site.monitor.read(WIRE.id, "open", { live: true });
    site.clock.advance(5_000);
    expect(keys()).toHaveLength(1);
    expect(conditions()).not.toContain("trips-off-disk");
  });

  test("a start on the full disk knows the last state of the contact, so the opening is not a second trip", () => {
    setContact(WIRE.id, "open");
    const next = new Journal(site.database, site.clock, new OffDiskChanges(offDiskFile));
    expect(next.zoneStates.find(WIRE.id)?.contact).toBe("normal");
    expect(next.stateOf(WIRE.id)?.contact).toBe("open");
    expect(() => next.storeOffDisk()).toThrow(/readonly/);
    expect(next.offDisk.count).toBe(1);
  });

  test("a message is neither acknowledged nor kept: its broker has it", () => {
    expect(() => setContact(MESSAGES.id, "open")).toThrow(/readonly/);
    expect(existsSync(offDiskFile)).toBe(false);
    expect(conditions()).toContain("journal-write-failed");
  });
});

test("a start on a disk that rejects every write monitors the contacts, whatever was due meanwhile", () => {
  site.stop();
  const key = { mqtt: "site/armed", open: [true], normal: [false] };
  const slow = zoneOf({ id: "slow", input: { gpio: 18, contact: "nc" }, debounceMs: 5_000 });
  const door = zoneOf({ id: "door", input: { gpio: 19, contact: "nc" }, gate: key, entryDelayS: 30 });
  const motion = zoneOf({
    id: "motion",
    kind: "motion",
    input: { gpio: 20, contact: "no" },
    autoRestoreS: 60,
  });
  const panic = zoneOf({ id: "panic", kind: "panic", input: { gpio: 21, contact: "nc" } });
  const shed = zoneOf({
    id: "shed",
    input: { mqtt: "shed", open: ["ON"], normal: ["OFF"] },
    supervisionTimeoutS: 3_600,
  });
  site = new MonitoredZones([WIRE, slow, door, motion, panic, shed], { journalPath, offDiskFile });
  for (const { id } of site.zones) setContact(id, "normal");
  site.monitor.setGate(gateIdOf(key), "closed");
  const user = { who: "maria", from: "192.0.2.7" } as const;
  site.zoneService.zoneOverrides.bypass(WIRE.id, { reason: "painters", minutes: 30 }, user);
  site.zoneService.zoneOverrides.walkTests.begin(15, user);
  setContact(panic.id, "open");
  site.clock.advance(20 * 60_000);
  site.monitor.setGate(gateIdOf(key), "open");
  setContact(motion.id, "open");
  setContact(door.id, "open");
  site.monitor.read(slow.id, "open", { live: true });
  site.losePower(7_200_000);
  site.stop();
  site.breakJournal();
  site.restart();
  site.clock.advance(90_000);
  setContact(WIRE.id, "open");
  expect(site.contactOf(WIRE.id)).toBe("open");
  expect(conditions()).toEqual(expect.arrayContaining(["journal-write-failed", "trips-off-disk"]));
  site.repairJournal();
  site.clock.advance(120_000);
  expect(site.trips.filter(({ state }) => state === "waiting").map(({ zoneId }) => zoneId)).toContain(
    WIRE.id,
  );
});

describe("when the disk rejects a trip with an entry delay", () => {
  const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
  const GATE = gateIdOf(KEY);
  const DOOR = zoneOf({ id: "door", input: { gpio: 18, contact: "nc" }, gate: KEY, entryDelayS: 30 });

  beforeEach(() => {
    site.stop();
    site.database.close();
    site = new MonitoredZones([DOOR], { journalPath, offDiskFile });
    site.zoneService.start();
    site.monitor.setGate(GATE, "open");
    setContact(DOOR.id, "normal");
    site.breakJournal();
    setContact(DOOR.id, "open");
  });

  test("it is dispatched once the disk can be written, if the delay has ended by then", () => {
    site.clock.advance(35_000);
    site.repairJournal();
    site.clock.advance(20_000);
    expect(site.journal.trips.nextWaiting(0)).toMatchObject({ zoneId: DOOR.id });
  });

  test("it is cancelled by a person who disarms meanwhile, although the zone is armed again before the disk can be written", () => {
    site.monitor.setGate(GATE, "closed");
    site.clock.advance(5_000);
    site.monitor.setGate(GATE, "open");
    site.clock.advance(60_000);
    site.repairJournal();
    site.clock.advance(20_000);
    site.restart();
    site.zoneService.start();
    site.clock.advance(60_000);
    // The door is still open when the zone is armed again, which is listed.
    expect(site.trips.map(({ type, state }) => [type, state])).toEqual([
      ["trip", "cancelled"],
      ["standing", "waiting"],
    ]);
  });
});

// Mounting requires root; the behaviour on a full disk is the same for every user.
describeUnless(
  NO_MOUNT,
  "when the daemon restarts on the full disk within an entry delay that it keeps in memory",
  () => {
    const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
    const GATE = gateIdOf(KEY);
    const DOOR = zoneOf({ id: "door", input: { gpio: 18, contact: "nc" }, gate: KEY, entryDelayS: 30 });
    let disk: SmallDisk;

    beforeEach(() => {
      site.stop();
      site.database.close();
      disk = new SmallDisk(4);
      site = new MonitoredZones([DOOR], { journalPath: join(disk.folder, "journal.db"), offDiskFile });
      site.monitor.setGate(GATE, "open");
      setContact(DOOR.id, "normal");
      disk.fill();
      setContact(DOOR.id, "open");
      expect(site.trips).toEqual([]);
      site.restart();
      expect(conditions()).toContain("trips-off-disk");
    });
    afterEach(() => disk.remove());

    test("the trip is dispatched once there is space, and its restore follows it", () => {
      setContact(DOOR.id, "normal");
      site.clock.advance(35_000);
      disk.drain();
      site.clock.advance(20_000);
      expect(site.journal.trips.nextWaiting(0)).toMatchObject({ zoneId: DOOR.id });
      expect(site.journal.restores.nextPending(0)).toMatchObject({ zoneId: DOOR.id });
      expect(site.journal.entryDelays.list()).toEqual([]);
    });

    test("a person who disarms the zone in time cancels the trip", () => {
      disk.drain();
      site.clock.advance(11_000);
      expect(site.journal.trips.nextWaiting(0)).toBeUndefined();
      site.monitor.setGate(GATE, "closed");
      site.clock.advance(60_000);
      expect(site.trips.map(({ state }) => state)).toEqual(["cancelled"]);
    });
  },
);

test("a pulse of a GPIO contact is kept while another process holds the journal", () => {
  setContact(WIRE.id, "normal");
  const other = new Sqlite(journalPath);
  other.exec("BEGIN IMMEDIATE");
  setContact(WIRE.id, "open");
  setContact(WIRE.id, "normal");
  expect(keys()).toEqual([]);
  other.exec("ROLLBACK");
  other.close();
  site.clock.advance(10_000);
  expect(keys()).toHaveLength(1);
  expect(conditions()).toEqual([]);
});

test("a person who disarms one zone within its delay cancels it, while the ended delay of another cannot be stored", () => {
  const keyOf = (name: string) => ({ mqtt: `site/${name}`, open: [true], normal: [false] });
  const doorOf = (id: string, entryDelayS: number): Zone =>
    zoneOf({ id, input: { gpio: entryDelayS, contact: "nc" }, gate: keyOf(id), entryDelayS });
  site.stop();
  site.database.close();
  site = new MonitoredZones([doorOf("shop", 5), doorOf("flat", 40)], { journalPath, offDiskFile });
  for (const id of ["shop", "flat"]) {
    site.monitor.setGate(gateIdOf(keyOf(id)), "open");
    setContact(id, "normal");
    setContact(id, "open");
  }
  site.breakJournal();
  site.clock.advance(10_000);
  site.monitor.setGate(gateIdOf(keyOf("flat")), "closed");
  site.monitor.setGate(gateIdOf(keyOf("flat")), "open");
  site.clock.advance(10_000);
  site.repairJournal();
  site.clock.advance(60_000);
  expect(site.trips.map(({ zoneId, type, state }) => [zoneId, type, state])).toEqual([
    ["shop", "trip", "waiting"],
    ["flat", "trip", "cancelled"],
    // The door is still open when the zone is armed again, which is listed.
    ["flat", "standing", "waiting"],
  ]);
});

test("a zone that opened while disarmed and the disk rejected it, is listed once when it is armed", () => {
  const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
  const GATE = gateIdOf(KEY);
  const DOOR = zoneOf({ id: "door", input: { gpio: 18, contact: "nc" }, gate: KEY });
  site.stop();
  site.database.close();
  // Whether the check of open zones or that of the disk comes first depends on when each began.
  for (const laterMs of [0, 3_000, 7_000]) {
    rmSync(journalPath, { force: true });
    site = new MonitoredZones([DOOR], { journalPath, offDiskFile });
    site.zoneService.start();
    site.monitor.setGate(GATE, "closed");
    setContact(DOOR.id, "normal");
    site.clock.advance(10_000 + laterMs);
    site.breakJournal();
    setContact(DOOR.id, "open");
    site.monitor.setGate(GATE, "open");
    site.clock.advance(5_000);
    site.repairJournal();
    site.clock.advance(120_000);
    expect(site.trips.map(({ type, state }) => [type, state])).toEqual([
      ["trip", "gated"],
      ["standing", "waiting"],
    ]);
    site.stop();
    site.database.close();
  }
  site = started();
});

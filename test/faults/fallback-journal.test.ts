import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Journal } from "../../src/store/journal.ts";
import { OffDiskChanges } from "../../src/store/journal-changes.ts";
import { WatchedZones, zoneOf } from "../support/watched-zones.ts";

/* The journal connection rejects every write, like a read-only disk: no mount and no privilege is needed. */

const WIRE = zoneOf({ input: { gpio: 17, contact: "nc" } });
const MESSAGES = zoneOf({ id: "back-gate", input: { mqtt: "gate/back", open: ["ON"], normal: ["OFF"] } });

let folder: string;
let journalPath: string;
let offDiskFile: string;
let site: WatchedZones;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "santinela-off-disk-"));
  journalPath = join(folder, "journal.db");
  offDiskFile = join(folder, "run", "trips.ndjson");
  site = started();
});
afterEach(() => {
  site.stop();
  site.database.close();
  rmSync(folder, { recursive: true });
});

function started(): WatchedZones {
  const zones = new WatchedZones([WIRE, MESSAGES], { journalPath, offDiskFile });
  zones.watch.start();
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

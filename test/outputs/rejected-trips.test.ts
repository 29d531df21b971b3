// Outputs while the journal cannot be written: its connection rejects every write, like a read-only disk.
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { AlarmPulses } from "../../src/outputs/alarm-pulses.ts";
import { AlarmZones } from "../../src/site/alarm-zones.ts";
import { AlarmTrips } from "../../src/store/alarm-trips.ts";
import { DispatchedTrips } from "../../src/store/dispatched-trips.ts";
import { gateIdOf, MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
const SMOKE = zoneOf({ id: "smoke", kind: "fire", input: { gpio: 17, contact: "nc" } });
const DOOR = zoneOf({ id: "door", input: { gpio: 18, contact: "nc" }, gate: KEY, entryDelayS: 30 });
const PULSE_MS = 180_000;

let site: MonitoredZones;
let pulses: AlarmPulses;
beforeEach(() => {
  const folder = temporaryFolder();
  site = MonitoredZones.forTest([SMOKE, DOOR], {
    journalPath: join(folder, "journal.db"),
    offDiskFile: join(folder, "run", "trips.ndjson"),
  });
  site.monitor.setGate(gateIdOf(KEY), "open");
  for (const { id } of site.zones) reads(id, "normal");
  pulses = newPulses();
  pulses.read();
  site.breakJournal();
});

function newPulses(): AlarmPulses {
  const { clock, database, host, journal, zones, zoneService } = site;
  return new AlarmPulses({
    clock,
    bootId: host.bootId,
    trips: new DispatchedTrips(database),
    offDisk: journal.offDisk,
    entryDelays: zoneService.entryDelays,
    zoneOverrides: zoneService.zoneOverrides,
    zoneOf: (zoneId) => zones.find(({ id }) => id === zoneId),
  });
}

/** A reading, and the time that its line must keep it. */
function reads(zoneId: string, contact: "open" | "normal"): void {
  site.monitor.read(zoneId, contact, { live: true });
  site.clock.advance(1_000);
}

/** Milliseconds that are left of the pulse; negative after it. */
function leftMs(): number {
  pulses.read();
  return (pulses.endMs(PULSE_MS, null) ?? -Infinity) - site.clock.monotonicMs();
}

/** Whether an output without a pulse is on, once the contacts are normal again and no record is left. */
function isAlarm(): boolean {
  const { database, journal, zoneService } = site;
  const trips = new AlarmTrips(database);
  const { entryDelays } = zoneService;
  return new AlarmZones({ trips, offDisk: journal.offDisk, entryDelays }).read([], false, () => []).isGiven;
}

test("a siren sounds at the trip, and not once more when the disk works again", () => {
  reads("smoke", "open");
  reads("smoke", "normal");
  expect(site.trips).toEqual([]);
  expect(leftMs()).toBe(PULSE_MS);
  expect(isAlarm()).toBe(true);
  site.clock.advance(100_000);
  site.repairJournal();
  site.clock.advance(20_000);
  expect(site.trips).toHaveLength(1);
  expect(leftMs()).toBe(PULSE_MS - 120_000);
});

test("a siren sounds at the end of an entry delay, once", () => {
  reads("door", "open");
  expect(leftMs()).toBe(-Infinity);
  expect(isAlarm()).toBe(false);
  site.clock.advance(30_000);
  expect(leftMs()).toBe(PULSE_MS);
  expect(isAlarm()).toBe(true);
  site.repairJournal();
  site.clock.advance(20_000);
  expect(site.trips).toMatchObject([{ state: "waiting" }]);
  expect(leftMs()).toBe(PULSE_MS - 20_000);
});

test("a siren is silent after a disarming within the entry delay", () => {
  reads("door", "open");
  site.clock.advance(20_000);
  site.monitor.setGate(gateIdOf(KEY), "closed");
  site.clock.advance(60_000);
  expect(leftMs()).toBe(-Infinity);
  expect(isAlarm()).toBe(false);
  site.repairJournal();
  site.clock.advance(20_000);
  expect(site.trips).toMatchObject([{ state: "cancelled" }]);
  expect(leftMs()).toBe(-Infinity);
});

test("a siren continues after a restart that stores the trip", () => {
  reads("smoke", "open");
  expect(leftMs()).toBe(PULSE_MS);
  site.clock.advance(100_000);
  site.stop();
  site.repairJournal();
  site.restart();
  pulses = newPulses();
  expect(Math.abs(leftMs() - (PULSE_MS - 100_000))).toBeLessThanOrEqual(1_000);
});

test("a siren sounds after a power cut in which an entry delay ended, once", () => {
  site.repairJournal();
  reads("door", "open");
  site.losePower(3_600_000, { canWrite: false });
  pulses = newPulses();
  expect(leftMs()).toBe(PULSE_MS);
  expect(isAlarm()).toBe(true);
  site.clock.advance(20_000);
  expect(leftMs()).toBe(PULSE_MS - 20_000);
  site.repairJournal();
  site.clock.advance(20_000);
  expect(site.trips).toMatchObject([{ state: "waiting" }]);
  expect(site.journal.entryDelays.list()).toEqual([]);
  expect(leftMs()).toBe(PULSE_MS - 40_000);
});

import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { gateIdOf, MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
const OTHER = { mqtt: "site/other", open: [true], normal: [false] };
const doorBehind = (gate: typeof KEY, name = "Door"): Zone =>
  zoneOf({ id: "door", name, input: { simulated: true }, gate, entryDelayS: 30 });

let folder: string;
let site: MonitoredZones;
beforeEach(() => {
  folder = temporaryFolder();
  site = started(doorBehind(KEY));
  site.monitor.setGate(gateIdOf(KEY), "open");
  site.monitor.read("door", "normal", { live: true });
  site.monitor.read("door", "open", { live: true });
});

const started = (door: Zone): MonitoredZones =>
  MonitoredZones.forTest([door], { journalPath: join(folder, "journal.db") });

/** Restarts the daemon with another configuration, within the entry delay. */
function restartWith(door: Zone): void {
  site.close();
  site = started(door);
}

/** Reports the arming condition as disarmed within the entry delay, and waits for its end. */
function disarm(gate: typeof KEY): void {
  site.monitor.setGate(gateIdOf(gate), "closed");
  site.clock.advance(60_000);
}
const states = (): string[] => site.trips.map(({ state }) => state);
const isDispatched = (): boolean => site.journal.trips.nextWaiting(0)?.zoneId === "door";

test("a new arming condition that is disarmed cancels no entry delay from before, also after a restart", () => {
  site.zoneService.exchange([doorBehind(OTHER)], { who: "admin", from: "web panel" });
  restartWith(doorBehind(OTHER));
  expect(isDispatched()).toBe(false);
  disarm(OTHER);
  expect(states()).toEqual(["waiting"]);
  expect(isDispatched()).toBe(true);
});

test("an arming condition that was replaced in the file before a restart cancels no entry delay from before", () => {
  restartWith(doorBehind(OTHER));
  disarm(OTHER);
  expect(states()).toEqual(["waiting"]);
  expect(isDispatched()).toBe(true);
});

test("the same arming condition cancels an entry delay after a restart with another name of the zone", () => {
  restartWith(doorBehind(KEY, "Main door"));
  disarm(KEY);
  expect(states()).toEqual(["cancelled"]);
});

test("an entry delay that an earlier release has stored is cancelled by the arming condition of its zone", () => {
  site.database.exec("UPDATE entry_delays SET gate = NULL");
  restartWith(doorBehind(KEY));
  disarm(KEY);
  expect(states()).toEqual(["cancelled"]);
});

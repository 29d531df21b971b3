import { describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { forgetChangedZones } from "../../src/inputs/changed-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const ANA = { who: "ana@example.ro", from: "192.0.2.7" };
const at = (mqtt: string) => ({ mqtt, open: ["open"], normal: ["closed"] });
const doorAt = (topic: string): Zone =>
  zoneOf({ id: "door", input: at(topic), swinger: { maxTrips: 1, resetAfterQuietS: 3600 } });
const DOOR = doorAt("door");
const YARD = zoneOf({ id: "yard", input: at("yard"), swinger: false });

let site: MonitoredZones;

function trip(zoneId: string): void {
  for (const contact of ["normal", "open"] as const) site.monitor.read(zoneId, contact, { live: true });
}
const states = (): string[] =>
  site.trips.filter(({ type }) => type === "trip").map(({ zoneId, state }) => `${zoneId} ${state}`);

describe("a start with a configuration that has changed while the daemon did not run", () => {
  const shutDown = (): void => {
    trip("door");
    site.journal.swingers.countIncident("door");
    trip("door");
  };

  test("ends the shutdown of a zone whose sensor was replaced, and of no other", () => {
    site = MonitoredZones.forTest([DOOR]);
    shutDown();
    site.restart([{ ...DOOR, name: "Main door" }]);
    trip("door");
    site.restart([doorAt("other")]);
    trip("door");
    expect(states()).toEqual(["door waiting", "door swinger", "door swinger", "door waiting"]);
  });

  test("ends the shutdown of a zone that was removed, also if it comes back", () => {
    site = MonitoredZones.forTest([DOOR, YARD]);
    shutDown();
    site.restart([YARD]);
    site.restart([DOOR, YARD]);
    trip("door");
    expect(states()).toEqual(["door waiting", "door swinger", "door waiting"]);
  });

  test("keeps the shutdown of a zone whose sensor an earlier release has not stored", () => {
    site = MonitoredZones.forTest([DOOR]);
    shutDown();
    const stored = site.journal.stateOf("door");
    if (stored) site.journal.zoneStates.save("door", { ...stored, sensor: null });
    site.restart();
    trip("door");
    expect(states()).toEqual(["door waiting", "door swinger", "door swinger"]);
  });

  test("ends the bypass of a zone that was removed, as a reload does", () => {
    site = MonitoredZones.forTest([DOOR, YARD]);
    for (const id of ["door", "yard"]) site.zoneService.zoneOverrides.bypass(id, { reason: "painter" }, ANA);
    site.restart([YARD]);
    const detail = { reason: "the zone is no longer in the configuration" };
    const ended = { who: "santinela", from: "itself", event: "zone-restored", subject: "zone door", detail };
    expect(site.events.slice(2)).toEqual([ended]);
    site.restart([DOOR, YARD]);
    trip("door");
    trip("yard");
    expect(states()).toEqual(["door waiting", "yard bypassed"]);
    expect(site.events.slice(2)).toEqual([ended]);
  });

  test("leaves what the disk rejects to the next start", () => {
    site = MonitoredZones.forTest([DOOR, YARD]);
    site.zoneService.zoneOverrides.bypass("door", { reason: "painter" }, ANA);
    site.breakJournal();
    forgetChangedZones([YARD], site.common);
    site.repairJournal();
    expect(site.logged("changed-zone-purge-failed")).toHaveLength(1);
    expect(site.events).toHaveLength(1);
    site.restart([YARD]);
    site.restart([DOOR, YARD]);
    trip("door");
    expect(states()).toEqual(["door waiting"]);
  });
});

import { afterEach, expect, test } from "vitest";
import type { SiteParts } from "../../src/site/site-parts.ts";
import { SiteZones } from "../../src/site/zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

let site: MonitoredZones;
afterEach(() => site.close());

test("a zone is shown in swinger shutdown until its quiet hours are over, as its trips are suppressed", () => {
  const door = zoneOf({
    id: "door",
    input: { simulated: true },
    swinger: { maxTrips: 1, resetAfterQuietS: 3600 },
  });
  site = new MonitoredZones([door]);
  const { zoneService, journal, clock } = site;
  const zones = new SiteZones({
    zoneService,
    journal,
    clock,
    inputs: { loopOf: () => null },
  } as unknown as SiteParts);
  const shown = (): unknown => zones.list().map(({ disposition, trips }) => [disposition, trips.recent]);
  site.monitor.read("door", "normal", { live: true });
  site.monitor.read("door", "open", { live: true });
  journal.swingers.countIncident("door");
  expect(shown()).toEqual([["swinger", 1]]);
  site.clock.advance(3_600_000);
  expect(shown()).toEqual([["waiting", 0]]);
});

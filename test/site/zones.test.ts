import { describe, expect, test } from "vitest";
import { alarmPanelName } from "../../src/domain/alarm-panel-name.ts";
import { reportedFaults } from "../../src/domain/site-report.ts";
import type { Contact, Zone } from "../../src/domain/zone.ts";
import type { SiteParts } from "../../src/site/site-parts.ts";
import { SiteZones } from "../../src/site/zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

let site: MonitoredZones;

/** The zones as `/site/zones` has them. */
function listed(): ReturnType<SiteZones["list"]> {
  const { zoneService, journal, clock } = site;
  const inputs = {
    loopOf: () => null,
    batteries: { of: () => undefined },
    messages: { unnamedValueOf: () => undefined },
  };
  return new SiteZones({ zoneService, journal, clock, inputs } as unknown as SiteParts).list();
}

test("a zone is shown in swinger shutdown until its quiet hours are over, as its trips are suppressed", () => {
  const door = zoneOf({
    id: "door",
    input: { simulated: true },
    swinger: { maxTrips: 1, resetAfterQuietS: 3600 },
  });
  site = MonitoredZones.forTest([door]);
  const shown = (): unknown => listed().map(({ disposition, trips }) => [disposition, trips.recent]);
  site.monitor.read("door", "normal", { live: true });
  site.monitor.read("door", "open", { live: true });
  site.journal.swingers.countIncident("door");
  expect(shown()).toEqual([["swinger", 1]]);
  expect(listed()[0]?.shutDownUntil).toBe(new Date(site.clock.wallMs() + 3_600_000).toISOString());
  site.clock.advance(3_600_000);
  expect(shown()).toEqual([["waiting", 0]]);
  expect(listed()[0]?.shutDownUntil).toBeNull();
});

test("a bypass has the time at which it began, and not that of the contact", () => {
  site = MonitoredZones.forTest([zoneOf({ id: "door", input: { simulated: true } })]);
  site.monitor.read("door", "normal", { live: true });
  site.clock.advance(60_000);
  const since = new Date(site.clock.wallMs()).toISOString();
  site.zoneService.zoneOverrides.bypass("door", { reason: "painter", minutes: 60 }, ANA);
  site.clock.advance(60_000);
  expect(listed()[0]?.bypass).toMatchObject({ since, reason: "painter" });
});

test("a sabotaged sensor that is silent too has the tamper first, and a low battery last", () => {
  site = MonitoredZones.forTest([zoneOf({ id: "door", input: { mqtt: "z/door", open: [1], normal: [0] } })]);
  site.monitor.take("door", { kind: "battery", low: true }, { live: true });
  site.monitor.take("door", { kind: "availability", up: false }, { live: true });
  site.clock.advance(70_000);
  site.monitor.take("door", { kind: "tamper", open: true }, { live: true });
  expect(listed()[0]?.faults.map(({ fault }) => fault)).toEqual(["tamper", "supervision", "battery"]);
});

test("each zone behind a lost bridge, or a silent alarm panel, is shown with the fault", () => {
  const bridge = { mqtt: "z/bridge/state", path: "/state" };
  const behind = ["door", "window"].map((id) =>
    zoneOf({ id, input: { mqtt: `z/${id}`, open: [1], normal: [0] }, bridge }),
  );
  const ofPanel = ["hall", "stairs"].map((id, index) =>
    zoneOf({ id, input: { dc09: "12AB", zone: index + 1 } }),
  );
  site = MonitoredZones.forTest([...behind, ...ofPanel, zoneOf({ id: "shed", input: { gpio: 17 } })]);
  const lost = (zoneId: string, name: string): void =>
    site.monitor.take(zoneId, { kind: "availability", up: false, bridge: name }, { live: true });
  lost("door", bridge.mqtt);
  lost("hall", alarmPanelName("12AB"));
  site.clock.advance(70_000);
  expect(listed().map(({ id, faults }) => [id, ...faults.map(({ fault }) => fault)])).toEqual([
    ...["door", "window", "hall", "stairs"].map((id) => [id, "supervision"]),
    ["shed"],
  ]);
});

test("a report to the dispatch centre has the fault of a bridge once, after those of the zones themselves", () => {
  const bridge = { mqtt: "z/bridge/state", path: "/state" };
  const behind = Array.from({ length: 50 }, (_, index) => {
    const input = { mqtt: `z/${index}`, open: [1], normal: [0] };
    return zoneOf({ id: `zone-${index}`, name: `Zone ${index}`, input, bridge });
  });
  site = MonitoredZones.forTest(behind);
  const lost = { kind: "availability", up: false, bridge: bridge.mqtt } as const;
  for (const { id } of behind) site.monitor.take(id, lost, { live: true });
  site.clock.advance(70_000);
  site.monitor.take("zone-49", { kind: "battery", low: true }, { live: true });
  expect(listed().filter(({ faults }) => faults.length > 0)).toHaveLength(50);
  expect(reportedFaults(site.journal.faults.list(), site.zones)).toEqual([
    { zone: "Zone 49", fault: "battery" },
    { zone: "Zone 0", fault: "supervision" },
  ]);
});

const ANA = { who: "ana@site.example", from: "192.0.2.7" };

describe("a zone that trips in a walk test", () => {
  const door = (gpio: number): ReturnType<typeof zoneOf> =>
    zoneOf({ id: "door", input: { gpio }, swinger: false });
  const startWalkTest = (): void => void site.zoneService.zoneOverrides.walkTests.begin(undefined, ANA);
  const endWalkTest = (): void => site.zoneService.zoneOverrides.walkTests.end(ANA);
  const read = (...contacts: Contact[]): void => {
    for (const contact of contacts) {
      site.monitor.read("door", contact, { live: true });
      site.clock.advance(10_000);
    }
  };
  const testedAt = (): unknown => listed().map((zone) => zone.testedAt);

  test.each([
    ["has its sensor replaced", () => site.zoneService.exchange([door(20)], ANA)],
    [
      "is removed and added with another sensor",
      () => [[], [door(20)]].forEach((zones) => site.zoneService.exchange(zones, ANA)),
    ],
  ])("and %s in it is not tested until the new sensor trips", (_what, replace) => {
    site = MonitoredZones.forTest([door(17)]);
    startWalkTest();
    read("normal", "open", "normal");
    expect(testedAt()).toEqual([expect.any(String)]);
    replace();
    expect(testedAt()).toEqual([null]);
    read("normal");
    endWalkTest();
    expect(testedAt()).toEqual([null]);
    startWalkTest();
    read("open", "normal");
    endWalkTest();
    expect(testedAt()).toEqual([expect.any(String)]);
  });

  test("remains tested after its sensor is used again", () => {
    site = MonitoredZones.forTest([door(17)]);
    startWalkTest();
    read("normal", "open", "normal");
    const tested = testedAt();
    for (const gpio of [20, 17]) site.zoneService.exchange([door(gpio)], ANA);
    endWalkTest();
    expect(testedAt()).toEqual(tested);
  });

  test.each(["runs", "starts again"])(
    "before the clock is set has its date once the daemon %s with it",
    (how) => {
      site = MonitoredZones.forTest([door(17)]);
      site.isClockTrusted = false;
      startWalkTest();
      read("normal", "open", "normal");
      endWalkTest();
      const trueMs = site.clock.wallMs() - 20_000 + 86_400_000;
      site.clock.stepWall(86_400_000);
      site.isClockTrusted = true;
      if (how === "starts again") site.restart();
      site.clock.advance(60_000);
      expect(testedAt()).toEqual([new Date(trueMs).toISOString()]);
      // A test with a date is not moved with the clock.
      site.clock.stepWall(-3_600_000);
      site.restart();
      expect(testedAt()).toEqual([new Date(trueMs).toISOString()]);
    },
  );
});

describe("a test trip", () => {
  const made = (): SiteZones => {
    const { zoneService, journal, clock, monitor } = site;
    const inputs = {
      loopOf: () => null,
      batteries: { of: () => undefined },
      messages: { unnamedValueOf: () => undefined },
      simulate: ({ id }: Zone, contact: Contact) => contact === "open" && monitor.simulateTrip(id),
    };
    const config = { zones: site.zones, gpio: { backend: "auto" } };
    return new SiteZones({ zoneService, journal, clock, inputs, config } as unknown as SiteParts);
  };

  test.each([
    ["gpio", { gpio: 17 }],
    ["adc", { adc: "loops", channel: 0, normal: 1000 }],
    ["mqtt", { mqtt: "door", open: ["open"] }],
  ])("of a zone with a sensor (%s) is answered at once, also after power-up", async (_source, input) => {
    const door = zoneOf({ id: "door", input: input as { gpio: number }, powerUpDelayS: 300, minOpenMs: 400 });
    site = MonitoredZones.forTest([door]);
    site.host.upMs = 1_000;
    site.restart();
    const view = await made().simulate("door", "open", ANA);
    expect(view).toMatchObject({ trips: [expect.any(String)], changed: false });
  });

  test("is in the event log with the user who has made it; an end of it is not", async () => {
    site = MonitoredZones.forTest([zoneOf({ id: "door", input: { gpio: 17 } })]);
    await made().simulate("door", "open", ANA);
    await made().simulate("door", "normal", ANA);
    expect(site.events).toEqual([{ ...ANA, event: "test-trip", subject: "zone door", detail: {} }]);
  });
});

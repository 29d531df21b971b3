import { beforeEach, expect, test } from "vitest";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const COUNT = 50;
const at = (id: number) => ({ type: "obiective/cladiri", id }) as const;
const OTHERS = Array.from({ length: COUNT }, (_, index) =>
  zoneOf({ id: `door-${index}`, objective: at(2 + (index % 2)), input: { simulated: true } }),
);
const SMOKE = zoneOf({ id: "smoke", kind: "fire", objective: at(1), input: { simulated: true } });

let site: DispatchingSite;
/** Requests of the dates, and the first of the fire, in order. */
let requests: string[];
beforeEach(async () => {
  requests = [];
  site = await DispatchingSite.make([...OTHERS, SMOKE]);
  site.zones.monitor.read(SMOKE.id, "normal", { live: true });
  site.zones.isClockTrusted = false;
  await site.trip(...OTHERS.map(({ id }) => id));
  expect(site.records).toHaveLength(2);
});

const isDated = (): boolean =>
  site.zones.trips.filter(({ zoneId }) => zoneId !== SMOKE.id).every((trip) => trip.isDated);

test("a fire is dispatched before the dates of an outage are corrected, and all of them are in the end", async () => {
  let release: (() => void) | undefined;
  site.intercept = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (release || request.method !== "GET") return false;
    release = () => site.app.app(request, response);
    return true;
  };
  site.zones.isClockTrusted = true;
  site.requestDispatch();
  await eventually("the first date", () => release !== undefined);
  site.zones.monitor.read(SMOKE.id, "open", { live: true });
  site.requestDispatch();
  release?.();
  await eventually("every date", isDated);
  const fire = requests.findIndex((one) => one.startsWith("POST"));
  expect(fire).toBeGreaterThan(0);
  // The date that had begun goes before the fire, the others after it.
  expect(requests.slice(0, fire).filter((one) => one.startsWith("GET"))).toHaveLength(1);
  expect(requests.filter((one) => one.startsWith("GET")).length).toBeGreaterThanOrEqual(COUNT);
  expect(site.records).toHaveLength(3);
});

test("the closing of a door and the end of a fault get their times in the notes once the clock is set", async () => {
  const objective = { type: "obiective/cladiri", id: 1 } as const;
  const site = await DispatchingSite.make([
    zoneOf({ id: "door", name: "Door", input: { simulated: true }, objective }),
  ]);
  const { clock, monitor } = site.zones;
  site.zones.isClockTrusted = false;
  clock.stepWall(-86_400_000);
  await site.trip("door");
  monitor.take("door", { kind: "battery", low: true }, { live: true });
  await site.pass(60_000);
  monitor.read("door", "normal", { live: true });
  monitor.take("door", { kind: "battery", low: false }, { live: true });
  await site.settled();
  const notes = (): unknown[] => site.records.map((record) => record.notes);
  expect(notes()).toEqual([
    expect.stringMatching(/\?\?:\?\?/),
    expect.stringContaining("restored at a time not known yet"),
  ]);
  clock.stepWall(86_400_000);
  site.zones.isClockTrusted = true;
  site.requestDispatch();
  await site.until(() => notes().every((text) => /23:31/.test(String(text))));
  expect(notes()).toEqual([
    expect.stringMatching(/^[^?]*restored 23:31$/),
    "Low battery, zone Door (door): restored at 2026-11-20 23:31:00.",
  ]);
});

test("a record that cannot be read does not keep the others from getting their date", async () => {
  site.intercept = (request, response) => {
    if (request.method !== "GET" || request.url !== "/interventii/1") return false;
    response.writeHead(500).end("{}");
    return true;
  };
  site.zones.isClockTrusted = true;
  site.requestDispatch();
  const undated = (): number => site.zones.trips.filter((trip) => !trip.isDated).length;
  await eventually("the dates of the others", () => undated() === COUNT / 2);
  site.intercept = () => false;
  site.zones.clock.advance(60_000);
  await eventually("every date", isDated);
});

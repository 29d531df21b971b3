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

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandOf } from "../../scripts/bench/command.ts";
import { FIGURES } from "../../scripts/bench/figures.ts";
import { SOURCE } from "../../scripts/bench/paths.ts";
import { FULL, MEASURES, QUICK } from "../../scripts/bench/plan.ts";
import { SENSORS } from "../../scripts/bench/contenders/sensors.ts";
import {
  isEncrypted,
  LOAD_ACCOUNTS,
  LOAD_ZONES,
  objectiveOf,
  ALARM_PANEL_KEY,
  SENSORS_BESIDE,
  TIMED_ZONES,
} from "../../scripts/bench/contenders/alarm-panels.ts";
import { eventFrame } from "../../scripts/bench/measures/alarm-panel-connection.ts";
import { AlarmPanel } from "../support/alarm-panel.ts";
import { openAt } from "../../scripts/bench/open-connections.ts";
import { resultOf } from "../../scripts/bench/wrk.ts";

const SAID = `Running 1s test @ http://127.0.0.1:8080
  1 threads and 8 connections
Requests/sec:   2000.00
{"requests":2000,"durationUs":1000000,"p50Us":3500,"p99Us":12000,"refused":0,"notOpened":0,"reset":0,"late":0}
`;

describe("the output of wrk", () => {
  test("is parsed as requests a second and milliseconds", () => {
    expect(resultOf(SAID, "GET /")).toEqual({ requests: 2000, perSecond: 2000, p50Ms: 3.5, p99Ms: 12 });
  });

  test.each([
    ["refused", /of 2000 answers 3 were refusals/],
    ["notOpened", /3 connections were not opened/],
    ["reset", /3 were reset/],
    ["late", /3 requests had no answer within 30 s/],
  ])("gives no figure when requests were %s, because an error is faster than a record", (what, complaint) => {
    expect(() => resultOf(SAID.replace(`"${what}":0`, `"${what}":3`), "GET /")).toThrow(complaint);
  });

  test("without a result gives no figure", () => {
    expect(() => resultOf("unable to connect", "GET /")).toThrow(/GET \/: wrk said nothing/);
    expect(() => resultOf(SAID.replace('"requests":2000', '"requests":0'), "GET /")).toThrow(/of 0 answers/);
  });
});

test("a connection that waits in the kernel until the server takes it is not counted as open", () => {
  const row = (local: string, state: string, inode: number) =>
    `  0: 0100007F:${local} 0100007F:9C40 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000 20 4 30 10 -1`;
  const table = [row("1F90", "0A", 7), row("1F90", "01", 8), row("1F90", "01", 0), row("9C40", "01", 9)];
  expect(openAt(8080, table.join("\n"))).toBe(1);
});

describe("the command line of the benchmark", () => {
  test("measures everything by default", () => {
    expect(commandOf([])).toMatchObject({
      quick: false,
      only: MEASURES,
    });
    expect(commandOf(["--quick", "--only", "read, trip"])).toMatchObject({
      quick: true,
      only: ["read", "trip"],
    });
  });

  test("lists what can be measured when the argument is unknown", () => {
    expect(() => commandOf(["--only", "memory"])).toThrow(
      'there is no measure "memory"; choose from write, read, list, trip, trip-load, storm, start',
    );
    expect(() => commandOf(["--peers", "nginx"])).toThrow('there is no peer "nginx"');
    expect(() => commandOf(["--fast"])).toThrow(/--fast/);
  });
});

test.each([FULL, QUICK])("each sensor opens once under the loads of $loadTrips trips", ({ loadTrips }) => {
  // Those with a slow flush are measured in a process of their own.
  for (const ofOneStart of [/^trip-\w+-p99$/, /^trip-slow-\w+-p99$/]) {
    const loads = Object.keys(FIGURES).filter((name) => ofOneStart.test(name));
    // The first sensor's objective has the records of the load, and the last sensor is for the probe.
    expect(loads.length * loadTrips).toBeLessThanOrEqual(SENSORS - 2);
    expect(loads.length).toBeGreaterThan(1);
  }
});

test.each([FULL, QUICK])(
  "the panels leave room for the sensors, whose openings and alarms are each of a new record",
  (scale) => {
    expect(2 * scale.loadTrips).toBeLessThanOrEqual(SENSORS_BESIDE);
    expect(scale.panelAlarms).toBeLessThanOrEqual(TIMED_ZONES);
    expect(SENSORS_BESIDE + 1 + TIMED_ZONES + LOAD_ACCOUNTS.length * LOAD_ZONES).toBeLessThanOrEqual(512);
    // The last objective is the probe's.
    expect(objectiveOf(TIMED_ZONES) + LOAD_ACCOUNTS.length).toBeLessThan(SENSORS);
  },
);

test.each(["1000", "1001"])("the frames of panel %s are those of the standard", (account) => {
  const reader = new AlarmPanel({
    account,
    port: () => 0,
    ...(isEncrypted(account) ? { key: ALARM_PANEL_KEY } : {}),
    wallMs: () => 0,
  });
  expect(eventFrame(account, 7, "1120", 12, new Date(0)).toString("latin1")).toBe(
    reader.frame("ADM-CID", `#${account}|1120 01 012`, "0007").toString("latin1"),
  );
});

test.each([FULL, QUICK])("a burst ends with every sensor open ($burst messages)", ({ burst, trips }) => {
  expect(burst % (2 * SENSORS)).toBe(0);
  // The last sensor is for the probe.
  expect(trips).toBeLessThan(SENSORS);
});

test("every compared product is pinned to one version", () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(SOURCE, "package.json"), "utf8"),
  ) as Record<"dependencies" | "optionalDependencies", Record<string, string>>;
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readFileSync(join(SOURCE, "package-lock.json"), "utf8")).not.toMatch(/"resolved"/);
});

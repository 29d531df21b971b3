import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandOf } from "../../scripts/bench/command.ts";
import { FIGURES } from "../../scripts/bench/figures.ts";
import { SOURCE } from "../../scripts/bench/paths.ts";
import { FULL, MEASURES, QUICK } from "../../scripts/bench/plan.ts";
import { SENSORS } from "../../scripts/bench/contenders/sensors.ts";
import { resultOf } from "../../scripts/bench/wrk.ts";

const SAID = `Running 1s test @ http://127.0.0.1:8080
  1 threads and 8 connections
Requests/sec:   2000.00
{"requests":2000,"durationUs":1000000,"p50Us":3500,"p99Us":12000,"refused":0,"broken":0}
`;

describe("the output of wrk", () => {
  test("is parsed as requests a second and milliseconds", () => {
    expect(resultOf(SAID, "GET /")).toEqual({ requests: 2000, perSecond: 2000, p50Ms: 3.5, p99Ms: 12 });
  });

  test.each([
    ["refused", /of 2000 answers 3 were refusals/],
    ["broken", /and 3 requests broke/],
  ])("gives no figure when requests were %s, because an error is faster than a record", (what, complaint) => {
    expect(() => resultOf(SAID.replace(`"${what}":0`, `"${what}":3`), "GET /")).toThrow(complaint);
  });

  test("without a result gives no figure", () => {
    expect(() => resultOf("unable to connect", "GET /")).toThrow(/GET \/: wrk said nothing/);
    expect(() => resultOf(SAID.replace('"requests":2000', '"requests":0'), "GET /")).toThrow(/of 0 answers/);
  });
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
  const loads = Object.keys(FIGURES).filter((name) => /^trip-\w+-p99$/.test(name));
  // The first sensor's objective has the records of the load, and the last sensor is for the probe.
  expect(loads.length * loadTrips).toBeLessThanOrEqual(SENSORS - 2);
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

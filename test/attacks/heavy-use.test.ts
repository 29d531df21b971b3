import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { HEADING, machineLine, memoryMaxMiB, rowOf } from "./figures.ts";
import { WatchedDaemon } from "./watched-daemon.ts";

/** Heavy permitted use: no request fails, and sensors are not affected. */
const { attackSeconds } = RUN_LENGTH;

let site: WatchedDaemon;
beforeAll(() => report(HEADING));
beforeEach(async () => {
  site = new WatchedDaemon();
  await site.start({ account: true });
});
afterEach(() => site.remove());

describe("a door and a gate become records", () => {
  test.each([
    ["64 clients of the API", "httpClients"],
    ["5,000 messages a second for no zone", "unmatchedTopics"],
    ["random requests of an operator, at most 120,000", "fuzzedRequests"],
  ])(
    "under load from %s, and no request fails",
    async (name, attack) => {
      const need = await site.during(attack, attackSeconds, () => true);
      report(rowOf(name, need));
      report(machineLine());
      expect(need.attack.done).toBeGreaterThan(0);
      expect(need.attack.failed).toBe(0);
      const { conditions } = await site.status();
      expect(conditions.filter(({ code }) => code === "mqtt-broker-at-limit")).toEqual([]);
      expect(need.wireMs.length).toBeGreaterThan(0);
      expect(need.brokerMs.length).toBeGreaterThan(0);
      expect(need.peakMiB).toBeLessThan(memoryMaxMiB(need));
    },
    (attackSeconds + 180) * 1000,
  );
});

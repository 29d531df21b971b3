import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { HEADING, machineLine, memoryMaxMiB, rowOf, useRowOf } from "./figures.ts";
import { WatchedDaemon } from "./watched-daemon.ts";

/** Heavy permitted use: no request fails, and sensors are not affected. */
const { attackRequests, attackSeconds } = RUN_LENGTH;

let site: WatchedDaemon;
beforeAll(() => report(HEADING));
beforeEach(async () => {
  site = new WatchedDaemon();
  await site.start({ account: true });
});
afterEach(() => site.remove());

describe("a door and a gate become records", () => {
  test.each([
    ["64 clients of the API", "httpClients", 64],
    ["messages without a zone", "unmatchedTopics", 5_000],
    ["random requests", "fuzzedRequests", attackRequests],
  ])(
    "under load from %s, no request fails, and no thread is restarted",
    async (name, attack, planned) => {
      const need = await site.during(attack, attackSeconds, (_metrics, done) => done >= planned);
      report(rowOf(name, need));
      report(useRowOf(name, need));
      report(machineLine());
      expect(need.attack.done).toBeGreaterThanOrEqual(planned);
      expect(need.attack.failed).toBe(0);
      expect(await site.restartedThreads()).toEqual([]);
      const { conditions } = await site.status();
      expect(conditions.filter(({ code }) => code === "mqtt-broker-at-limit")).toEqual([]);
      expect(need.wireMs.length).toBeGreaterThan(0);
      expect(need.brokerMs.length).toBeGreaterThan(0);
      expect(need.peakMiB).toBeLessThan(memoryMaxMiB(need));
    },
    (attackSeconds + 180) * 1000,
  );
});

import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { HEADING, machineLine, rowOf } from "./figures.ts";
import { WatchedDaemon } from "./watched-daemon.ts";

/**
 * What a machine on the network can do to the built-in broker. It shows that the daemon stays small, goes on and names the
 * machine; it cannot show the same of a flood that is not listed here.
 */
const { attackSeconds } = RUN_LENGTH;

let site: WatchedDaemon;
beforeAll(() => report(HEADING));
beforeEach(async () => {
  site = new WatchedDaemon();
  await site.start();
});
afterEach(() => site.remove());

describe("a client that floods the built-in broker", () => {
  test.each([
    ["QoS 2 messages that are never released", "unreleased"],
    ["readers that never read", "deafReaders"],
    ["sessions that never return", "absentSessions"],
    ["180,000 subscriptions", "subscriptions"],
  ])(
    "with %s is disconnected and logged, and a door and a gate still become records",
    async (name, attack) => {
      const need = await site.during(attack, attackSeconds, (metrics) => cutOff(metrics) > 0);
      report(rowOf(name, need));
      report(machineLine());
      const { conditions } = await site.status();
      const atLimit = conditions.filter(({ code }) => code === "mqtt-broker-at-limit");
      expect(atLimit.map(({ subject }) => subject)).toContain("memory");
      expect(cutOff(await site.metrics())).toBeGreaterThan(0);
      expect(need.wireMs.length).toBeGreaterThan(0);
      expect(need.brokerMs.length).toBeGreaterThan(0);
      // The daemon at rest, its budget, and what V8 and the system's allocator hold of what is gone already.
      expect(need.peakMiB).toBeLessThan(600);
    },
    (attackSeconds + 180) * 1000,
  );
});

/** How many clients the broker has cut off. */
function cutOff(metrics: string): number {
  return Number(/^santinela_mqtt_broker_limit_total\{limit="memory"\} (\d+)$/m.exec(metrics)?.[1]);
}

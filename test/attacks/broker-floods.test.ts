import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { floodRowOf, HEADING, machineLine, memoryMaxMiB, rowOf } from "./figures.ts";
import { WatchedDaemon } from "./watched-daemon.ts";

/**
 * Floods of the built-in broker by a machine on the network. They show that the daemon limits its memory,
 * continues, and names the address. They do not cover other floods.
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
    // The last two are the figures of earlier versions in docs/verification.md.
    ["QoS 2 that is never released", "unreleased", "unreleased", "54", "4.9 GB in 20 s"],
    ["readers that never read", "deafReaders", "deaf", "150", "797 MB"],
    ["sessions that stay away", "absentSessions", "absent", "119", "562 MB"],
    ["the same, each with its own messages", "separateQueues", "queue", "154", ""],
    ["180,000 subscriptions of twenty levels", "subscriptions", "many", "53", "process ended"],
  ])(
    "with %s is disconnected and named, ends no thread, and a door and a gate still become records",
    async (name, attack, clients, ...before) => {
      const need = await site.during(attack, attackSeconds, (metrics) => cutOff(metrics) > 0);
      report(rowOf(name, need));
      report(floodRowOf(name, need, before));
      report(machineLine());
      const { conditions } = await site.status();
      const atLimit = conditions.find(
        ({ code, subject }) => code === "mqtt-broker-at-limit" && subject === "memory",
      );
      expect(atLimit?.text).toMatch(new RegExp(`the client "${clients}-\\d+" at \\S*127\\.0\\.0\\.1`));
      expect(need.attack.done).toBeGreaterThan(0);
      expect(await site.restartedThreads()).toEqual([]);
      expect(cutOff(await site.metrics())).toBeGreaterThan(0);
      expect(need.wireMs.length).toBeGreaterThan(0);
      expect(need.brokerMs.length).toBeGreaterThan(0);
      expect(need.peakMiB).toBeLessThan(memoryMaxMiB(need));
    },
    (attackSeconds + 180) * 1000,
  );
});

/** Number of clients that the broker has disconnected. */
function cutOff(metrics: string): number {
  return Number(/^santinela_mqtt_broker_limit_total\{limit="memory"\} (\d+)$/m.exec(metrics)?.[1]);
}

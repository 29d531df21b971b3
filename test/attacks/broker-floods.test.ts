import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { HEADING, machineLine, memoryMaxMiB, rowOf } from "./figures.ts";
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
    ["QoS 2 messages that are never released", "unreleased", "unreleased"],
    ["readers that never read", "deafReaders", "deaf"],
    ["sessions that never return", "absentSessions", "absent"],
    ["a queue of different messages for each session", "separateQueues", "queue"],
    ["180,000 subscriptions", "subscriptions", "many"],
  ])(
    "with %s is disconnected and named, ends no thread, and a door and a gate still become records",
    async (name, attack, clients) => {
      const need = await site.during(attack, attackSeconds, (metrics) => cutOff(metrics) > 0);
      report(rowOf(name, need));
      report(machineLine());
      const { conditions } = await site.status();
      const atLimit = conditions.find(
        ({ code, subject }) => code === "mqtt-broker-at-limit" && subject === "memory",
      );
      expect(atLimit?.text).toMatch(new RegExp(`the client "${clients}-\\d+" at \\S*127\\.0\\.0\\.1`));
      expect(conditions.map(({ code }) => code)).not.toContain("thread-failed");
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

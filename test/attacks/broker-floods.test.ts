import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { FLOODS } from "./broker-floods.ts";
import { lineOf, WatchedDaemon } from "./watched-daemon.ts";

/**
 * What a machine on the network can do to the built-in broker. It shows that the daemon stays small, goes on and names the
 * machine; it cannot show the same of a flood that is not listed here.
 */
const { attackSeconds } = RUN_LENGTH;

let site: WatchedDaemon;
beforeEach(async () => {
  site = new WatchedDaemon();
  await site.start();
});
afterEach(() => site.remove());

describe("a client of the built-in broker that floods it", () => {
  test.each(FLOODS)(
    "with $name is cut off and named, and a door and a gate beside it become records",
    async ({ name, run }) => {
      const isCut = (metrics: string): boolean => cutOff(metrics) > 0;
      const need = await site.during(attackSeconds, isCut, (time) => run(site.port, time));
      report(lineOf(name, need));
      const { conditions } = await site.status();
      const atLimit = conditions.filter(({ code }) => code === "mqtt-broker-at-limit");
      expect(atLimit.map(({ subject }) => subject)).toContain("memory");
      expect(need.tripsMs.length).toBeGreaterThan(0);
      expect(cutOff(await site.metrics())).toBeGreaterThan(0);
      // The daemon at rest, its budget, and what V8 and the system's allocator hold of what is gone already.
      expect(need.mostMiB).toBeLessThan(600);
    },
    (attackSeconds + 100) * 1000,
  );
});

/** How many clients the broker has cut off. */
function cutOff(metrics: string): number {
  return Number(/^santinela_mqtt_broker_limit_total\{limit="memory"\} (\d+)$/m.exec(metrics)?.[1]);
}

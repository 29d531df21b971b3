import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { HEADING, machineLine, memoryMaxMiB, rowOf } from "./figures.ts";
import { TestAuthority } from "../support/certificates.ts";
import { WatchedDaemon } from "./watched-daemon.ts";

/* Strangers flood the HTTP listener, with TLS and without: sensors, and users who have signed in before, are served on. */

const { attackSeconds } = RUN_LENGTH;

let authority: TestAuthority;
let site: WatchedDaemon;
beforeAll(async () => {
  report(HEADING);
  authority = await TestAuthority.make();
});
afterAll(() => authority.remove());
afterEach(() => site.remove());

/** The value of a metric; 0 if it has no sample. */
function valueOf(metrics: string, sample: string): number {
  const line = metrics.split("\n").find((text) => text.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
}

const refused = (metrics: string) => valueOf(metrics, "santinela_http_connections_refused_total");
const replaced = (metrics: string) => valueOf(metrics, "santinela_http_connections_replaced_total");
const failed = (metrics: string) => valueOf(metrics, "santinela_http_tls_handshakes_failed_total");
const isAtLimit = (metrics: string) => refused(metrics) + replaced(metrics) > 100;

async function flood(name: string, attack: string, isDone: (metrics: string) => boolean): Promise<void> {
  const need = await site.during(attack, attackSeconds, isDone);
  report(rowOf(name, need));
  report(machineLine());
  expect(isDone(await site.metrics())).toBe(true);
  expect(need.attack.done).toBeGreaterThan(0);
  expect(await site.restartedThreads()).toEqual([]);
  expect(need.wireMs.length).toBeGreaterThan(0);
  expect(need.brokerMs.length).toBeGreaterThan(0);
  expect(need.userMs.length).toBeGreaterThan(0);
  expect(need.peakMiB).toBeLessThan(memoryMaxMiB(need));
}

describe("a door, a gate and a user are served, and the flood is counted", () => {
  beforeEach(async () => {
    site = new WatchedDaemon({ tls: authority });
    await site.start({ account: true });
  });

  test.each([
    ["complete handshakes", "tlsHandshakes", () => true],
    ["handshakes that are never finished", "tlsUnfinished", isAtLimit],
    ["silent connections, and drops of bytes", "tlsDrops", isAtLimit],
    ["renegotiation", "tlsRenegotiation", () => true],
    ["records of one byte", "tlsTinyRecords", () => true],
    ["nonsense", "tlsNonsense", (metrics: string) => failed(metrics) > 100],
    ["half-closed connections", "tlsHalfClosed", () => true],
    ["resets", "tlsResets", (metrics: string) => failed(metrics) > 100],
  ])("over TLS: %s", (name, attack, isDone) => flood(name, attack, isDone), (attackSeconds + 180) * 1000);
});

test.each([
  ["plain requests without an account", "plainRequests", isAtLimit],
  ["bodies in chunks of one byte", "tinyChunks", () => true],
])(
  "a door, a gate and a user are served, and the flood is counted, over plain HTTP: %s",
  async (name, attack, isDone) => {
    site = new WatchedDaemon();
    await site.start({ account: true });
    await flood(name, attack, isDone);
  },
  (attackSeconds + 180) * 1000,
);

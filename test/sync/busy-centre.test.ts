import { beforeEach, describe, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { RetryPause } from "../../src/http/retry-pause.ts";
import { Link } from "../../src/sync/link.ts";
import { TestApp } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A centre whose database is away, as during a failover, rejects each request and asks for two seconds. */

const STEP_MS = 250;

describe("a site with an alarm", () => {
  let isAway: boolean;
  let site: SyncingSite;
  const randoms = { next: () => 0 };

  beforeEach(async () => {
    const centre = await TestApp.make();
    isAway = false;
    site = await SyncingSite.through(
      centre,
      (request, response) => {
        if (isAway) response.writeHead(503, { "Retry-After": "2" }).end();
        else centre.app(request, response);
      },
      () => randoms.next(),
    );
  });

  /** Passes time; each attempt is over before the next step. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      site.app.clock.advance(STEP_MS);
      if (site.link.alarmWaitMs === 0) await site.push.cycle();
    }
  }

  test.each([
    ["twenty seconds", 20_000],
    ["ten minutes", 600_000],
  ])("sends it within fifteen seconds after a failover of %s", { timeout: 60_000 }, async (_what, awayMs) => {
    for (const seed of [1, 2, 3, 4]) {
      randoms.next = seededRandom(seed);
      // The centre has shown that it knows keys, so that the same request is sent again.
      site.create({ priority: "high" });
      await site.push.cycle();
      isAway = true;
      const { id } = site.create({ priority: "high" });
      await pass(awayMs);
      expect(site.entry(id).phase).toBe("unsure");
      isAway = false;
      await pass(15_000);
      expect([seed, site.entry(id).phase]).toEqual([seed, "linked"]);
    }
  });
});

/**
 * Sites that have an alarm each when the database of their centre goes away, within ten seconds, at two processes.
 * @returns their attempts in each second after its return, twenty seconds later
 */
function attemptsAfterFailOver(sites: number): readonly number[] {
  const clock = new ManualClock();
  const random = seededRandom(7);
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const pauses = [new RetryPause(clock), new RetryPause(clock)] as const;
  const waiting = new Map(
    Array.from({ length: sites }, (_, number) => {
      const conditions = new ConditionRegistry(clock, log);
      const link = new Link({ baseUrl: "https://centre.example", clock, random, log, conditions });
      return [link, { fromMs: (number / sites) * 10_000, pause: pauses[number % 2 === 0 ? 0 : 1] }] as const;
    }),
  );
  const attempts: number[] = [];
  for (let second = 0; waiting.size > 0 && second < 120; second += 1) {
    const due = [...waiting].filter(
      ([{ alarmWaitMs }, { fromMs }]) => alarmWaitMs === 0 && fromMs <= clock.monotonicMs(),
    );
    if (second >= 20) attempts.push(due.length);
    for (const [link, { pause }] of due)
      if (second >= 20) waiting.delete(link);
      else {
        const busy = { link: "busy", code: "503", reason: "answered 503" } as const;
        // The request and the reading that shows whether the link is at fault.
        pause.next(2);
        link.note({ ...busy, retryAfterMs: pause.next(2) * 1_000 });
      }
    clock.advance(1_000);
  }
  return attempts;
}

test("some hundred sites with an alarm each come back within fifteen seconds of a failover", () => {
  expect(attemptsAfterFailOver(500).length).toBeLessThanOrEqual(15);
});

test("ten thousand sites with an alarm each come back within half a minute, and a seventh of them at most in a second", () => {
  const attempts = attemptsAfterFailOver(10_000);
  expect(attempts.length).toBeLessThanOrEqual(30);
  expect(Math.max(...attempts)).toBeLessThan(10_000 / 7);
});

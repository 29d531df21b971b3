import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { nextRunMs, shareOf } from "../../src/sync/schedule.ts";
import type { SyncScheduler } from "../../src/sync/scheduler.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/*
 * Clock steps while the daemon runs. The schedule uses node-cron itself at the shown wall clock, to test its
 * behaviour with a step of years or a repeated hour.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 56 years: from 1970, where a Pi without a battery clock starts, to now. */
const SINCE_1970_MS = 56 * 365.25 * DAY_MS;
/** Maximum gap of the event loop: an edge or a message waits no longer than this. */
const GAP_MS_MAX = 200;

afterEach(() => {
  vi.useRealTimers();
});

/** The result of node-cron at this wall clock time. */
function nextFrom(wallMs: number, expression: string, share = 0): number {
  vi.useFakeTimers({ toFake: ["Date"], now: wallMs });
  try {
    return nextRunMs(expression, "Europe/Bucharest", wallMs, share) ?? Number.NaN;
  } finally {
    vi.useRealTimers();
  }
}

describe("the schedule", () => {
  let centre: NonconformingCentre;
  let site: SyncingSite;
  let scheduler: SyncScheduler;

  beforeEach(async () => {
    centre = new NonconformingCentre();
    centre.answer = () => json(201, { id: centre.requests.length });
    site = await SyncingSite.at(centre);
    scheduler = site.scheduler(() => nextFrom(site.app.clock.wallMs(), "* * * * *"));
  });

  test.each([
    ["an hour back", -HOUR_MS],
    ["twenty seconds back", -20 * SECOND_MS],
    ["thirty days on", 30 * DAY_MS],
    ["a year on", 365 * DAY_MS],
    ["56 years on, from where a Pi without a battery clock wakes up", SINCE_1970_MS],
  ])("continues within a minute when the clock is set %s, without blocking", async (_what, stepMs) => {
    const { clock } = site.app;
    if (stepMs === SINCE_1970_MS) clock.stepWall(-SINCE_1970_MS);
    scheduler.start();
    await site.push.cycle();
    const gapsMs: number[] = [];
    // Other processes cause gaps too: one quiet run of five shows that the step causes none.
    while (gapsMs.length < 5 && !gapsMs.some((gapMs) => gapMs < GAP_MS_MAX)) {
      const gaps = monitorEventLoopDelay({ resolution: 5 });
      gaps.enable();
      // One turn, so that the measurement has started.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      clock.stepWall(stepMs);
      const { id } = site.create();
      // The schedule interval, and the longest interval of the detection.
      clock.advance(MINUTE_MS + 15 * SECOND_MS);
      await eventually("the record at the centre", () => site.entry(id).phase === "linked");
      await site.push.cycle();
      for (let minute = 0; minute < 3; minute += 1) {
        const next = site.create();
        clock.advance(MINUTE_MS);
        await eventually("the next minute's record", () => site.entry(next.id).phase === "linked");
        await site.push.cycle();
      }
      gaps.disable();
      gapsMs.push(gaps.max / 1e6);
    }
    expect(Math.min(...gapsMs)).toBeLessThan(GAP_MS_MAX);
  });

  test("does not catch up on missed runs after a clock step", async () => {
    const { clock } = site.app;
    scheduler.start();
    await site.push.cycle();
    clock.stepWall(365 * DAY_MS);
    clock.advance(15 * SECOND_MS);
    const reads = (): number => centre.reads.length + centre.requests.length;
    await site.push.cycle();
    const before = reads();
    clock.advance(10 * MINUTE_MS);
    await site.push.cycle();
    // A site without records sends no requests.
    expect(reads() - before).toBe(0);
  });
});

describe("the run times of node-cron in the time zone of the site", () => {
  // In Bucharest clocks go from 03:00 to 04:00 on 29 March 2026, 01:00 UTC, and from 04:00 to 03:00 on 25 October, 01:00 UTC.
  test.each([
    ["a skipped hour is not waited for", "2026-03-29T00:50:00Z", "30 * * * *", "2026-03-29T01:30:00Z"],
    [
      "every minute continues over the skipped hour",
      "2026-03-29T00:59:30Z",
      "* * * * *",
      "2026-03-29T01:00:00Z",
    ],
    [
      "every minute continues in the first pass of the repeated hour",
      "2026-10-25T00:30:05Z",
      "* * * * *",
      "2026-10-25T00:31:00Z",
    ],
    ["every minute continues over the change", "2026-10-25T00:59:30Z", "* * * * *", "2026-10-25T01:00:00Z"],
    [
      "every minute continues in the second pass",
      "2026-10-25T01:30:05Z",
      "* * * * *",
      "2026-10-25T01:31:00Z",
    ],
    ["every hour runs in the repeated hour", "2026-10-25T00:10:00Z", "0 * * * *", "2026-10-25T01:00:00Z"],
    ["a nightly run is in the first pass", "2026-10-25T00:10:00Z", "30 3 * * *", "2026-10-25T00:30:00Z"],
    ["the change itself is an extra run", "2026-10-24T12:00:00Z", "0 9 * * *", "2026-10-25T01:00:00Z"],
  ])("%s", (_what, now, expression, next) => {
    expect(new Date(nextFrom(Date.parse(now), expression))).toEqual(new Date(next));
  });

  test.each([
    ["* * * * *", MINUTE_MS],
    ["*/7 * * * *", 7 * MINUTE_MS],
    ["0 * * * *", HOUR_MS],
  ])("%s skips nothing on the days of a time change", (expression, cadenceMs) => {
    for (const day of ["2026-03-28T23:00:00Z", "2026-10-24T23:00:00Z"])
      for (let now = Date.parse(day) + 123; now < Date.parse(day) + 5 * HOUR_MS;) {
        const next = nextFrom(now, expression);
        expect(next).toBeGreaterThan(now);
        expect(next - now).toBeLessThanOrEqual(cadenceMs);
        now = next + 5 * SECOND_MS;
      }
  });

  test("are computed quickly, also when the next one is years ahead", () => {
    const now = Date.UTC(2026, 2, 1, 12);
    for (const expression of ["0 0 29 2 *", "* * * * *", "59 23 31 12 *", "*/30 * * * * *"]) {
      // Of the processor: others on the machine do not count.
      const before = process.cpuUsage();
      nextFrom(now, expression);
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(GAP_MS_MAX);
    }
  });
});

describe("the run times of many sites", () => {
  const from = Date.parse("2026-03-01T12:00:00.123Z");

  test("are spread over the minute, and remain the same", () => {
    const perSecond = new Map<number, number>();
    for (let site = 0; site < 600; site += 1) {
      const share = shareOf(`site-${site}`);
      const next = nextFrom(from, "* * * * *", share);
      expect(nextFrom(next + 3, "* * * * *", share)).toBe(next + MINUTE_MS);
      const second = Math.floor((next % MINUTE_MS) / SECOND_MS);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(perSecond.size).toBeGreaterThan(55);
    // Ten on average.
    expect(Math.max(...perSecond.values())).toBeLessThan(30);
  });

  // In Bucharest 03:00 is 01:00 UTC.
  test.each([
    ["a restart or a clock step after the time keeps its run", "0 3 * * *", "01:00:20.123", "01:00:54"],
    ["from the time itself on", "0 3 * * *", "01:00:00", "01:00:54"],
    ["until the last moment", "0 3 * * *", "01:00:53.999", "01:00:54"],
    ["with a short interval too", "*/10 * * * * *", "01:00:05", "01:00:09"],
    ["a run that was due is not repeated", "*/10 * * * * *", "01:00:09", "01:00:19"],
  ])("%s: %s", (_what, expression, now, next) => {
    const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);
    expect(new Date(nextFrom(at(now), expression, 0.9))).toEqual(new Date(at(next)));
  });

  test("a nightly run is planned once a night, also if it is planned again during the delay", () => {
    const planned = nextFrom(Date.parse("2026-03-01T01:00:54Z"), "0 3 * * *", 0.9);
    expect(new Date(planned)).toEqual(new Date("2026-03-02T01:00:54Z"));
  });

  test.each(["* * * * *", "*/7 * * * *", "*/10 * * * * *", "0,10 * * * * *", "0 3 * * *", "0 0 29 2 *"])(
    "%s runs as often as without the delay",
    (expression) => {
      for (const share of [0, 0.5, 0.999]) {
        // When no run of a former time is still to come.
        const beforeFirst = Date.parse("2026-03-01T11:59:59.995Z");
        let [planned, delayed] = [beforeFirst, beforeFirst];
        for (let run = 0; run < 5; run += 1) {
          planned = nextFrom(planned, expression);
          // The timer is a little late.
          delayed = nextFrom(delayed + 3, expression, share);
          expect(delayed).toBeGreaterThanOrEqual(planned);
          expect(delayed - planned).toBeLessThan(MINUTE_MS);
        }
      }
    },
  );
});

import { describe, expect, test } from "vitest";
import { linkStretches, SAMPLE_EVERY_MS, type LinkSample } from "../../src/domain/link-history.ts";
import { clippedIntervals } from "../../src/domain/interval.ts";

const MINUTE = 60_000;
const HOUR = { sinceMs: 0, untilMs: 60 * MINUTE, count: 6 };
const sample = (
  minute: number,
  state: LinkSample["state"],
  oldestUnsentS: number | null = null,
): LinkSample => ({
  atMs: minute * MINUTE,
  state,
  oldestUnsentS,
});
const ups = (samples: readonly LinkSample[]): number[] =>
  linkStretches(samples, HOUR).map(({ up }) => Math.round(up * 100));
const downs = (samples: readonly LinkSample[]): number[] =>
  linkStretches(samples, HOUR).map(({ down }) => Math.round(down * 100));

describe("an hour of the link in intervals of ten minutes", () => {
  const every5 = Array.from({ length: 12 }, (_, index) => sample(index * 5, "up"));

  test("is complete while the daemon runs", () => {
    expect(ups(every5)).toEqual([100, 100, 100, 100, 100, 100]);
    expect(downs(every5)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("shows the length of an outage", () => {
    const outage = [...every5.slice(0, 3), sample(14, "down", 20), sample(16, "up"), ...every5.slice(4)];
    expect(downs(outage)).toEqual([0, 20, 0, 0, 0, 0]);
    expect(ups(outage)[1]).toBe(80);
    expect(linkStretches(outage, HOUR)[1]?.oldestUnsentS).toBe(20);
  });

  test("has a gap while the daemon does not run", () => {
    expect(ups([sample(0, "up"), sample(50, "up")])).toEqual([100, 0, 0, 0, 0, 100]);
    expect(linkStretches([sample(0, "up")], HOUR)[3]).toMatchObject({ up: 0, down: 0, oldestUnsentS: null });
  });

  test("continues from an earlier sample", () => {
    expect(ups([{ ...sample(0, "up"), atMs: -SAMPLE_EVERY_MS }])[0]).toBe(50);
  });
});

describe("spans between start and end events", () => {
  const time = { sinceMs: 10, untilMs: 100 };
  test.each([
    [
      "one that has ended",
      [
        { atMs: 20, begins: true },
        { atMs: 30, begins: false },
      ],
      [[20, 30]],
    ],
    ["one that is still open", [{ atMs: 20, begins: true }], [[20, 100]]],
    [
      "one that started earlier",
      [
        { atMs: 5, begins: true },
        { atMs: 30, begins: false },
      ],
      [[10, 30]],
    ],
    ["one without a known start", [{ atMs: 30, begins: false }], [[10, 30]]],
    [
      "one that ended earlier",
      [
        { atMs: 2, begins: true },
        { atMs: 5, begins: false },
      ],
      [],
    ],
    [
      "two starts in a row",
      [
        { atMs: 20, begins: true },
        { atMs: 25, begins: true },
      ],
      [[20, 100]],
    ],
  ])("%s", (_what, marks, spans) => {
    expect(clippedIntervals(marks, time).map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual(spans);
  });
});

import { describe, expect, test } from "vitest";
import { median, percentile, ratio, spread } from "../../scripts/bench/statistics.ts";

describe("the statistics of a run", () => {
  test.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ])("the median of %j is %d", (values, middle) => {
    expect(median(values)).toBe(middle);
  });

  test("a percentile is interpolated, and the order of the values does not matter", () => {
    const values = Array.from({ length: 101 }, (_, index) => 100 - index);
    expect(percentile(values, 99)).toBe(99);
    expect(percentile([10, 20], 25)).toBe(12.5);
    expect(values[0]).toBe(100);
  });

  test("an empty list has no median", () => {
    expect(() => median([])).toThrow(/no values/);
  });

  test("the spread is the range as a fraction of the median", () => {
    expect(spread([90, 100, 120])).toBeCloseTo(0.3);
    expect(spread([7])).toBe(0);
    expect(spread([0, 0])).toBe(0);
  });

  test("a round in which the whole machine was slow does not change a ratio", () => {
    expect(ratio([200, 20, 200], [100, 10, 100])).toBe(2);
  });

  test("rounds that only one side has completed are ignored", () => {
    expect(ratio([200, 200, 200], [100])).toBe(2);
    expect(ratio([200], [])).toBeUndefined();
    expect(ratio([200], [0])).toBeUndefined();
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers, filterFault, hasWildcard, matchesFilter, overlap } from "../../src/domain/topic-filter.ts";

describe("a topic", () => {
  const cases: readonly (readonly [topic: string, filter: string, isUnder: boolean])[] = [
    ["a/b", "a/b", true],
    ["a/b", "a/+", true],
    ["a/b/c", "a/+", false],
    ["a", "a/+", false],
    ["a/", "a/+", true],
    ["a/b/c", "a/b/#", true],
    ["a/b", "a/b/#", true],
    ["a/bc", "a/b/#", false],
    ["a/b/state", "a/+/state", true],
    ["$SYS/broker", "+/broker", false],
    ["$SYS/broker", "$SYS/broker", true],
  ];
  test.each(cases)("%s matches %s: %s", (topic, filter, expected) => {
    expect(matchesFilter(topic, filter)).toBe(expected);
  });
});

describe("two filters", () => {
  const cases: readonly (readonly [one: string, other: string, overlap: boolean])[] = [
    ["a/b", "a/b", true],
    ["a/b", "a/c", false],
    ["a/+", "a/b", true],
    ["a/+", "a/b/c", false],
    ["a/+/c", "a/b/+", true],
    ["a/b/#", "a/b", true],
    ["a/b/#", "a/+/c/d", true],
    ["a/b/#", "a/c/+", false],
  ];
  test.each(cases)("%s and %s overlap: %s", (one, other, expected) => {
    expect(overlap(one, other)).toBe(expected);
    expect(overlap(other, one)).toBe(expected);
  });

  const level = fc.constantFrom("a", "b", "c");
  const topic = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join("/"));
  const wildcard = fc.constantFrom("a", "b", "c", "+");
  const filter = fc
    .tuple(fc.array(wildcard, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([levels, all]) => [...levels, ...(all ? ["#"] : [])].join("/"));

  test("overlap whenever one topic matches both", () => {
    fc.assert(
      fc.property(topic, filter, filter, (some, one, other) => {
        if (matchesFilter(some, one) && matchesFilter(some, other)) expect(overlap(one, other)).toBe(true);
      }),
    );
  });
});

describe("a filter that covers another", () => {
  test.each<[wide: string, narrow: string, covers: boolean]>([
    ["a/b", "a/b", true],
    ["a/b", "a/+", false],
    ["a/+", "a/b", true],
    ["a/+", "a/+", true],
    ["a/+", "a/b/c", false],
    ["a/+", "a", false],
    ["a/+", "a/#", false],
    ["a/#", "a", true],
    ["a/#", "a/b/+", true],
    ["a/#", "a/#", true],
    ["a/#", "+/b", false],
    ["#", "a/#", true],
    ["#", "$SYS/broker", false],
    ["+/broker", "$SYS/broker", false],
    ["$SYS/#", "$SYS/broker", true],
    ["a/b/c", "a/b", false],
  ])("%s covers %s: %s", (wide, narrow, expected) => {
    expect(covers(wide, narrow)).toBe(expected);
  });

  test("matches each topic that the other matches", () => {
    const level = fc.constantFrom("a", "b", "$c");
    const topic = fc.array(level, { minLength: 1, maxLength: 3 }).map((levels) => levels.join("/"));
    const filter = fc
      .tuple(fc.array(fc.constantFrom("a", "b", "$c", "+"), { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([levels, all]) => [...levels, ...(all ? ["#"] : [])].join("/"));
    fc.assert(
      fc.property(topic, filter, filter, (some, wide, narrow) => {
        if (covers(wide, narrow) && matchesFilter(some, narrow)) expect(matchesFilter(some, wide)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["a/b", false],
  ["a+/b#", false],
  ["a/+/b", true],
  ["a/#", true],
])("%s has a wildcard: %s", (filter, expected) => {
  expect(hasWildcard(filter)).toBe(expected);
});

describe("a configured filter", () => {
  test.each(["a", "a/b", "a/+", "+/a", "a/b/#", "a/b/c/#", "tele/+/LWT", "a//b"])("may be %s", (filter) => {
    expect(filterFault(filter)).toBeUndefined();
  });
  test.each(["#", "+", "+/+", "a/#", "a/+/#", "a/b/#/c", "a/b+", "a/b#", "+/+/#"])(
    "may not be %s",
    (filter) => {
      expect(filterFault(filter)).toMatch(/such as|last level/);
    },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  judgeAbsence,
  SECOND_CHECK_MS,
  type AbsenceStep,
  type ListPresence,
} from "../../src/domain/absence.ts";

/* Effects of responses on a record that the dispatch centre reports as missing. */

const WORDS: readonly ListPresence[] = ["listed", "passed", "undetermined"];
/** Reads of a record: the time since the last one, and the result of the list if it is requested. */
const looks = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 400_000 }), list: fc.constantFrom(...WORDS) }),
  { minLength: 1, maxLength: 30 },
);

interface Played {
  readonly believedAfterMs: number | undefined;
  readonly lastList: ListPresence | undefined;
}

function play(all: readonly { afterMs: number; list: ListPresence }[]): Played {
  let sinceMs: number | null = null;
  let nowMs = 1_000_000;
  const firstMs = nowMs + (all[0]?.afterMs ?? 0);
  for (const { afterMs, list } of all) {
    nowMs += afterMs;
    const first = judgeAbsence(sinceMs, nowMs);
    const step: AbsenceStep = first.kind === "ask-list" ? judgeAbsence(sinceMs, nowMs, list) : first;
    if (step.kind === "believe") return { believedAfterMs: nowMs - firstMs, lastList: list };
    expect(step.kind).toBe("wait");
    if (step.kind !== "wait") break;
    expect(step.againAtMs).toBeGreaterThan(nowMs);
    expect(step.againAtMs).toBeLessThanOrEqual(nowMs + SECOND_CHECK_MS);
    ({ sinceMs } = step);
  }
  return { believedAfterMs: undefined, lastList: undefined };
}

test("a record counts as deleted only after two minutes and by a list that went past it, however many reads there are", () => {
  fc.assert(
    fc.property(looks, (all) => {
      const { believedAfterMs, lastList } = play(all);
      if (believedAfterMs === undefined) return;
      expect(believedAfterMs).toBeGreaterThanOrEqual(SECOND_CHECK_MS);
      expect(lastList).toBe("passed");
    }),
  );
});

test("a record that is deleted counts as deleted once the list shows it, at the second read", () => {
  fc.assert(
    fc.property(fc.integer({ min: SECOND_CHECK_MS, max: 10 * SECOND_CHECK_MS }), (afterMs) => {
      const { believedAfterMs } = play([
        { afterMs: 0, list: "passed" },
        { afterMs, list: "passed" },
      ]);
      expect(believedAfterMs).toBe(afterMs);
    }),
  );
});

test("a list that has the record restarts the two minutes", () => {
  const step = judgeAbsence(0, SECOND_CHECK_MS, "listed");
  expect(step).toEqual({ kind: "wait", sinceMs: SECOND_CHECK_MS, againAtMs: 2 * SECOND_CHECK_MS });
});

test("a list that was not read completely never makes a record count as deleted", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0 }), fc.integer({ min: 0 }), (sinceMs, ageMs) => {
      expect(judgeAbsence(sinceMs, sinceMs + ageMs, "undetermined").kind).toBe("wait");
    }),
  );
});

test("a missing record is read again soon, then at growing intervals, and once more after two minutes", () => {
  const looksMs = [0];
  for (let nowMs = 0; nowMs < SECOND_CHECK_MS;) {
    const step = judgeAbsence(nowMs === 0 ? null : 0, nowMs);
    expect(step).toMatchObject({ kind: "wait", sinceMs: 0 });
    if (step.kind !== "wait") break;
    nowMs = step.againAtMs;
    looksMs.push(nowMs);
  }
  expect(looksMs).toEqual([0, 10_000, 20_000, 40_000, 80_000, SECOND_CHECK_MS]);
});

test("a list that was not read completely postpones the next read, and not the time since when the record is missing", () => {
  const nowMs = SECOND_CHECK_MS + 5;
  const step = judgeAbsence(0, nowMs, "undetermined");
  expect(step).toEqual({ kind: "wait", sinceMs: 0, againAtMs: nowMs + SECOND_CHECK_MS });
});

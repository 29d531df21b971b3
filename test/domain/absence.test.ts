import fc from "fast-check";
import { expect, test } from "vitest";
import {
  judgeAbsence,
  SECOND_LOOK_MS,
  type AbsenceStep,
  type ListPresence,
} from "../../src/domain/absence.ts";

/* What the centre's answers can do to a record that it says it does not have. */

const WORDS: readonly ListPresence[] = ["listed", "passed", "undetermined"];
/** Looks at a record: how long after the one before, and what the list says if it is asked. */
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
    expect(step.againAtMs).toBeLessThanOrEqual(nowMs + SECOND_LOOK_MS);
    ({ sinceMs } = step);
  }
  return { believedAfterMs: undefined, lastList: undefined };
}

test("a record counts as gone only after two minutes and by a list that went past it, whatever the looks bring", () => {
  fc.assert(
    fc.property(looks, (all) => {
      const { believedAfterMs, lastList } = play(all);
      if (believedAfterMs === undefined) return;
      expect(believedAfterMs).toBeGreaterThanOrEqual(SECOND_LOOK_MS);
      expect(lastList).toBe("passed");
    }),
  );
});

test("a record that is really gone counts as gone once the list shows it, at the second look", () => {
  fc.assert(
    fc.property(fc.integer({ min: SECOND_LOOK_MS, max: 10 * SECOND_LOOK_MS }), (afterMs) => {
      const { believedAfterMs } = play([
        { afterMs: 0, list: "passed" },
        { afterMs, list: "passed" },
      ]);
      expect(believedAfterMs).toBe(afterMs);
    }),
  );
});

test("a list that shows the record starts the two minutes again", () => {
  const step = judgeAbsence(0, SECOND_LOOK_MS, "listed");
  expect(step).toEqual({ kind: "wait", sinceMs: SECOND_LOOK_MS, againAtMs: 2 * SECOND_LOOK_MS });
});

test("a list that could not be read whole never makes a record gone", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0 }), fc.integer({ min: 0 }), (sinceMs, ageMs) => {
      expect(judgeAbsence(sinceMs, sinceMs + ageMs, "undetermined").kind).toBe("wait");
    }),
  );
});

test("a record that is missing is looked at soon, then ever more rarely, and once more when the two minutes are over", () => {
  const looksMs = [0];
  for (let nowMs = 0; nowMs < SECOND_LOOK_MS;) {
    const step = judgeAbsence(nowMs === 0 ? null : 0, nowMs);
    expect(step).toMatchObject({ kind: "wait", sinceMs: 0 });
    if (step.kind !== "wait") break;
    nowMs = step.againAtMs;
    looksMs.push(nowMs);
  }
  expect(looksMs).toEqual([0, 10_000, 20_000, 40_000, 80_000, SECOND_LOOK_MS]);
});

test("a list that could not be read whole puts off the look, and not the time since when the record is missing", () => {
  const nowMs = SECOND_LOOK_MS + 5;
  const step = judgeAbsence(0, nowMs, "undetermined");
  expect(step).toEqual({ kind: "wait", sinceMs: 0, againAtMs: nowMs + SECOND_LOOK_MS });
});

import { assert as check, constantFrom, double, integer, array, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { backOffMs } from "../../src/domain/backoff.ts";
import { nextPhase, type OutboxEvent, type OutboxPhase } from "../../src/domain/outbox-phase.ts";
import { markerOf, withMarker } from "../../src/domain/marker.ts";
import { newIntervention } from "../../src/domain/intervention.ts";

describe("the phases of a record", () => {
  const ways: readonly [string, OutboxPhase, ...[OutboxEvent, OutboxPhase][]][] = [
    [
      "sent and taken",
      "new",
      ["send", "posting"],
      ["applied", "linked"],
      ["edited", "linked"],
      ["send", "writing"],
      ["applied", "linked"],
    ],
    [
      "sent into the dark and settled later",
      "new",
      ["send", "posting"],
      ["ambiguous", "unsure"],
      ["send", "posting"],
      ["applied", "linked"],
    ],
    [
      "on the wire when the power went",
      "new",
      ["send", "posting"],
      ["restart", "unsure"],
      ["deleted", "unsure"],
      ["send", "posting"],
      ["applied", "linked"],
    ],
    ["refused, then edited", "new", ["send", "posting"], ["refused", "rejected"], ["edited", "new"]],
    ["waiting for its objective", "new", ["send", "posting"], ["missing", "blocked"], ["retry", "new"]],
    ["deleted here", "linked", ["deleted", "linked"], ["send", "writing"], ["removed", "closed"]],
    ["deleted there", "linked", ["missing", "gone"], ["edited", "gone"], ["deleted", "closed"]],
    ["never sent", "new", ["withdrawn", "closed"]],
  ];
  test.each(ways)("%s", (_what, start, ...steps) => {
    let phase: OutboxPhase = start;
    for (const [event, wanted] of steps) {
      phase = nextPhase(phase, event, false);
      expect(phase).toBe(wanted);
    }
  });

  test("a rejected update returns to linked, a rejected first attempt to new", () => {
    expect(nextPhase("rejected", "edited", true)).toBe("linked");
    expect(nextPhase("rejected", "retry", false)).toBe("new");
  });

  test("an impossible transition throws", () => {
    expect(() => nextPhase("closed", "send", true)).toThrow(/closed does not accept the event send/);
    expect(() => nextPhase("posting", "send", false)).toThrow();
  });

  test("a local change is possible in every phase", () => {
    const phases: OutboxPhase[] = [
      "new",
      "posting",
      "unsure",
      "linked",
      "writing",
      "blocked",
      "rejected",
      "gone",
      "closed",
    ];
    for (const phase of phases)
      for (const event of ["edited", "deleted"] as const)
        expect(() => nextPhase(phase, event, false)).not.toThrow();
  });
});

test("the back-off is random between zero and a ceiling that doubles up to ten minutes", () => {
  check(
    property(
      tuple(integer({ min: 0, max: 1000 }), double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      ([attempts, random]) => {
        const wait = backOffMs(attempts, random);
        return wait >= 0 && wait < Math.min(600_000, 5000 * 2 ** attempts) + 1;
      },
    ),
  );
});

test("the marker is always complete and never exceeds the length limit of the contract", () => {
  const letters = array(constantFrom("a", "ș", "🚨", "\n"), { maxLength: 4000 }).map((parts) =>
    parts.join(""),
  );
  const marker = markerOf("hala-nord", "5c7209b0-c531-4ea1-80fa-0a4390c62327");
  check(
    property(letters, (notes) => {
      const fields = newIntervention({
        name: "n",
        objectiveType: "obiective/cladiri",
        objectiveId: 1,
        notes,
      });
      const marked = withMarker(fields, "notes", marker).notes ?? "";
      return marked.endsWith(marker) && [...marked].length <= 4000;
    }),
    { numRuns: 50 },
  );
});

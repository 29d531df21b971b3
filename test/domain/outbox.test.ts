import { assert as check, constantFrom, double, integer, array, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { ALARM_RETRY_MS, alarmBackOffMs, backOffMs } from "../../src/domain/backoff.ts";
import { changedEntry, priorityOrderOf, waitingForMs, type OutboxEntry } from "../../src/domain/outbox.ts";
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

  const PHASES = [
    "new",
    "posting",
    "unsure",
    "linked",
    "writing",
    "blocked",
    "rejected",
    "gone",
    "closed",
  ] as const;
  const stay = Object.fromEntries(PHASES.map((phase) => [phase, phase]));
  type Expected = Partial<
    Record<OutboxPhase, OutboxPhase | readonly [linked: OutboxPhase, unlinked: OutboxPhase]>
  >;

  test.each<[event: OutboxEvent, why: string, to: Expected]>([
    ["send", "is one request at a time", { new: "posting", unsure: "posting", linked: "writing" }],
    ["look", "is instead of the first request", { new: "unsure" }],
    ["found", "links a record, also one of two copies", { unsure: "linked", gone: "linked" }],
    ["absent", "ends a record that was deleted here", { unsure: "closed" }],
    [
      "mistaken",
      "searches for a record whose id is that of another",
      {
        posting: "unsure",
        linked: "unsure",
        writing: "unsure",
        rejected: "unsure",
      },
    ],
    ["applied", "is at the centre", { posting: "linked", linked: "linked", writing: "linked" }],
    ["removed", "leaves nothing to do", { linked: "closed", writing: "closed" }],
    ["not-applied", "is as before the request", { posting: "new", writing: "linked" }],
    ["ambiguous", "searches for what may have been created", { posting: "unsure", writing: "linked" }],
    ["refused", "waits for a person", { posting: "rejected", writing: "rejected" }],
    ["missing", "is an unknown objective, or a deleted record", { posting: "blocked", linked: "gone" }],
    [
      "edited",
      "restarts what waited for a person or an objective",
      { ...stay, blocked: "new", rejected: ["linked", "new"] },
    ],
    [
      "deleted",
      "ends what is not at the centre and cannot arrive there",
      {
        ...stay,
        blocked: "closed",
        rejected: ["linked", "closed"],
        gone: "closed",
      },
    ],
    [
      "withdrawn",
      "is possible only with no request under way",
      { new: "closed", blocked: "closed", rejected: "closed", gone: "closed" },
    ],
    ["joined", "opens what was finished, and searches first", { gone: "unsure", closed: ["linked", "new"] }],
    [
      "retry",
      "restarts what has stopped, and searches for what was deleted there",
      { ...stay, blocked: "new", rejected: ["linked", "new"], gone: "unsure" },
    ],
    [
      "restart",
      "takes a request that was under way as ambiguous",
      { ...stay, posting: "unsure", writing: "linked" },
    ],
  ])("%s %s, and is impossible elsewhere", (event, _why, to) => {
    for (const phase of PHASES) {
      const wanted = to[phase];
      if (wanted === undefined) {
        expect(() => nextPhase(phase, event, false)).toThrow(
          `phase ${phase} does not accept the event ${event}`,
        );
        continue;
      }
      const [linked, unlinked] = typeof wanted === "string" ? [wanted, wanted] : wanted;
      expect([nextPhase(phase, event, true), nextPhase(phase, event, false)]).toEqual([linked, unlinked]);
    }
  });
});

test("alarms are sent before other records", () => {
  expect(
    (["low", "high", "medium"] as const).toSorted((a, b) => priorityOrderOf(a) - priorityOrderOf(b)),
  ).toEqual(["high", "medium", "low"]);
});

describe("a change of a record", () => {
  const LATER_MS = 9_000;
  const SWEEP_MS = 900_000;
  const NOW_MS = 5_000;
  const ENTRY: OutboxEntry = {
    interventionId: 1,
    phase: "new",
    priorityOrder: priorityOrderOf("medium"),
    wantRev: 1,
    syncedRev: 0,
    joinedRev: 0,
    joinedAtMs: null,
    unpulled: [],
    deleted: false,
    upstreamId: null,
    arrivedAtMs: null,
    base: null,
    agreed: null,
    attempt: null,
    verifyAtMs: null,
    refusals: 2,
    attempts: 4,
    nextAtMs: LATER_MS,
    lastCode: null,
    lastError: null,
    sends: 0,
    watermark: null,
    watermarkFingerprint: null,
    possiblyDuplicated: false,
    sweeps: 3,
    sweepAtMs: null,
    inFlightValues: {},
    inFlightUntilMs: null,
    missingSinceMs: null,
  };
  const changed = (
    entry: Partial<OutboxEntry>,
    event: "edited" | "deleted" = "edited",
    {
      priority = "medium",
      hasTripJoined = false,
    }: { priority?: "high" | "medium"; hasTripJoined?: boolean } = {},
  ): OutboxEntry =>
    changedEntry(
      { ...ENTRY, ...entry },
      {
        event,
        rev: 2,
        priorityOrder: priorityOrderOf(priority),
        hasTripJoined,
        nowMs: NOW_MS,
        firstSweepMs: SWEEP_MS,
      },
    );

  test("wants its revision at the centre, and starts without rejections", () => {
    expect(changed({})).toMatchObject({
      wantRev: 2,
      joinedRev: 0,
      deleted: false,
      refusals: 0,
    });
    expect(changed({}, "edited", { hasTripJoined: true })).toMatchObject({
      joinedRev: 2,
      joinedAtMs: NOW_MS,
    });
    const lacking = { joinedRev: 1, joinedAtMs: 1_000 };
    expect(changed(lacking, "edited", { hasTripJoined: true })).toMatchObject({
      joinedRev: 2,
      joinedAtMs: 1_000,
    });
    expect(changed({ ...lacking, syncedRev: 1 }).joinedAtMs).toBeNull();
    expect(changed({}, "deleted").deleted).toBe(true);
    expect(changed({ deleted: true }, "edited", { priority: "high" })).toMatchObject({
      deleted: false,
      priorityOrder: priorityOrderOf("high"),
    });
  });

  test.each<[what: string, before: Partial<OutboxEntry>, isDue: boolean]>([
    ["was never sent", {}, true],
    ["is at the centre", { phase: "linked", upstreamId: 7 }, true],
    ["failed for a reason of its own", { lastCode: "500" }, true],
    ["was rejected", { phase: "rejected" }, true],
    ["waits for its objective", { phase: "blocked" }, true],
    ["may have arrived", { phase: "unsure", sends: 1 }, false],
    ["is being sent", { phase: "posting", sends: 1 }, false],
    ["may be missing at the centre", { phase: "linked", upstreamId: 7, missingSinceMs: 1 }, false],
    ["is one for which the centre asked for time (429)", { lastCode: "429" }, false],
    ["is one for which the centre asked for time (503)", { lastCode: "503" }, false],
  ])("that %s: due at once is %s", (_what, before, isDue) => {
    expect(changed(before).nextAtMs).toBe(isDue ? 0 : LATER_MS);
  });

  test.each<[before: Partial<OutboxEntry>, isDue: boolean]>([
    [{ lastCode: "429" }, true],
    [{ phase: "unsure", sends: 1 }, true],
    [{ phase: "unsure", sends: 1, priorityOrder: priorityOrderOf("high") }, false],
    [{ phase: "linked", upstreamId: 7, missingSinceMs: 1 }, false],
  ])("that makes it an alarm, %j: due at once is %s", (before, isDue) => {
    expect(changed(before, "edited", { priority: "high" }).nextAtMs).toBe(isDue ? 0 : LATER_MS);
  });

  test("of a rejected record counts its attempts from the beginning", () => {
    expect(changed({ phase: "rejected" })).toMatchObject({
      phase: "new",
      attempts: 0,
    });
    expect(changed({ phase: "rejected", upstreamId: 7 })).toMatchObject({
      phase: "linked",
      attempts: 0,
    });
    expect(changed({}).attempts).toBe(4);
  });

  test.each<[what: string, before: Partial<OutboxEntry>, phase: OutboxPhase]>([
    ["was never sent needs no request", {}, "closed"],
    ["was sent is searched for first", { sends: 1 }, "new"],
    ["is at the centre is deleted there", { phase: "linked", upstreamId: 7, sends: 1 }, "linked"],
    ["was rejected is not sent only to be deleted", { phase: "rejected", sends: 1 }, "closed"],
    ["is there with a rejected update is deleted there", { phase: "rejected", upstreamId: 7 }, "linked"],
    ["may have arrived is searched for first", { phase: "unsure", sends: 1 }, "unsure"],
    ["may be there from before a restore is searched for first", { phase: "unsure" }, "unsure"],
    ["the centre has deleted needs no request", { phase: "gone" }, "closed"],
  ])("deletion: one that %s", (_what, before, phase) => {
    expect(changed(before, "deleted").phase).toBe(phase);
  });

  test("deletion: copies that may still arrive are searched for later, and only those", () => {
    const search = { sweeps: 0, sweepAtMs: SWEEP_MS };
    expect(changed({ phase: "gone", possiblyDuplicated: true }, "deleted")).toMatchObject(search);
    expect(changed({ phase: "gone" }, "deleted")).toMatchObject({
      sweeps: 3,
      sweepAtMs: null,
    });
    expect(changed({ phase: "unsure", sends: 1, possiblyDuplicated: true }, "deleted")).toMatchObject({
      sweeps: 3,
      sweepAtMs: null,
    });
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

test.each([
  [0, 0.5, 2_500],
  [1, 0.5, 5_000],
  [3, 0.25, 10_000],
  [6, 0.5, 160_000],
  [7, 0.5, 300_000],
  [1000, 0.5, 300_000],
])("the back-off after %d failures with %d is %d ms", (attempts, random, waitMs) => {
  expect(backOffMs(attempts, random)).toBe(waitMs);
});

test("the back-off of the local API has limits of its own", () => {
  expect([backOffMs(0, 0.5, 100, 30_000), backOffMs(20, 0.5, 100, 30_000)]).toEqual([50, 15_000]);
});

test.each<[what: string, busy: Parameters<typeof alarmBackOffMs>[2], waits: number[]]>([
  ["that is not reached: a minute at most", undefined, [2_500, 5_000, 20_000, 30_000]],
  ["that is busy: ten seconds at most", { retryAfterMs: 0 }, [2_500, 5_000, 5_000, 5_000]],
  ["that asks for 4 s: these and ten seconds at most", { retryAfterMs: 4_000 }, [6_500, 9_000, 9_000, 9_000]],
  [
    "that asks for 30 s: these, and as much at random",
    { retryAfterMs: 30_000 },
    [32_500, 35_000, 45_000, 45_000],
  ],
  ["that asks for an hour: a minute", { retryAfterMs: 3_600_000 }, [60_000, 60_000, 60_000, 60_000]],
])("an alarm waits for a centre %s", (_what, busy, waits) => {
  expect([0, 1, 3, 1000].map((failures) => alarmBackOffMs(failures, 0.5, busy))).toEqual(waits);
});

test.each<[what: string, oldestWaitingMs: number | null, ms: number]>([
  ["nothing waits: 0", null, 0],
  ["the oldest record is of an earlier time", 1_000, 9_000],
  ["the clock was set back since: as far as that time is ahead", 25_000, 15_000],
])("the wait of the queue if %s", (_what, oldestWaitingMs, ms) => {
  expect(waitingForMs({ oldestWaitingMs }, 10_000)).toBe(ms);
});

test("a rejected alarm is sent again for ten minutes", () => {
  expect(ALARM_RETRY_MS.reduce((sum, ms) => sum + ms, 0)).toBe(600_000);
});

test("the marker is always complete and never exceeds the length limit of the contract", () => {
  const letters = array(constantFrom("a", "ș", "🚨", "\n"), {
    maxLength: 4000,
  }).map((parts) => parts.join(""));
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

import { assert as check, constantFrom, property, record, subarray } from "fast-check";
import { describe, expect, test } from "vitest";
import { INTERVENTION_FIELDS, type InterventionFields } from "../../src/domain/intervention.ts";
import { merge, withInFlightValues, type UpstreamRecord, type MergeSides } from "../../src/domain/merge.ts";

/* A common base of both sides, and the later changes of each. */

const COMMON: InterventionFields = {
  name: "Intrusion",
  description: "at the door",
  dateStart: "2026-11-20T21:30:00Z",
  dateEnd: null,
  status: "planned",
  priority: "medium",
  type: "maintenance",
  objectiveType: "obiective/cladiri",
  objectiveId: 1,
  crews: 1,
  police: false,
  ambulance: false,
  firetruck: false,
  notes: null,
};

function sides(
  localNotes: Partial<InterventionFields>,
  upstreamNotes: UpstreamRecord,
  others: Partial<MergeSides> = {},
): MergeSides {
  return {
    local: { ...COMMON, ...localNotes },
    agreed: COMMON,
    base: { ...COMMON },
    upstream: { ...COMMON, ...upstreamNotes },
    inFlightValues: {},
    ...others,
  };
}

const LATER = "2026-11-21T08:00:00Z";
const LATEST = "2026-11-21T09:00:00Z";

describe("the objective, which is a type with an id", () => {
  const there = { objectiveType: "obiective/bunuri", objectiveId: 1 } as const;

  test.each<[what: string, change: Partial<InterventionFields>]>([
    ["of another type", { objectiveType: "obiective/bunuri" }],
    ["of another id", { objectiveId: 2 }],
  ])("%s is taken and sent whole: half of it is another one, or rejected", (_what, change) => {
    const { objectiveType, objectiveId } = { ...COMMON, ...change };
    const whole = { objectiveType, objectiveId };
    expect(merge(sides(change, {}))).toEqual({ push: whole, applyLocally: {}, conflicts: [] });
    expect(merge(sides({}, change))).toEqual({ push: {}, applyLocally: whole, conflicts: [] });
  });

  test("never becomes the type of one side with the id of the other", () => {
    expect(merge(sides({ objectiveId: 2 }, { objectiveType: there.objectiveType }))).toEqual({
      push: { objectiveType: "obiective/cladiri", objectiveId: 2 },
      applyLocally: {},
      conflicts: [
        { field: "objectiveType", here: "obiective/cladiri", there: "obiective/bunuri", kept: "here" },
        { field: "objectiveId", here: 2, there: 1, kept: "here" },
      ],
    });
  });

  test("keeps its type at a centre that shows only the id", () => {
    const { objectiveType: _, ...withoutType } = COMMON;
    const shown = { base: withoutType, upstream: { ...withoutType, objectiveId: 2 } };
    expect(merge(sides({}, {}, shown)).applyLocally).toEqual({
      objectiveType: "obiective/cladiri",
      objectiveId: 2,
    });
  });

  test("that both sides have changed alike stays", () => {
    expect(merge(sides(there, there))).toEqual({ push: {}, applyLocally: {}, conflicts: [] });
  });
});

describe("a field changed on one side", () => {
  test.each<[field: string, value: unknown]>([
    ["name", "Smoke"],
    ["description", "at the gate"],
    ["dateStart", LATER],
    ["dateEnd", LATER],
    ["status", "in_progress"],
    ["priority", "high"],
    ["type", "repair"],
    ["crews", 2],
    ["police", true],
    ["notes", "seen"],
  ])("takes the value of that side: %s", (field, value) => {
    expect(merge(sides({ [field]: value }, {}))).toEqual({
      push: { [field]: value },
      applyLocally: {},
      conflicts: [],
    });
    expect(merge(sides({}, { [field]: value }))).toEqual({
      push: {},
      applyLocally: { [field]: value },
      conflicts: [],
    });
  });

  test("is sent alone, whatever the other side has changed", () => {
    const merged = merge(sides({ description: "at the gate" }, { crews: 4, status: "in_progress" }));
    expect(merged.push).toEqual({ description: "at the gate" });
    expect(merged.applyLocally).toEqual({ crews: 4, status: "in_progress" });
  });

  test("takes the value of that side also when it was emptied", () => {
    expect(merge(sides({ description: null }, {})).push).toEqual({ description: null });
    expect(merge(sides({}, { description: null })).applyLocally).toEqual({ description: null });
  });
});

describe("a field changed on both sides", () => {
  test.each<[field: string, here: unknown, there: unknown]>([
    ["dateStart", LATER, LATEST],
    ["dateEnd", LATER, LATEST],
    ["crews", 2, 3],
    ["police", true, null],
    ["ambulance", true, null],
    ["firetruck", true, null],
  ])("takes the value of the dispatch centre: %s", (field, localNotes, upstreamNotes) => {
    const merged = merge(sides({ [field]: localNotes }, { [field]: upstreamNotes }));
    expect(merged).toEqual({
      push: {},
      applyLocally: { [field]: upstreamNotes },
      conflicts: [{ field, here: localNotes, there: upstreamNotes, kept: "there" }],
    });
  });

  test.each<[field: string, here: unknown, there: unknown]>([
    ["name", "Smoke", "Fire"],
    ["description", "at the gate", "in the yard"],
    ["priority", "high", "low"],
    ["type", "repair", "inspection"],
  ])("takes the value of the site: %s", (field, localNotes, upstreamNotes) => {
    const merged = merge(sides({ [field]: localNotes }, { [field]: upstreamNotes }));
    expect(merged).toEqual({
      push: { [field]: localNotes },
      applyLocally: {},
      conflicts: [{ field, here: localNotes, there: upstreamNotes, kept: "here" }],
    });
  });

  test.each<
    [here: InterventionFields["status"], there: InterventionFields["status"], kept: "here" | "there"]
  >([
    ["in_progress", "done", "there"],
    ["done", "in_progress", "here"],
  ])("takes the later status: %s here, %s there", (localNotes, upstreamNotes, kept) => {
    const merged = merge(sides({ status: localNotes }, { status: upstreamNotes }));
    expect(merged[kept === "here" ? "push" : "applyLocally"]).toEqual({ status: "done" });
    expect(merged.conflicts).toEqual([{ field: "status", here: localNotes, there: upstreamNotes, kept }]);
  });

  test("takes the later status also when both sides went back", () => {
    const both = sides({ status: "planned" }, { status: "in_progress" });
    const done = { ...COMMON, status: "done" } as const;
    const merged = merge({ ...both, agreed: done, base: done });
    expect(merged).toMatchObject({ push: {}, applyLocally: { status: "in_progress" } });
  });

  test.each([
    [null, ""],
    ["", null],
  ])("to nothing is not a conflict, in whichever form: %j here, %j there", (localNotes, upstreamNotes) => {
    expect(merge(sides({ description: localNotes }, { description: upstreamNotes }))).toEqual({
      push: {},
      applyLocally: {},
      conflicts: [],
    });
  });

  test.each<[what: string, agreed: string | null, here: string, there: string, both: string]>([
    ["each side added a line", null, "seen", "heard", "heard\nseen"],
    [
      "a zone opened again while a dispatcher wrote",
      "23:30 Door",
      "23:30 Door ×2 → 23:41",
      "23:30 Door\nCrew 4 sent",
      "23:30 Door ×2 → 23:41\nCrew 4 sent",
    ],
    ["a dispatcher removed our line", "a\nb", "a\nb ×2", "a\nCrew 4", "a\nCrew 4\nb ×2"],
    ["a user on site removed a line", "a\nb", "a", "a\nb\nCrew 4", "a\nCrew 4"],
    ["a dispatcher added an empty line to empty notes", "", "seen", "a\n\nb", "a\n\nb\nseen"],
    [
      "a dispatcher wrote below the line of a zone, and it and the first zone were restored",
      "03:27 Door\n03:29 Hall",
      "03:26 Gate, restored 03:40\n03:27 Door, restored 03:41\n03:29 Hall",
      "03:27 Door\nchecked\n03:29 Hall\nCrew 4",
      "03:26 Gate, restored 03:40\n03:27 Door, restored 03:41\nchecked\n03:29 Hall\nCrew 4",
    ],
    [
      "two zones of the same minute were restored",
      "03:27 Door\n03:27 Depot",
      "03:27 Dock, restored 03:40\n03:27 Door, restored 03:41\n03:27 Depot, restored 03:41",
      "03:27 Door\nchecked\n03:27 Depot\nlocked",
      "03:27 Dock, restored 03:40\n03:27 Door, restored 03:41\nchecked\n03:27 Depot, restored 03:41\nlocked",
    ],
    ["a user on site added lines around one that a dispatcher removed", "b", "x\nb\ny", "c", "c\nx\ny"],
    ["a user on site replaced one line and added another", "a\nb", "c\nb\nd", "a\nb\ne", "c\nb\ne\nd"],
    ["both sides added the same line", "a", "a\nb", "a\nb\nCrew 4", "a\nb\nCrew 4"],
  ])("keeps the notes of both sides when %s", (_what, agreed, localNotes, upstreamNotes, both) => {
    const base = sides({ notes: localNotes }, { notes: upstreamNotes });
    const merged = merge({
      ...base,
      agreed: { ...base.agreed, notes: agreed },
      base: { ...base.base, notes: agreed },
    });
    expect(merged).toEqual({ push: { notes: both }, applyLocally: { notes: both }, conflicts: [] });
  });

  test.each<[what: string, here: string, push: object]>([
    ["none of the site's lines fits", "h".repeat(2_000), {}],
    ["some of the site's lines fit", `${"h".repeat(2_000)}\nseen`, { notes: `${"t".repeat(2_000)}\nseen` }],
  ])(
    "keeps the notes of the dispatcher whole, and returns the others, when %s",
    (_what, localNotes, push) => {
      const upstreamNotes = "t".repeat(2_000);
      expect(merge(sides({ notes: localNotes }, { notes: upstreamNotes }))).toEqual({
        push,
        applyLocally: { notes: upstreamNotes, ...push },
        conflicts: [{ field: "notes", here: localNotes, there: upstreamNotes, kept: "there" }],
        omitted: "h".repeat(2_000),
      });
    },
  );

  test.each<[what: string, there: string, push: object]>([
    ["as long as the limit", "t".repeat(2_900), { notes: `${"t".repeat(2_900)}\n${"h".repeat(999)}` }],
    ["one character longer", "t".repeat(2_901), {}],
  ])("keeps both notes up to the limit: together %s", (_what, upstreamNotes, push) => {
    expect(merge(sides({ notes: "h".repeat(999) }, { notes: upstreamNotes })).push).toEqual(push);
  });

  test("takes the side whose notes are text", () => {
    const upstreamNotes = "seen";
    expect(merge({ ...sides({}, { notes: upstreamNotes }), agreed: { ...COMMON, notes: "old" } })).toEqual({
      push: { notes: null },
      applyLocally: {},
      conflicts: [{ field: "notes", here: null, there: upstreamNotes, kept: "here" }],
    });
  });

  test("to the same value is not a conflict", () => {
    expect(merge(sides({ status: "done", crews: 2 }, { status: "done", crews: 2 }))).toEqual({
      push: {},
      applyLocally: {},
      conflicts: [],
    });
  });
});

describe("a record that the dispatch centre set done", () => {
  const LINE = "23:41 Hall";
  const done = (local: Partial<InterventionFields>, upstream: UpstreamRecord, hasTripJoined = true) =>
    merge(sides({ notes: LINE, ...local }, { status: "done", ...upstream }, { hasTripJoined }));
  const conflict = (here: string) => ({ field: "status", here, there: "done", kept: "here" });

  test("without the line of a trip that has joined is open again, with its line", () => {
    expect(done({}, {})).toEqual({
      push: { notes: LINE, status: "planned" },
      applyLocally: {},
      conflicts: [conflict("planned")],
    });
  });

  test("is open again in the state that the site had, and other conflicts keep their outcome", () => {
    const merged = done({ status: "in_progress", name: "Smoke" }, { name: "Fire", crews: 2 });
    expect(merged).toEqual({
      push: { notes: LINE, name: "Smoke", status: "in_progress" },
      applyLocally: { crews: 2 },
      conflicts: [{ field: "name", here: "Smoke", there: "Fire", kept: "here" }, conflict("in_progress")],
    });
  });

  test("stays done if the line has no place in the notes, and is returned for another record", () => {
    const notes = "t".repeat(3_895);
    expect(done({}, { notes })).toEqual({
      push: {},
      applyLocally: { notes, status: "done" },
      conflicts: [{ field: "notes", here: LINE, there: notes, kept: "there" }],
      omitted: LINE,
    });
  });

  test("is open again also if a dispatcher has written in the notes", () => {
    const merged = done({}, { notes: "Crew 4 sent" });
    expect(merged.push).toEqual({ notes: `Crew 4 sent\n${LINE}`, status: "planned" });
  });

  test("stays done if no trip has joined, or if the dispatch centre has its line", () => {
    expect(done({}, {}, false)).toEqual({
      push: { notes: LINE },
      applyLocally: { status: "done" },
      conflicts: [],
    });
    expect(done({}, { notes: LINE })).toMatchObject({ push: {}, applyLocally: { status: "done" } });
    expect(done({}, { notes: `${LINE}\nCrew 4 sent` })).toMatchObject({ applyLocally: { status: "done" } });
    expect(done({ notes: null }, { notes: "Crew 4 sent" })).toMatchObject({
      applyLocally: { status: "done" },
    });
  });

  test("is not confused with one that it has begun", () => {
    expect(done({}, { status: "in_progress" })).toEqual({
      push: { notes: LINE },
      applyLocally: { status: "in_progress" },
      conflicts: [],
    });
  });
});

describe("formats of the dispatch centre", () => {
  test("null, an empty text and a missing field are the same", () => {
    for (const notes of [null, "", undefined])
      expect(merge(sides({}, { notes }))).toEqual({ push: {}, applyLocally: {}, conflicts: [] });
  });

  test("a reformatted date is not a change, because each side has its own base", () => {
    const own = { dateStart: "2026-11-20T23:30:00+02:00" };
    const merged = merge(sides({}, own, { base: { ...COMMON, ...own } }));
    expect(merged).toEqual({ push: {}, applyLocally: {}, conflicts: [] });
  });

  test("a field that it has never returned has the agreed value", () => {
    const { crews: _crews, ...base } = COMMON;
    const untouched = merge(sides({ crews: 2 }, { crews: 1 }, { base }));
    expect(untouched).toEqual({ push: { crews: 2 }, applyLocally: {}, conflicts: [] });
    const dispatched = merge(sides({}, { crews: 3 }, { base }));
    expect(dispatched).toEqual({ push: {}, applyLocally: { crews: 3 }, conflicts: [] });
  });

  test("a field that it does not have keeps the local value", () => {
    const { crews: _crews, ...base } = COMMON;
    const merged = merge(sides({}, { crews: undefined }, { base }));
    expect(merged).toEqual({ push: {}, applyLocally: {}, conflicts: [] });
    expect(merged.applyLocally).not.toHaveProperty("crews");
  });

  test("a field that it no longer returns keeps its last value there", () => {
    const merged = merge(sides({ crews: 5 }, { crews: undefined }, { base: { ...COMMON, crews: 5 } }));
    expect(merged).toEqual({ push: {}, applyLocally: {}, conflicts: [] });
  });

  test("a field that is missing in a response is not a change", () => {
    expect(merge(sides({ crews: 2 }, { crews: undefined, police: undefined })).push).toEqual({ crews: 2 });
  });
});

describe("an in-flight value of ours that arrives late", () => {
  const late = { inFlightValues: { description: ["first word"] } };

  test("is not a change by a dispatcher: the newer local value is sent again", () => {
    const agreed = { ...COMMON, description: "second word" };
    const merged = merge({
      ...sides({ description: "second word" }, { description: "first word" }, late),
      agreed,
      base: { ...agreed },
    });
    expect(merged).toEqual({ push: { description: "second word" }, applyLocally: {}, conflicts: [] });
  });

  test("does not hide a change by a dispatcher", () => {
    expect(merge(sides({}, { description: "called the owner" }, late)).applyLocally).toEqual({
      description: "called the owner",
    });
  });

  test("is stored once, the newest last, up to a limit", () => {
    let inFlightValues = withInFlightValues({}, { crews: 1 });
    for (let crews = 1; crews <= 60; crews += 1)
      inFlightValues = withInFlightValues(inFlightValues, { crews });
    inFlightValues = withInFlightValues(inFlightValues, { crews: 59, police: true });
    expect(inFlightValues["crews"]).toHaveLength(50);
    expect(inFlightValues["crews"]?.at(-1)).toBe(59);
    expect(new Set(inFlightValues["crews"])).toHaveProperty("size", 50);
    expect(inFlightValues["police"]).toEqual([true]);
  });
});

test("after any changes on both sides no field but the notes goes both ways, and a second merge has nothing to do", () => {
  const changed = subarray([...INTERVENTION_FIELDS]);
  const value = constantFrom<unknown>("one", "two", 1, 2, true, false, null, "done", "in_progress");
  const fields = record(Object.fromEntries(INTERVENTION_FIELDS.map((field) => [field, value])));
  const among = (all: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, all[name]]));
  check(
    property(fields, changed, fields, changed, (localNotes, hereNames, upstreamNotes, thereNames) => {
      const before = sides(among(localNotes, hereNames), among(upstreamNotes, thereNames));
      const { push, applyLocally } = merge(before);
      expect(Object.keys(push).filter((field) => field in applyLocally && field !== "notes")).toEqual([]);
      const local = { ...before.local, ...applyLocally } as InterventionFields;
      const upstream = { ...before.upstream, ...push };
      expect(merge({ local, agreed: local, base: upstream, upstream, inFlightValues: {} })).toEqual({
        push: {},
        applyLocally: {},
        conflicts: [],
      });
      for (const field of INTERVENTION_FIELDS) expect(upstream[field] ?? "").toBe(local[field] ?? "");
    }),
  );
});

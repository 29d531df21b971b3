import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareWithCentre, isSameDifference, type ComparedRecord } from "../../src/domain/comparison.ts";
import type { Difference } from "../../src/domain/difference.ts";
import { markerOf } from "../../src/domain/marker.ts";
import type { MatchCandidate } from "../../src/domain/match-candidate.ts";

/* Comparison of the records of a site with the list of its dispatch centre. */

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const marker = (n: number, site = "hall"): string => markerOf(site, uuid(n));
const COMMON = { objectiveType: "obiective/cladiri", objectiveId: 1, name: "Intrusion", dateStart: null };

function row(id: number, notes: string | null): MatchCandidate {
  return { ...COMMON, id, notes };
}

function record(n: number, changes: Partial<ComparedRecord> = {}): ComparedRecord {
  const base = row(n, marker(n));
  return {
    interventionId: n,
    name: "Intrusion",
    upstreamId: n,
    wanted: "there",
    marker: marker(n),
    watermark: 0,
    base,
    ...changes,
  };
}

const compare = (records: readonly ComparedRecord[], rows: readonly MatchCandidate[]) =>
  compareWithCentre(records, rows, { siteRef: "hall", isFinished: () => false });

const counts = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 });

test("missing, duplicate and different records are listed, and no others", () => {
  fc.assert(
    fc.property(counts, (copies) => {
      const records = copies.map((_, index) => record(index + 1));
      let id = 1_000;
      const rows = copies.flatMap((count, index) =>
        Array.from({ length: count }, () => row((id += 1), marker(index + 1))),
      );
      const { here, there, differences } = compare(records, rows);
      expect(here).toBe(copies.length);
      expect(there).toBe(rows.length);
      const wanted = copies.flatMap((count, index) =>
        count === 1 ? [] : [[index + 1, count === 0 ? "missing-there" : "twice-there"]],
      );
      expect(differences.map(({ interventionId, kind }) => [interventionId, kind])).toEqual(wanted);
    }),
  );
});

test("records of other sites and of people are ignored, however similar", () => {
  const strangers = fc.array(
    fc.constantFrom(null, "called", marker(1, "hall-2"), marker(2, "hal"), "[ref:hall-2-x]"),
  );
  fc.assert(
    fc.property(counts, strangers, (copies, notes) => {
      const records = copies.map((_, index) => record(index + 1, { upstreamId: null }));
      const rows = copies.flatMap((count, index) =>
        Array.from({ length: count }, (_unused, copy) => row(100 * (index + 1) + copy, marker(index + 1))),
      );
      const others = notes.map((text, index) => row(50_000 + index, text));
      expect(compare(records, [...rows, ...others])).toEqual(compare(records, rows));
    }),
  );
});

describe("the list can also show", () => {
  test("a record that was deleted on site and exists upstream", () => {
    const { differences } = compare([record(1, { wanted: "not-there" })], [row(1, marker(1))]);
    expect(differences).toMatchObject([{ kind: "alive-there", interventionId: 1, upstreamIds: [1] }]);
  });

  test("a different record under the id of a record of this site", () => {
    const { differences } = compare([record(1)], [row(1, marker(9, "other"))]);
    expect(differences).toMatchObject([{ kind: "anothers", interventionId: 1 }]);
  });

  test("a record of this site that the database does not have", () => {
    const { differences } = compare([], [row(7, marker(7))]);
    expect(differences).toMatchObject([{ kind: "unknown-here", interventionId: null, upstreamIds: [7] }]);
  });

  test("nothing about a record that is still being sent", () => {
    const moving = record(1, { wanted: "moving" });
    expect(compare([moving], [row(1, marker(1)), row(2, marker(1))])).toEqual({
      here: 0,
      there: 0,
      differences: [],
    });
  });

  test("the record under a known id whose reference a dispatcher has removed", () => {
    const base = { ...row(1, marker(1)), dateStart: "2026-11-20T21:30:00Z" };
    const bare = { ...base, notes: null };
    expect(compare([record(1, { base })], [bare])).toEqual({ here: 1, there: 1, differences: [] });
    expect(compare([record(1, { base })], [bare, row(2, marker(1))]).differences).toMatchObject([
      { kind: "twice-there", upstreamIds: [1, 2] },
    ]);
    expect(compare([record(1, { base, upstreamId: null })], [bare]).differences).toMatchObject([
      { kind: "missing-there", upstreamIds: [] },
    ]);
  });

  test("nothing about a record that was deleted on both sides", () => {
    expect(compare([record(1, { wanted: "not-there" })], [])).toEqual({ here: 0, there: 0, differences: [] });
  });

  test("copies in the order of their ids, and unknown records with at most 200 characters of their name", () => {
    const rows = [10, 9, 8].map((id) => ({ ...row(id, marker(7)), name: "n".repeat(201) }));
    expect(compare([], rows)).toEqual({
      here: 0,
      there: 3,
      differences: [
        { kind: "unknown-here", interventionId: null, upstreamIds: [8, 9, 10], name: "n".repeat(200) },
      ],
    });
  });

  test("nothing about unknown records that retention may have removed here", () => {
    const rows = [row(7, marker(7)), row(8, marker(8))];
    const isFinished = ({ id }: MatchCandidate): boolean => id === 7;
    const { there, differences } = compareWithCentre([], rows, { siteRef: "hall", isFinished });
    expect([there, differences.map(({ upstreamIds }) => upstreamIds)]).toEqual([1, [[8]]]);
  });

  test("records whose references are no keys of this site, if they are known here", () => {
    const old = { marker: "[ref:hall-old]", base: row(1, "[ref:hall-old]") };
    expect(compare([record(1, { ...old, upstreamId: null })], [row(5, "[ref:hall-old]")]).there).toBe(1);
    expect(compare([], [row(5, "[ref:hall-old]")]).there).toBe(0);
  });
});

test("two differences are the same with the same kind, record and name, whatever the ids there", () => {
  const one: Difference = { kind: "missing-there", interventionId: 1, upstreamIds: [], name: "a" };
  const differs: Partial<Difference>[] = [{ kind: "twice-there" }, { interventionId: 2 }, { name: "b" }];
  expect(isSameDifference(one, { ...one, upstreamIds: [4] })).toBe(true);
  for (const each of differs) expect(isSameDifference(one, { ...one, ...each })).toBe(false);
});

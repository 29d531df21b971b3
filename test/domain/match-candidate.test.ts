import { describe, expect, test } from "vitest";
import type { UpstreamRecord } from "../../src/domain/merge.ts";
import {
  carriesMarker,
  identifyingPart,
  identityOf,
  IDENTITY_WITHOUT_MARKER,
  isUnchanged,
  isUnlikeSent,
  hasOnlyKnownValues,
  chooseSurvivor,
  findMatches,
  type MatchCandidate,
} from "../../src/domain/match-candidate.ts";
import { compareFingerprints, recordFingerprint } from "../../src/domain/record-fingerprint.ts";

const MARKER = "[ref:nord-k1]";
const SENT: UpstreamRecord = {
  name: "Intrusion",
  objectiveType: "obiective/cladiri",
  objectiveId: 1,
  dateStart: "2026-11-20T21:30:00Z",
  status: "planned",
  crews: 1,
  notes: `seen\n${MARKER}`,
};
const UNCLAIMED = (_row: MatchCandidate): boolean => false;

function row(id: number, changes: UpstreamRecord = {}): MatchCandidate {
  return { ...SENT, id, ...changes };
}

function found(rows: readonly MatchCandidate[], sought: object = {}, isTaken = UNCLAIMED): number[] {
  const full = { marker: MARKER, sent: SENT, isMarked: true, madeAfter: 0, ...sought };
  return findMatches(rows, full, isTaken).map(({ id }) => id);
}

describe("a record matches a candidate", () => {
  test("by its key beside a former reference of the site, if that is a UUID", () => {
    const key = "0f0e8a4e-55a5-4c0e-9d8c-3f4a1b2c3d4e";
    const rows = [row(1, { notes: `[ref:former-${key}]` }), row(2, { notes: "[ref:former-7]" })];
    expect(found(rows, { marker: `[ref:hala-${key}]`, madeAfter: null })).toEqual([1]);
    expect(found(rows, { marker: "[ref:hala-7]", madeAfter: null })).toEqual([]);
  });

  test("by its reference in the notes or description, despite text of a dispatcher around it", () => {
    const rows = [
      row(1, { notes: `called the owner ${MARKER} at nine` }),
      row(2, { notes: null, description: MARKER, name: "renamed", status: "done" }),
    ];
    expect(found(rows)).toEqual([1, 2]);
  });

  test("by its whole reference, not by a prefix of another one", () => {
    expect(carriesMarker({ notes: "[ref:nord-k11]" }, MARKER)).toBe(false);
    expect(found([row(1, { notes: "[ref:nord-k11]" }), row(2, { notes: "[ref:sud-k1]" })])).toEqual([]);
  });

  test("by objective, name and start when the reference was removed", () => {
    const bare = { notes: "called the owner" };
    expect(
      found([
        row(1, bare),
        row(2, { ...bare, name: "Smoke" }),
        row(3, { ...bare, objectiveId: 2 }),
        row(4, { ...bare, objectiveType: "obiective/bunuri" }),
        row(5, { ...bare, dateStart: "2026-11-20T21:31:00Z" }),
      ]),
    ).toEqual([1]);
  });

  test("by the same instant in any format", () => {
    expect(found([row(1, { notes: null, dateStart: "2026-11-20T21:30:00.000Z" })])).toEqual([1]);
  });

  test.each<[what: string, there: UpstreamRecord, here: UpstreamRecord, isSo: boolean]>([
    ["despite space around a text", { name: " Intrusion" }, {}, true],
    ["despite space around a text that was sent", {}, { name: "Intrusion " }, true],
    [
      "with a start to the minute",
      { dateStart: "2026-11-20T21:30" },
      { dateStart: "2026-11-20T21:30:00" },
      true,
    ],
    ["not with a value of another type", { name: 7 }, {}, false],
  ])("by its fields %s", (_what, there, here, isSo) => {
    expect(found([row(1, { notes: null, ...there })], { sent: { ...SENT, ...here } })).toEqual(
      isSo ? [1] : [],
    );
  });

  test("by its reference alone when a candidate has it", () => {
    expect(found([row(1, { notes: null }), row(2)])).toEqual([2]);
  });

  test("never by its fields when it has the reference of another record", () => {
    expect(found([row(1, { notes: "[ref:sud-k9]" })])).toEqual([]);
  });

  test("never by its fields without a start, because two calls to one address look alike", () => {
    const sent = { ...SENT, dateStart: null };
    const rows = [row(1, { notes: null, dateStart: null })];
    expect(found(rows, { sent })).toEqual([]);
    // A site without markers has no better criterion.
    expect(found(rows, { sent, isMarked: false })).toEqual([1]);
  });

  test("never when it is known to be another record", () => {
    expect(found([row(1), row(2)], {}, ({ id }) => id === 1)).toEqual([2]);
  });
});

describe("of several candidates", () => {
  test("the oldest is kept when all are equal", () => {
    expect(chooseSurvivor([row(9), row(4), row(7)], [SENT], {})?.id).toBe(4);
  });

  test("the one that a dispatcher has worked on is kept", () => {
    expect(chooseSurvivor([row(4), row(7, { crews: 3 }), row(9)], [SENT], {})?.id).toBe(7);
  });

  test("one with values of a later update does not count as edited by a dispatcher", () => {
    expect(chooseSurvivor([row(4), row(7, { crews: 3 })], [SENT], { crews: [2, 3] })?.id).toBe(4);
  });
});

describe("a duplicate can be removed", () => {
  test.each<[what: string, changes: UpstreamRecord, known: readonly UpstreamRecord[], isSo: boolean]>([
    ["that is unchanged", {}, [SENT], true],
    ["that the dispatch centre has normalised", { dateStart: "2026-11-20T21:30:00.000Z" }, [SENT], true],
    ["that the dispatch centre shows only in part", { crews: undefined, status: undefined }, [SENT], true],
    ["that a dispatcher has changed", { crews: 3 }, [SENT], false],
    ["whose reference a dispatcher has removed", { notes: "seen" }, [SENT], false],
    ["if the kept one has the same changes", { crews: 3 }, [SENT, { crews: 3 }], true],
    [
      "without an invoice that the kept one has",
      {},
      [{ ...SENT, invoicePdf: "https://centre.example/1.pdf" }],
      true,
    ],
    ["with an invoice", { invoicePdf: "https://centre.example/1.pdf" }, [SENT], false],
    [
      "if the kept one has the same invoice",
      { invoicePdf: "https://centre.example/1.pdf" },
      [SENT, { invoicePdf: "https://centre.example/1.pdf" }],
      true,
    ],
  ])("%s", (_what, changes, known, isSo) => {
    expect(hasOnlyKnownValues(row(1, changes), known, {})).toBe(isSo);
  });
});

describe("the record under a known id is", () => {
  const known = { marker: MARKER, base: SENT, watermark: 0 };
  const bare = { notes: null };

  test.each<[what: string, changes: UpstreamRecord, identity: string]>([
    ["ours with its reference, whatever else has changed", { name: "renamed", objectiveId: 9 }, "ours"],
    ["ours with its start, when its reference and name were removed", { ...bare, name: "renamed" }, "ours"],
    ["of another with another reference, however similar", { notes: "[ref:sud-k1]" }, "anothers"],
    ["of another with another objective", { ...bare, objectiveId: 2 }, "anothers"],
    ["of another with another objective type", { ...bare, objectiveType: "obiective/bunuri" }, "anothers"],
    ["of another with neither name nor start", { ...bare, name: "Other", dateStart: null }, "anothers"],
    ["ours with its name and start, when its reference was removed", bare, "ours"],
    ["ours with its name and start, when no objective is shown", { ...bare, objectiveId: undefined }, "ours"],
    ["unclear with the name alone", { ...bare, dateStart: "2026-11-21T04:00:00Z" }, "unclear"],
  ])("%s", (_what, changes, identity) => {
    expect(identityOf(row(1, changes), known)).toBe(identity);
  });

  test("ours with its objective, name and start, when a dispatcher has pasted the notes of another record of the site", () => {
    const [own, other] = ["0f0e8a4e", "1f0e8a4e"].map(
      (part) => `[ref:nord-${part}-55a5-4c0e-9d8c-3f4a1b2c3d4e]`,
    );
    const marked = { marker: String(own), base: { ...SENT, notes: own }, watermark: 0 };
    const identityWith = (changes: UpstreamRecord): string =>
      identityOf(row(1, { notes: other, ...changes }), marked);
    expect(identityWith({})).toBe("ours");
    expect(identityWith({ dateStart: "2026-11-21T04:00:00Z" })).toBe("anothers");
    expect(identityWith({ notes: other?.replace("nord", "sud") })).toBe("anothers");
  });

  test("unclear without a start, unless the dispatch centre keeps no reference", () => {
    const started = { ...known, base: { ...SENT, dateStart: null } };
    const kept = { ...known, base: { ...started.base, notes: "seen" } };
    const undated = { ...bare, dateStart: null };
    expect([started, kept].map((each) => identityOf(row(1, undated), each))).toEqual(["unclear", "ours"]);
    const renamed = { ...undated, name: "renamed" };
    expect([started, kept].map((each) => identityOf(row(1, renamed), each))).toEqual([
      "anothers",
      "anothers",
    ]);
  });

  test("of another if it is older than ours can be, unless it has our reference", () => {
    expect(identityOf(row(4, bare), { ...known, watermark: 4 })).toBe("anothers");
    expect(identityOf(row(4), { ...known, watermark: 4 })).toBe("ours");
  });

  test("ours with its name or its start at a dispatch centre that keeps no reference", () => {
    const kept = { ...known, base: { ...SENT, notes: "seen" } };
    expect(identityOf(row(1, bare), kept)).toBe("ours");
    expect(identityOf(row(1, { ...bare, dateStart: null }), kept)).toBe("ours");
    expect(identityOf(row(1, { ...bare, name: "renamed" }), kept)).toBe("ours");
    expect(identityOf(row(1, { ...bare, name: "renamed", dateStart: null }), kept)).toBe("anothers");
  });

  test("ours by its fields only with its name or its start", () => {
    for (const byName of Object.values(IDENTITY_WITHOUT_MARKER)) {
      expect(Object.values(byName.another).filter((identity) => identity === "ours")).toHaveLength(1);
      expect(byName.another.same).toBe("ours");
    }
  });
});

test("a record that may be older than our request is ours only by its reference", () => {
  expect(found([row(1, { notes: null })], { madeAfter: null })).toEqual([]);
  expect(found([row(5, { notes: null })], { madeAfter: 5 })).toEqual([]);
  expect(found([row(1)], { madeAfter: null })).toEqual([1]);
});

describe("a record is unchanged since an earlier read", () => {
  test.each<[what: string, later: UpstreamRecord, isSo: boolean]>([
    ["if it has every value of it", {}, true],
    ["if a date is written in another way", { dateStart: "2026-11-20T21:30:00.000Z" }, true],
    ["if it shows a value that was not there", { police: true }, true],
    ["not if a value differs", { crews: 2 }, false],
    ["not if a value is missing", { crews: undefined }, false],
    ["not if it has another invoice", { invoicePdf: "https://centre.example/2.pdf" }, false],
  ])("%s", (_what, later, isSo) => {
    const earlier = { ...SENT, invoicePdf: "https://centre.example/1.pdf" };
    expect(isUnchanged({ ...earlier, ...later }, earlier)).toBe(isSo);
  });
});

describe("a record without a reference cannot be the one that was sent", () => {
  test.each<[what: string, changes: UpstreamRecord, isSo: boolean]>([
    ["if it has another objective", { objectiveId: 2 }, true],
    ["if it has another type of objective", { objectiveType: "obiective/bunuri" }, true],
    ["if it has another name and start", { name: "Smoke", dateStart: "2026-11-21T04:00:00Z" }, true],
    ["if it has another name and no start", { name: "Smoke", dateStart: null }, true],
    ["but can with another name and the same start", { name: "Smoke" }, false],
    ["but can with another start", { dateStart: "2026-11-21T04:00:00Z" }, false],
    ["but can without the objective", { objectiveId: undefined, objectiveType: undefined }, false],
    ["but can with its objective in another type of value", { objectiveId: "2" }, false],
  ])("%s", (_what, changes, isSo) => {
    expect(isUnlikeSent({ ...SENT, notes: null, ...changes }, SENT)).toBe(isSo);
  });

  test("if both have no start and the names differ", () => {
    expect(isUnlikeSent({ ...SENT, name: "Smoke", dateStart: null }, { ...SENT, dateStart: null })).toBe(
      true,
    );
  });
});

describe("a fingerprint", () => {
  const bare = { notes: null };

  test.each<[what: string, before: UpstreamRecord, now: UpstreamRecord, result: string]>([
    ["with the same reference is the same, whatever has changed", {}, { name: "renamed" }, "same"],
    ["with another reference is another record", {}, { notes: "[ref:nord-k2]" }, "another"],
    ["whose reference was removed is the same by its fields", {}, bare, "same"],
    ["whose reference was removed and name changed is unlike", {}, { ...bare, name: "renamed" }, "unlike"],
    ["of a record that never had a reference is the same by its fields", bare, {}, "same"],
    ["of a record that never had a reference is only unlike", bare, { name: "renamed" }, "unlike"],
    [
      "with an empty start is the same as one without it",
      { ...bare, dateStart: null },
      { dateStart: "" },
      "same",
    ],
  ])("%s", (_what, before, now, result) => {
    expect(compareFingerprints(row(1, now), recordFingerprint(row(1, before)))).toBe(result);
  });

  test("has nothing but the reference, the objective, the name and the start", () => {
    expect(recordFingerprint(row(1, { objectiveId: undefined }))).toEqual({
      marker: MARKER,
      objectiveType: "obiective/cladiri",
      objectiveId: null,
      name: "Intrusion",
      dateStart: "2026-11-20T21:30:00Z",
    });
    expect(recordFingerprint(row(1, bare))["marker"]).toBeNull();
  });
});

test("the part that is kept of a record identifies the same records as the whole", () => {
  const changes: UpstreamRecord[] = [
    {},
    { notes: null },
    { notes: null, name: "renamed" },
    { notes: null, dateStart: null },
    { notes: null, objectiveId: 2 },
    { notes: "[ref:sud-k1]" },
  ];
  for (const base of [SENT, { ...SENT, notes: "seen" }]) {
    const whole = { marker: MARKER, base, watermark: 0 };
    const part = { ...whole, base: identifyingPart(base) };
    expect(part.base).not.toHaveProperty("crews");
    for (const each of changes) expect(identityOf(row(1, each), part)).toBe(identityOf(row(1, each), whole));
  }
});

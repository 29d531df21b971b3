import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListReading, type PageResult } from "../../src/domain/list-reading.ts";
import type { MatchCandidate } from "../../src/domain/match-candidate.ts";
import { recordFingerprint } from "../../src/domain/record-fingerprint.ts";

/* Reads of lists of dispatch centres with any page size, with and without order and pages. */

interface ListBehaviour {
  readonly pageRows: number;
  readonly isDescending: boolean;
  readonly ignoresStart: boolean;
}

const behaviour = fc.record({
  pageRows: fc.integer({ min: 3, max: 20 }),
  isDescending: fc.boolean(),
  ignoresStart: fc.boolean(),
});
const idsOf = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { maxLength: 40 });

function row(id: number): MatchCandidate {
  return { id, name: `call ${id}`, objectiveType: "obiective/cladiri", objectiveId: 1, dateStart: null };
}

/** Reads until the result is not `more`. */
function read(
  ids: readonly number[],
  { pageRows, isDescending, ignoresStart }: ListBehaviour,
  watermarkId = 0,
): { word: PageResult; reading: ListReading } {
  const sorted = [...ids].sort((a, b) => (isDescending ? b - a : a - b)).map(row);
  const reading = new ListReading({
    id: watermarkId,
    rowFingerprint: watermarkId === 0 ? {} : row(watermarkId),
  });
  for (let page = 0; page < 200; page += 1) {
    const start = ignoresStart ? 0 : reading.start;
    const rows = sorted.slice(start, start + pageRows);
    const word = reading.take(rows, rows.length);
    if (word !== "more") return { word, reading };
  }
  throw new Error("the reading has no end");
}

test("a paged list is read to its end, for any page size and order", () => {
  fc.assert(
    fc.property(idsOf(1_000), behaviour, (ids, each) => {
      fc.pre(!each.ignoresStart);
      const { word, reading } = read(ids, each);
      expect(word === "ended" || word === "reached").toBe(true);
      expect(reading.rows.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
    }),
  );
});

test("a list without pages never counts as read to the watermark, unless it contained the watermark", () => {
  fc.assert(
    fc.property(idsOf(1_000), behaviour, (ids, each) => {
      fc.pre(each.ignoresStart && ids.length > each.pageRows);
      const { word } = read(ids, each);
      expect(word).toBe("repeats");
    }),
  );
});

test("records above an existing watermark are never missed", () => {
  fc.assert(
    fc.property(idsOf(500), fc.integer({ min: 0, max: 39 }), behaviour, (ids, at, each) => {
      fc.pre(!each.ignoresStart && ids.length > at);
      const watermark = ids[at] ?? 0;
      const { reading } = read(ids, each, watermark);
      const above = ids.filter((id) => id > watermark).sort((a, b) => a - b);
      expect(reading.newer.map(({ id }) => id).sort((a, b) => a - b)).toEqual(above);
    }),
  );
});

test("two reads agree if nothing changed below the highest id of the first", () => {
  fc.assert(
    fc.property(idsOf(500), idsOf(500), (first, later) => {
      const each: ListBehaviour = { pageRows: 7, isDescending: true, ignoresStart: false };
      const one = read(first, each).reading;
      const other = read(later, each).reading;
      const top = Math.max(0, ...first);
      const known = later.filter((id) => id <= top).sort((a, b) => a - b);
      expect(other.agreesWith(one.takeIds())).toBe(
        JSON.stringify(known) === JSON.stringify(first.sort((a, b) => a - b)),
      );
    }),
  );
});

describe("a reading from the highest id down", () => {
  const down = (from: number, count: number, step = 1): MatchCandidate[] =>
    Array.from({ length: count }, (_, index) => row(from - index * step));
  const from = (id: number, rowFingerprint: MatchCandidate | null = row(id)): ListReading =>
    new ListReading({ id, rowFingerprint });
  const take = (reading: ListReading, rows: readonly MatchCandidate[], total?: number): PageResult =>
    reading.take(rows, rows.length, total);

  test("stops at the page with the watermark, and goes on with an overlap until then", () => {
    const reading = from(90);
    expect([take(reading, down(100, 5)), reading.start]).toEqual(["more", 3]);
    expect([take(reading, down(97, 5)), reading.start]).toEqual(["more", 6]);
    expect(take(reading, down(94, 5))).toBe("reached");
    expect(reading.newer.map(({ id }) => id)).toEqual([100, 99, 98, 97, 96, 95, 94, 93, 92, 91]);
  });

  test("advances with pages of one or two rows as well", () => {
    for (const size of [1, 2]) {
      const reading = from(0);
      expect([take(reading, down(100, size)), reading.start]).toEqual(["more", 1]);
    }
  });

  test("of a list in another order goes on past the watermark", () => {
    const reading = from(90);
    expect(take(reading, [row(89), row(90), row(91)])).toBe("more");
    expect(take(reading, [])).toBe("ended");
    expect(reading.newer.map(({ id }) => id)).toEqual([91]);
  });

  test("without the record of the watermark reads twenty pages below it, and every record counts as newer", () => {
    const reading = from(901);
    const words = Array.from({ length: 23 }, (_, page) => take(reading, down(910 - 8 * page, 5, 2)));
    // The second page is the first one below the watermark.
    expect(words.indexOf("reached")).toBe(21);
    expect(reading.newer).toEqual(reading.rows);
  });

  test("without a fingerprint stops if an id at least as high exists, and goes on if all are lower", () => {
    for (const top of [90, 91]) {
      const reading = from(90, null);
      expect(take(reading, down(top, 4))).toBe("reached");
      expect(reading.newer.map(({ id }) => id)).toEqual(top === 90 ? [] : [91]);
    }
    const lower = from(90, null);
    expect(take(lower, down(89, 4))).toBe("more");
    expect(lower.newer).toEqual(lower.rows);
  });

  test("whose watermark belongs to another record now was of a centre before its restore", () => {
    const marked = (id: number, key: string): MatchCandidate => ({ ...row(id), notes: `[ref:hall-${key}]` });
    const restored = new ListReading({ id: 90, rowFingerprint: recordFingerprint(marked(90, "k1")) });
    expect(take(restored, [row(91), marked(90, "k2"), row(89)])).toBe("more");
    expect([restored.isRestored, restored.newer.length]).toEqual([true, 3]);
    const edited = from(90);
    take(edited, [{ ...row(90), name: "renamed" }]);
    expect([edited.isRestored, edited.newer.length]).toEqual([false, 1]);
    for (const fingerprint of [null, row(90)]) {
      const same = from(90, fingerprint);
      take(same, down(91, 3));
      expect(same.isRestored).toBe(false);
      const empty = from(90, fingerprint);
      take(empty, []);
      expect(empty.isRestored).toBe(false);
    }
  });

  test("ends with an empty page, and after three pages without a new record", () => {
    expect(take(from(0), [])).toBe("ended");
    const reading = from(0);
    const last = [row(3), row(2)];
    expect(take(reading, [row(4), ...last])).toBe("more");
    expect([take(reading, last), reading.start]).toEqual(["more", 3]);
    expect([take(reading, last), reading.start]).toEqual(["more", 5]);
    expect(take(reading, last)).toBe("ended");
  });

  test("goes on after pages without a new record if one follows: others were created meanwhile", () => {
    const reading = from(0);
    const last = [row(3), row(2)];
    take(reading, [row(4), ...last]);
    expect([take(reading, last), take(reading, last)]).toEqual(["more", "more"]);
    const one = [row(1)];
    expect([take(reading, one), take(reading, one), take(reading, one)]).toEqual(["more", "more", "more"]);
    expect(take(reading, one)).toBe("ended");
  });

  test("with the first page again is of a list without pages, unless it has new records", () => {
    const reading = from(0);
    expect(take(reading, down(9, 3))).toBe("more");
    expect(take(reading, [row(9), row(6)])).toBe("more");
    expect(take(reading, down(9, 3))).toBe("repeats");
    const unordered = from(0);
    take(unordered, [row(2), row(5), row(3)]);
    expect(take(unordered, [row(5), row(3), row(2)])).toBe("repeats");
  });

  test("counts rows that are no records for the next page", () => {
    const reading = from(0);
    expect([reading.take([], 4), reading.start]).toEqual(["more", 4]);
    expect([reading.take([row(1)], 4), reading.start]).toEqual(["more", 6]);
  });

  test("has the total of the centre only with that many records", () => {
    const reading = from(0);
    take(reading, down(9, 3), 4);
    expect(reading.hasTotal).toBe(false);
    take(reading, down(8, 3), 4);
    expect(reading.hasTotal).toBe(true);
    take(reading, [row(5)], 4);
    expect(reading.hasTotal).toBe(false);
    take(reading, [row(4)]);
    expect(reading.hasTotal).toBe(false);
    expect(from(0).hasTotal).toBe(false);
  });

  test("has no total while each one is the number of rows of its page", () => {
    const reading = from(0);
    take(reading, down(9, 3), 3);
    expect(reading.hasTotal).toBe(false);
    take(reading, down(8, 2), 2);
    expect(reading.hasTotal).toBe(false);
    take(reading, [], 3);
    expect(reading.hasTotal).toBe(true);
  });

  test("agrees with an earlier one that found the same ids, whatever is newer", () => {
    const reading = from(0);
    take(reading, down(5, 4));
    expect(reading.agreesWith(new Set([4, 3, 2]))).toBe(true);
    expect(reading.agreesWith(new Set([4, 2]))).toBe(false);
    expect(reading.agreesWith(new Set([4, 3, 1]))).toBe(false);
    expect(reading.agreesWith(new Set())).toBe(true);
    expect([...reading.takeIds()]).toEqual([5, 4, 3, 2]);
    expect(reading.rows).toEqual([]);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { ListReading, type PageResult } from "../../src/domain/list-reading.ts";
import type { MatchCandidate } from "../../src/domain/match-candidate.ts";

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

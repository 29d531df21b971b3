import { describe, expect, test } from "vitest";
import { newIntervention } from "../../src/domain/intervention.ts";
import { markerOf, markersIn, ownKeyIn, withMarker, withoutMarker } from "../../src/domain/marker.ts";

const KEY = "5c7209b0-c531-4ea1-80fa-0a4390c62327";
const MARKER = markerOf("hall", KEY);
const fields = (notes: string | null) =>
  newIntervention({ name: "n", objectiveType: "obiective/cladiri", objectiveId: 1, notes });

test("the reference is the last line of the chosen field, and no other field changes", () => {
  expect(withMarker(fields("seen"), "notes", MARKER)).toEqual({
    ...fields("seen"),
    notes: `seen\n${MARKER}`,
  });
  for (const empty of [null, ""]) expect(withMarker(fields(empty), "notes", MARKER).notes).toBe(MARKER);
  expect(withMarker(fields("seen"), "description", MARKER)).toMatchObject({
    notes: "seen",
    description: MARKER,
  });
  expect(withMarker(fields("seen"), "off", MARKER)).toEqual(fields("seen"));
});

test("a text is cut only if the reference would not fit after it", () => {
  const room = 4000 - MARKER.length - 1;
  const [fits, long] = ["a".repeat(room), "a".repeat(room + 1)];
  expect(withMarker(fields(fits), "notes", MARKER).notes).toBe(`${fits}\n${MARKER}`);
  expect(withMarker(fields(long), "notes", MARKER).notes).toBe(`${fits}\n${MARKER}`);
});

test("a text of the dispatch centre is shown without the reference of its record, and with every other", () => {
  expect(withoutMarker(`seen\n${MARKER}`, MARKER)).toBe("seen");
  expect(withoutMarker(`${MARKER} seen`, MARKER)).toBe(" seen");
  expect(withoutMarker(MARKER, MARKER)).toBeNull();
  expect(withoutMarker(null, MARKER)).toBeNull();
  expect(withoutMarker("", MARKER)).toBe("");
  expect(withoutMarker("seen\n[ref:sud-k1]", MARKER)).toBe("seen\n[ref:sud-k1]");
});

test("the references of all sites are found in notes and description, and in nothing else", () => {
  const record = { notes: `a [ref:sud-k1] b\n${MARKER}`, description: "[ref:nord-k2]", name: "[ref:x-1]" };
  expect(markersIn(record)).toEqual(["[ref:sud-k1]", MARKER, "[ref:nord-k2]"]);
  expect(markersIn({ notes: "[ref:] [ref:a b]", description: 5 })).toEqual([]);
});

describe("the key of this site is found", () => {
  test.each<[what: string, notes: string, key: string | undefined]>([
    ["after the name of the site", MARKER, KEY],
    ["beside references of others", `[ref:sud-${KEY}]\n${MARKER}`, KEY],
    ["in capitals", markerOf("hall", KEY.toUpperCase()), KEY.toUpperCase()],
    ["not with another site", markerOf("mall", KEY), undefined],
    ["not with a site whose name continues", markerOf("hall-2", KEY), undefined],
    ["not with a key that is none", markerOf("hall", "k1"), undefined],
    ["not with text around the key", markerOf("hall", `x${KEY}`), undefined],
    ["not with text after the key", markerOf("hall", `${KEY}.2`), undefined],
  ])("%s", (_what, notes, key) => {
    expect(ownKeyIn({ notes }, "hall")).toBe(key);
  });
});

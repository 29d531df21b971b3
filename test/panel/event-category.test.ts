import { expect, test } from "vitest";
import { CATEGORIES, CATEGORIES_OF_CENTRE, isOf } from "../../src/panel/event-category.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";

const SITE = "hala-nord@sites.santinela.local";
const FIELDS = { type: "maintenance", police: false, ambulance: false, firetruck: false };

function entry(event: string, more: Partial<TimelineEntry> = {}): TimelineEntry {
  const at = "2026-11-20T12:00:00.000Z";
  return { at, who: SITE, event, subject: "intervention 1", from: "10.0.0.7", detail: {}, ...more };
}

const created = (fields: Partial<Record<keyof typeof FIELDS, string | boolean>>, more = {}): TimelineEntry =>
  entry("intervention-created", { detail: { after: { ...FIELDS, ...fields } }, ...more });

const categoriesOf = (one: TimelineEntry, isCentre: boolean): readonly string[] =>
  CATEGORIES.filter((category) => category !== "" && isOf(one, category, isCentre));

test("at a dispatch centre the record of an alarm is one of the alarms and one of the records", () => {
  for (const fields of [{ type: "other" }, { police: true }, { ambulance: true }, { firetruck: true }])
    expect([fields, categoriesOf(created(fields), true)]).toEqual([fields, ["alarms", "records"]]);
  expect(categoriesOf(created({ type: "repair" }), true)).toEqual(["records"]);
  expect(categoriesOf(entry("intervention-changed", { detail: { after: { police: true } } }), true)).toEqual([
    "records",
  ]);
});

test("at a dispatch centre a silent site and its return are faults", () => {
  const bySilence = { who: "device@santinela.local", from: "silent sites" };
  expect(categoriesOf(created({ type: "repair" }, bySilence), true)).toEqual(["faults", "records"]);
  expect(categoriesOf(entry("intervention-changed", bySilence), true)).toEqual(["faults", "records"]);
});

test("at a site an alarm is the trip, and its record one of the records", () => {
  expect(categoriesOf(created({ type: "other" }), false)).toEqual(["records"]);
  expect(categoriesOf(entry("trip", { detail: { state: "posted" } }), false)).toEqual(["alarms"]);
  expect(categoriesOf(entry("trip", { detail: { state: "suppressed" } }), false)).toEqual(["suppressed"]);
});

test("the sign-ins of the accounts of sites are not among the users", () => {
  expect(categoriesOf(entry("signed-in"), true)).toEqual(["system"]);
  expect(categoriesOf(entry("signed-in", { who: "ana@example.ro" }), true)).toEqual(["users"]);
  expect(categoriesOf(entry("account-disabled"), true)).toEqual(["users"]);
});

test("a dispatch centre has no filter for suppressed trips", () => {
  expect(CATEGORIES_OF_CENTRE).not.toContain("suppressed");
  expect(CATEGORIES_OF_CENTRE).toContain("alarms");
});

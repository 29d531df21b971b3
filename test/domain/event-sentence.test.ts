import { expect, test } from "vitest";
import { eventSentence } from "../../src/domain/event-sentence.ts";

const ZONES = [{ id: "smoke", name: "Fum depozit", kind: "fire" }] as const;

test.each([
  [
    { event: "trip", who: "zone smoke", subject: "intervention 3", detail: { state: "posted" } },
    "Fum depozit: Fire! #3 - recorded as an intervention",
  ],
  [
    { event: "trip", who: "zone gone", subject: "", detail: { state: "gated", reason: "key switch" } },
    "gone: trip - suppressed: not armed, key switch",
  ],
  [
    { event: "trip", who: "zone gone", subject: "", detail: { state: "gated", reason: "exit delay (mqtt)" } },
    "gone: trip - suppressed: exit delay (mqtt)",
  ],
  [
    { event: "trip", who: "zone smoke", subject: "", detail: { state: "test", reason: "walk test by Ana" } },
    "Fum depozit: Fire! - suppressed: walk test by Ana",
  ],
  [
    { event: "restore", who: "zone smoke", subject: "", detail: { cause: "reading", state: "recorded" } },
    "Fum depozit is back to normal",
  ],
  [
    { event: "restore", who: "zone smoke", subject: "", detail: { reason: "its opening was test" } },
    "Fum depozit is back to normal",
  ],
  [
    {
      event: "alarm-panel-reported",
      who: "santinela",
      subject: "DC-09 1234",
      detail: { code: "401", change: "restored", what: "arming", partition: 1, number: 3, text: "Ana" },
    },
    "Alarm panel 1234 reported an event - 401 restored (arming), partition 1, number 3, Ana",
  ],
  [
    {
      event: "alarm-panel-reported",
      who: "santinela",
      subject: "DC-09 1234",
      detail: { code: "YM", change: "new", what: "trouble", partition: null, number: null, text: "" },
    },
    "Alarm panel 1234 reported an event - YM new (trouble)",
  ],
  [
    { event: "zone-bypassed", who: "ana@example.ro", subject: "zone smoke", detail: { reason: "painter" } },
    "ana@example.ro bypassed Fum depozit - painter",
  ],
  [
    { event: "test-trip", who: "ana@example.ro", subject: "zone smoke", detail: {} },
    "ana@example.ro made a test trip of Fum depozit",
  ],
  [
    {
      event: "trip",
      who: "zone smoke",
      subject: "intervention 3",
      detail: { state: "posted", isTest: true },
    },
    "Fum depozit: Fire! #3 - recorded as an intervention, test trip",
  ],
  [
    {
      event: "blind-interval",
      who: "santinela",
      subject: "mqtt-unreachable",
      detail: { reason: "the broker cannot be reached", isDated: false },
    },
    "Zones were not monitored for a time - the broker cannot be reached, clock not set",
  ],
  [
    { event: "intervention-created", who: "ana@example.ro", subject: "intervention 4", detail: {} },
    "ana@example.ro created intervention #4",
  ],
  [
    { event: "record-arrived", who: "sync", subject: "intervention 4", detail: { upstreamId: 88123 } },
    "The dispatch centre has received intervention #4 - ID 88123 there",
  ],
  [
    {
      event: "intervention-changed",
      who: "admin@santinela.local",
      subject: "intervention 1",
      detail: {
        before: { status: "planned", notes: "", crews: 1, description: null },
        after: { status: "done", notes: "two\nlines", crews: 2, description: "dog" },
      },
    },
    "admin@santinela.local changed intervention #1 - status: planned → done, notes, crews: 1 → 2, description: none → dog",
  ],
  [
    { event: "account-added", who: "root", subject: "account ana@example.ro", detail: {} },
    "root added account ana@example.ro",
  ],
] as const)("%o becomes a sentence", (entry, sentence) => {
  expect(eventSentence(entry, ZONES)).toBe(sentence);
});

test("a dispatch centre that did not run had no zones to monitor", () => {
  const detail = { from: "x", to: "y", reason: "the daemon did not run" };
  const entry = { event: "blind-interval", who: "santinela", subject: "every zone", detail } as const;
  expect(eventSentence(entry, [], "centre")).toMatch(/^The dispatch centre was not running for a time/);
  expect(eventSentence(entry, [])).toMatch(/^Zones were not monitored for a time/);
});

/** Details of a conflict with the dispatch centre, as they are stored, and what they are in the log. */
const CONFLICTS: readonly (readonly [detail: Readonly<Record<string, unknown>>, sentence: string])[] = [
  [
    { conflict: "rejected", phase: "rejected", code: "400", reason: "answered 400: too few crews" },
    "The dispatch centre rejected intervention #7 - answered 400: too few crews",
  ],
  [
    { conflict: "change-rejected", phase: "rejected", code: "422", reason: "answered 422" },
    "The dispatch centre rejected a change of intervention #7 - answered 422",
  ],
  [
    { conflict: "deletion-rejected", phase: "rejected", code: "400", reason: "answered 400" },
    "The dispatch centre rejected the deletion of intervention #7 - answered 400",
  ],
  [
    {
      conflict: "fields",
      fields: [
        { field: "crews", here: 2, there: 4, kept: "there" },
        { field: "description", here: "two dogs", there: null, kept: "here" },
      ],
    },
    "The dispatch centre had changed the same data of intervention #7 - crews: 4 of the dispatch centre kept, not 2 of this site; description: two dogs of this site kept, not null of the dispatch centre",
  ],
  [
    { conflict: "reopened", fields: [{ field: "status", here: "planned", there: "done", kept: "here" }] },
    "After the dispatch centre had set it to done, a trip reopened intervention #7 - status: planned of this site kept, not done of the dispatch centre",
  ],
  // Of earlier releases, which stored no kind.
  [
    { phase: "rejected", code: "400", reason: "answered 400" },
    "The dispatch centre rejected intervention #7 - answered 400",
  ],
  [
    {
      phase: "rejected",
      code: "201",
      reason: "the dispatch centre responded with record 5, which is not ours",
    },
    "The dispatch centre responded with another record for intervention #7 - the dispatch centre responded with record 5, which is not ours",
  ],
  [{ phase: "gone", code: "404", reason: "x" }, "The dispatch centre deleted intervention #7 - x"],
  [
    { phase: "gone", code: "NEWEST-MISSING", reason: "x" },
    "The dispatch centre has deleted or lost intervention #7 - x",
  ],
  [{ phase: "closed", code: "404", reason: "x" }, "The dispatch centre deleted finished intervention #7 - x"],
  [
    { phase: "gone", reason: "a trip has joined this intervention since; it is sent again" },
    "Sent again after a new trip: intervention #7 - a trip has joined this intervention since; it is sent again",
  ],
  [
    { phase: "gone", reason: "the dispatch centre assigns ids again, so it was restored" },
    "The dispatch centre was restored from a backup and had lost intervention #7 - the dispatch centre assigns ids again, so it was restored",
  ],
  [
    { phase: "linked", reason: "x" },
    "Linked to a record at the dispatch centre that has no reference: intervention #7 - x",
  ],
  [
    { phase: "unsure", reason: "x" },
    "The record at the dispatch centre is no longer that of intervention #7 - x",
  ],
  [
    { reason: "the dispatch centre has a copy of this record" },
    "The dispatch centre has a copy of intervention #7 - the dispatch centre has a copy of this record",
  ],
  [{ reason: "x" }, "The dispatch centre has duplicates, edited by dispatchers, of intervention #7 - x"],
  [
    { fields: [{ field: "status", here: "planned", there: "done", kept: "here" }] },
    "After the dispatch centre had set it to done, a trip reopened intervention #7 - status: planned of this site kept, not done of the dispatch centre",
  ],
];

test.each(CONFLICTS)("a conflict with %j names what has happened", (detail, sentence) => {
  const entry = { event: "sync-conflict", who: "sync", subject: "intervention 7", detail } as const;
  expect(eventSentence(entry, ZONES)).toBe(sentence);
});

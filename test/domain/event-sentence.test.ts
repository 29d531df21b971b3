import { expect, test } from "vitest";
import { eventSentence } from "../../src/domain/event-sentence.ts";

const ZONES = [{ id: "smoke", name: "Fum depozit", kind: "fire" }] as const;

test.each([
  [
    { event: "trip", who: "zone smoke", subject: "intervention 3", detail: { state: "posted" } },
    "Fum depozit: Fire! #3 - dispatched",
  ],
  [
    { event: "trip", who: "zone gone", subject: "", detail: { state: "gated", reason: "key switch" } },
    "gone: trip - suppressed: not armed, key switch",
  ],
  [
    { event: "restore", who: "zone smoke", subject: "", detail: { cause: "reading", state: "recorded" } },
    "Fum depozit is back to normal",
  ],
  [
    { event: "zone-bypassed", who: "ana@example.ro", subject: "zone smoke", detail: { reason: "painter" } },
    "ana@example.ro bypassed Fum depozit - painter",
  ],
  [
    { event: "intervention-created", who: "ana@example.ro", subject: "intervention 4", detail: {} },
    "ana@example.ro created intervention #4",
  ],
  [
    { event: "account-added", who: "root", subject: "account ana@example.ro", detail: {} },
    "root added account ana@example.ro",
  ],
] as const)("%o becomes a sentence", (entry, sentence) => {
  expect(eventSentence(entry, ZONES)).toBe(sentence);
});

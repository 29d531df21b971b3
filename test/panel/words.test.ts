import { describe, expect, test } from "vitest";
import { CONDITIONS } from "../../src/domain/condition.ts";
import { EVENT_NAMES } from "../../src/domain/event.ts";
import type { HistoryView, JournalEntry } from "../../src/http/site/journal-port.ts";
import type { HandedInView, RestoreView } from "../../src/http/site/restore-port.ts";
import type { ObjectivesView } from "../../src/http/site/objective-port.ts";
import type { OptionView } from "../../src/http/site/settings-port.ts";
import type { DraftView } from "../../src/http/site/setup-port.ts";
import type { StatusView } from "../../src/http/site/site-ports.ts";
import type { LinkHistoryView, SyncView } from "../../src/http/site/sync-port.ts";
import type { SignalTestView, WalkTestView } from "../../src/http/site/test-port.ts";
import type { ZoneHistoryView, ZoneView } from "../../src/http/site/zone-port.ts";
import type {
  DraftAnswer,
  HandedInAnswer,
  HistoryAnswer,
  JournalAnswer,
  LinkHistoryAnswer,
  ObjectivesAnswer,
  OptionAnswer,
  RestoreAnswer,
  SignalTestAnswer,
  StatusAnswer,
  SyncAnswer,
  WalkTestAnswer,
  ZoneAnswer,
  ZoneHistoryAnswer,
} from "../../src/panel/answers.ts";
import type { Plural } from "../../src/panel/words/catalogue.ts";
import { EN } from "../../src/panel/words/en.ts";
import { RO } from "../../src/panel/words/ro.ts";

type Words = Readonly<Record<string, string | Plural>>;

describe("the panel's words", () => {
  test("have the same keys, forms and placeholders in both languages", () => {
    expect(differences(EN, RO)).toEqual([]);
  });

  test.each<[string, Words]>([
    ["a key that is missing", { a: "x {n}" }],
    ["a placeholder that is missing", { a: "x", b: { one: "{n}", other: "{n}" } }],
    ["a placeholder too many", { a: "x {n} {m}", b: { one: "{n}", other: "{n}" } }],
    ["one form where there are several", { a: "x {n}", b: "{n}" }],
  ])("differ when there is %s", (_what, other) => {
    const words: Words = { a: "x {n}", b: { one: "{n}", other: "{n}" } };
    expect(differences(words, words)).toEqual([]);
    expect(differences(words, other)).not.toEqual([]);
  });

  test("have every form that the language counts with", () => {
    const languages: Readonly<Record<string, Words>> = { en: EN, ro: RO };
    for (const [language, words] of Object.entries(languages)) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [key, value] of Object.entries(words))
        if (typeof value !== "string")
          expect([key, Object.keys(value).sort()]).toEqual([key, [...forms].sort()]);
    }
  });

  test("name every condition and every entry of the event log", () => {
    const wanted = [
      ...Object.keys(CONDITIONS).map((code) => `condition.${code}`),
      ...[...EVENT_NAMES, "trip", "fault", "fault-over", "signal"].map((name) => `event.${name}`),
    ];
    expect(wanted.filter((key) => !(key in EN))).toEqual([]);
  });
});

test("the panel reads what the daemon answers", () => {
  // Held by the compiler: each answer of the daemon is one that the panel reads.
  const reads = {
    status: (given: StatusView): StatusAnswer => given,
    zone: (given: ZoneView): ZoneAnswer => given,
    sync: (given: SyncView): SyncAnswer => given,
    journal: (given: JournalEntry): JournalAnswer => given,
    walkTest: (given: WalkTestView): WalkTestAnswer => given,
    signalTest: (given: SignalTestView): SignalTestAnswer => given,
    option: (given: OptionView): OptionAnswer => given,
    zoneHistory: (given: ZoneHistoryView): ZoneHistoryAnswer => given,
    linkHistory: (given: LinkHistoryView): LinkHistoryAnswer => given,
    objectives: (given: ObjectivesView): ObjectivesAnswer => given,
    draft: (given: DraftView): DraftAnswer => given,
    handedIn: (given: HandedInView): HandedInAnswer => given,
    restore: (given: RestoreView): RestoreAnswer => given,
    history: (given: HistoryView): HistoryAnswer => given,
  };
  expect(Object.keys(reads)).toHaveLength(14);
});

/** How two catalogues differ, as `key: what`. */
function differences(a: Words, b: Words): string[] {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.filter((key) => shapeOf(a[key]) !== shapeOf(b[key]));
}

function shapeOf(words: string | Plural | undefined): string {
  if (words === undefined) return "missing";
  if (typeof words === "string") return `text ${placeholdersOf(words)}`;
  return `forms ${[...new Set(Object.values(words).map(placeholdersOf))].join("|")}`;
}

function placeholdersOf(text: string): string {
  return [...text.matchAll(/\{\w+\}/g)]
    .map(([name]) => name)
    .sort()
    .join();
}

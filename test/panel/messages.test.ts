import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONDITIONS, CONDITION_MESSAGES, formatConditionMessage } from "../../src/domain/condition.ts";
import { EVENT_NAMES } from "../../src/domain/event.ts";
import { EVENT_SENTENCES, OPEN_WORDS, OUTCOMES } from "../../src/domain/event-sentence.ts";
import type { Plural } from "../../src/panel/messages/catalogue.ts";
import { EN } from "../../src/panel/messages/en.ts";
import { EN_MORE } from "../../src/panel/messages/en-more.ts";
import { RO } from "../../src/panel/messages/ro.ts";
import { RO_DAEMON } from "../../src/panel/messages/ro-daemon.ts";
import { RO_MORE, sayInRomanian } from "../../src/panel/messages/ro-more.ts";
import { RO_SENTENCES } from "../../src/panel/messages/ro-sentences.ts";

const WHOLE = { ...EN, ...EN_MORE };

type Texts = Readonly<Record<string, string | Plural>>;

describe("the texts of the panel", () => {
  test("have the same keys, forms and placeholders in both languages", () => {
    expect(differences(EN, RO)).toEqual([]);
    expect(differences(EN_MORE, RO_MORE)).toEqual([]);
  });

  test.each<[string, Texts]>([
    ["a missing key", { a: "x {n}" }],
    ["a missing placeholder", { a: "x", b: { one: "{n}", other: "{n}" } }],
    ["an extra placeholder", { a: "x {n} {m}", b: { one: "{n}", other: "{n}" } }],
    ["a text instead of plural forms", { a: "x {n}", b: "{n}" }],
  ])("differ when there is %s", (_what, other) => {
    const words: Texts = { a: "x {n}", b: { one: "{n}", other: "{n}" } };
    expect(differences(words, words)).toEqual([]);
    expect(differences(words, other)).not.toEqual([]);
  });

  test("have every plural form of the language", () => {
    const languages: Readonly<Record<string, Texts>> = {
      en: { ...EN, ...EN_MORE },
      ro: { ...RO, ...RO_MORE },
    };
    for (const [language, words] of Object.entries(languages)) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [key, value] of Object.entries(words))
        if (typeof value !== "string")
          expect([key, Object.keys(value).sort()]).toEqual([key, [...forms].sort()]);
    }
  });

  test("cover every condition and every event", () => {
    const wanted = [
      ...Object.keys(CONDITIONS).map((code) => `condition.${code}`),
      ...[...EVENT_NAMES, "trip", "fault", "fault-over", "signal"].map((name) => `event.${name}`),
    ];
    expect(wanted.filter((key) => !(key in WHOLE))).toEqual([]);
  });
});

test("a condition has the same English title in the panel as in the log", () => {
  const shown = Object.keys(CONDITIONS).map((code) => [code, (WHOLE as Texts)[`condition.${code}`]]);
  expect(shown).toEqual(Object.entries(CONDITIONS).map(([code, { title }]) => [code, title]));
});

test("an entry of the event log has the same English sentence in the panel as on the command line", () => {
  const shown = (prefix: string, keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, (WHOLE as Texts)[`${prefix}.${key}`]]));
  expect(shown("says", Object.keys(EVENT_SENTENCES))).toEqual(EVENT_SENTENCES);
  expect(shown("outcome", Object.keys(OUTCOMES))).toEqual(OUTCOMES);
  const words = Object.keys(OPEN_WORDS).map((kind) => [kind, (WHOLE as Texts)[`zoneWord.${kind}.open`]]);
  expect(Object.fromEntries(words)).toEqual(OPEN_WORDS);
});

test("a Romanian condition message uses only values of the daemon", () => {
  for (const [code, sentence] of Object.entries(CONDITION_MESSAGES)) {
    const given = [...sentence.matchAll(/\{\w+\}/g)].map(([name]) => name);
    const taken = [...RO_SENTENCES[code as keyof typeof CONDITION_MESSAGES].matchAll(/\{\w+\}/g)];
    expect([code, taken.map(([name]) => name).filter((name) => !given.includes(name))]).toEqual([code, []]);
  }
  expect(formatConditionMessage("disk-full", { freeMb: 12, folder: "/var/lib/santinela" })).toBe(
    "12 MB are free on the disk of /var/lib/santinela. Below 16 MB new records of low and medium priority are rejected; alarms are stored. Remove unneeded files.",
  );
  expect(formatConditionMessage("disk-full", "ENOSPC: {freeMb}")).toBe("ENOSPC: {freeMb}");
});

test("what the daemon says is translated as it says it", () => {
  const folder = new URL("../../src/", import.meta.url).pathname;
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/^(panel|generated)\//.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  const unsaid = RO_DAEMON.filter(([english]) => {
    if (english === "file is not a database") return false; // A message of SQLite.
    // `{centre}: ` is before what the centre itself says.
    const parts = english.split(/\{\w+\}/).map((part) => part.replace(/^: /, "").trim());
    const [longest = ""] = parts.toSorted((a, b) => b.length - a.length);
    return longest.length > 1 && !sources.includes(longest);
  });
  expect(unsaid).toEqual([]);
});

test("what the daemon says is translated with its values, or not at all", () => {
  expect(sayInRomanian("account ana@site.example already exists")).toBe(
    "contul ana@site.example există deja",
  );
  expect(sayInRomanian("name is required; crews must be at least 1")).toBe(
    "name: valoare obligatorie; crews: cel puțin 1",
  );
  expect(sayInRomanian("ana@x.ro is the last administrator. Make another account administrator first.")).toBe(
    "ana@x.ro este ultimul administrator. Acordați întâi altui cont rolul de administrator",
  );
  expect(sayInRomanian("zones[1].input.gpio: line 18 is used by two zones, usa and hol")).toBe(
    "zones[1].input.gpio: linia 18 este folosită de două zone: usa și hol",
  );
  expect(
    sayInRomanian(
      "/etc/santinela.yaml:10:9: zones[0].supervision: unknown option. Did you mean supervisionTimeoutS?; the daemon keeps its previous configuration",
    ),
  ).toBe(
    "/etc/santinela.yaml:10:9: zones[0].supervision: opțiune necunoscută; probabil supervisionTimeoutS; rămâne activă configurația anterioară",
  );
  expect(sayInRomanian("zones[0].x: unknown option. Known here: id, name")).toBe(
    "zones[0].x: opțiune necunoscută; opțiuni posibile: id, name",
  );
  expect(sayInRomanian("zones[1].input.gpio: something that no table has")).toBeUndefined();
  expect(sayInRomanian("something that no table has; name is required")).toBeUndefined();
});

test("each text of the daemon has its own translation, and not that of a more general one", () => {
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, "$1.1");
  const others = RO_DAEMON.filter(([english, romanian]) => {
    if (english.includes("{problem}")) return false; // Only with a problem that has a translation itself.
    return sayInRomanian(filled(english)) !== filled(romanian);
  });
  expect(others).toEqual([]);
});

/** Keys whose plural forms or placeholders differ. */
function differences(a: Texts, b: Texts): string[] {
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

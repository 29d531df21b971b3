import { signal } from "@preact/signals";
import type { Catalogue, Plural, MessageKey } from "./messages/catalogue.ts";
import { EN } from "./messages/en.ts";
import { RO } from "./messages/ro.ts";

export const LANGUAGES = { ro: RO, en: EN } as const satisfies Record<string, Catalogue>;
export type Language = keyof typeof LANGUAGES;

const KEY = "santinela.language";

/** What the person has chosen, else what the browser asks for, else what this site speaks. */
export const language = signal<Language>(
  [localStorage.getItem(KEY), ...navigator.languages, document.documentElement.dataset["locale"], "ro"]
    .map((tag) => languageOf(tag ?? ""))
    .find((found) => found !== undefined) ?? "ro",
);

export function choose(chosen: Language): void {
  localStorage.setItem(KEY, chosen);
  language.value = chosen;
}

export type Fillings = Readonly<Record<string, string | number>>;

/** A sentence in the language of the person. `n` chooses the form where there are several. */
export function t(key: MessageKey, fillings: Fillings = {}): string {
  const words: string | Plural = LANGUAGES[language.value][key];
  const text = typeof words === "string" ? words : formOf(words, Number(fillings["n"]));
  return filled(text, fillings);
}

/** A sentence with what its names in braces stand for. */
export function filled(text: string, fillings: Fillings): string {
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(fillings[name] ?? ""));
}

/** The words for one of the daemon's own codes, where there are any, else `otherwise`. */
export function tCode(prefix: string, code: string, otherwise: string = code): string {
  const key = `${prefix}.${code}`;
  return key in EN ? t(key as MessageKey) : otherwise;
}

function formOf(words: Plural, n: number): string {
  return words[new Intl.PluralRules(language.value).select(n)] ?? words.other;
}

function languageOf(tag: string): Language | undefined {
  const [first = ""] = tag.toLowerCase().split("-");
  return first in LANGUAGES ? (first as Language) : undefined;
}

import { signal } from "@preact/signals";
import type { Catalogue, Plural, MessageKey } from "./messages/catalogue.ts";
import { EN } from "./messages/en.ts";
import { RO } from "./messages/ro.ts";

export const LANGUAGES = { ro: RO, en: EN } as const satisfies Record<string, Catalogue>;
export type Language = keyof typeof LANGUAGES;

const KEY = "santinela.language";

/** The user's choice, else the browser's language, else the site's. */
export const language = signal<Language>(
  [localStorage.getItem(KEY), ...navigator.languages, document.documentElement.dataset["locale"], "ro"]
    .map((tag) => languageOf(tag ?? ""))
    .find((found) => found !== undefined) ?? "ro",
);

/** Sets the language and remembers it in this browser. */
export function choose(chosen: Language): void {
  localStorage.setItem(KEY, chosen);
  language.value = chosen;
}

/** Values for the placeholders of a text. */
export type TextValues = Readonly<Record<string, string | number>>;

/** The text of a key in the user's language. The value `n` selects the plural form. */
export function t(key: MessageKey, values: TextValues = {}): string {
  const entry: string | Plural = LANGUAGES[language.value][key];
  const text = typeof entry === "string" ? entry : pluralForm(entry, Number(values["n"]));
  return fillIn(text, values);
}

/** Replaces the placeholders in braces. */
export function fillIn(text: string, values: TextValues): string {
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}

/** The text for a code of the daemon, or `otherwise` if there is none. */
export function tCode(prefix: string, code: string, otherwise: string = code): string {
  const key = `${prefix}.${code}`;
  return key in EN ? t(key as MessageKey) : otherwise;
}

function pluralForm(forms: Plural, n: number): string {
  return forms[new Intl.PluralRules(language.value).select(n)] ?? forms.other;
}

function languageOf(tag: string): Language | undefined {
  const [first = ""] = tag.toLowerCase().split("-");
  return first in LANGUAGES ? (first as Language) : undefined;
}

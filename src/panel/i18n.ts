import { signal } from "@preact/signals";
import { ApiError } from "./http.ts";
import { addIcons } from "./icon.tsx";
import type { Catalogue, MessageKey, MoreTexts, Plural } from "./messages/catalogue.ts";
import type { SentenceCode } from "../domain/condition.ts";

/** The texts of one language, loaded when it is chosen. */
interface Texts {
  /** Whether these are more than the texts of the start. */
  readonly isWhole: boolean;
  readonly catalogue: Catalogue & Partial<MoreTexts>;
  /** Translated messages of conditions; English ones come from the daemon. */
  readonly sentences: Readonly<Partial<Record<SentenceCode, string>>>;
  /** Translates what the daemon says in English; undefined for a text that is not known. */
  readonly translateDaemonText: (text: string) => string | undefined;
}

type More = Pick<Texts, "sentences" | "translateDaemonText"> & { readonly texts: MoreTexts };

const START = {
  ro: () => import("./messages/ro.ts").then(({ RO }) => RO),
  en: () => import("./messages/en.ts").then(({ EN }) => EN),
} as const satisfies Record<string, () => Promise<Catalogue>>;

/** Texts of the screens other than the sign-in and Home. */
const MORE = {
  ro: () => import("./ro-texts.ts"),
  en: () => import("./en-texts.ts"),
} as const satisfies Record<string, () => Promise<More>>;

export type Language = keyof typeof START;
export const LANGUAGES = Object.keys(START) as readonly Language[];

const KEY = "santinela.language";

/** The user's choice, else the browser's language, else the site's. */
export const language = signal<Language>(
  [localStorage.getItem(KEY), ...navigator.languages, document.documentElement.dataset["locale"], "ro"]
    .map((tag) => languageOf(tag ?? ""))
    .find((found) => found !== undefined) ?? "ro",
);

const texts = signal<Texts | undefined>(undefined);

/** Whether a screen has been opened that needs more than the texts of the start. */
let needsMore = false;
/** The loading of these texts. */
let moreTexts: Promise<void> | undefined;

async function textsIn(one: Language): Promise<Texts> {
  const catalogue: Catalogue = await START[one]();
  if (!needsMore) return { catalogue, isWhole: false, sentences: {}, translateDaemonText: () => undefined };
  const loadMore: () => Promise<More> = MORE[one];
  const [more, { MORE_ICONS }] = await Promise.all([loadMore(), import("./more-icons.ts")]);
  addIcons(MORE_ICONS);
  return { ...more, isWhole: true, catalogue: { ...catalogue, ...more.texts } };
}

/** Loads the texts of the current language; nothing can be drawn before. A language that is chosen meanwhile keeps its own. */
export async function loadTexts(): Promise<void> {
  const wanted = language.value;
  const loaded = await textsIn(wanted);
  if (wanted === language.value) texts.value = loaded;
}

/** Loads a screen together with the texts that it needs besides those of the start. */
export async function withMoreTexts<T>(screen: Promise<T>): Promise<T> {
  needsMore = true;
  moreTexts ??= loadTexts();
  try {
    await moreTexts;
  } catch (error) {
    moreTexts = undefined;
    throw error;
  }
  return screen;
}

/** The choice of the user, whose texts may arrive before those of an earlier one. */
let lastChosen: Language | undefined;

/** Sets the language once its texts are loaded, and remembers it in this browser. @throws ApiError if they cannot be loaded */
export async function chooseLanguage(chosen: Language): Promise<void> {
  lastChosen = chosen;
  const loaded = await textsIn(chosen).catch(() => {
    throw new ApiError(0, "");
  });
  if (chosen !== lastChosen) return;
  localStorage.setItem(KEY, chosen);
  texts.value = loaded;
  language.value = chosen;
}

/** Values for the placeholders of a text. */
export type TextValues = Readonly<Record<string, string | number>>;

/** The text of a key in the user's language. The value `n` selects the plural form. */
export function t(key: MessageKey, values: TextValues = {}): string {
  const entry: string | Plural | undefined = texts.value?.catalogue[key];
  if (entry === undefined) return key;
  const text = typeof entry === "string" ? entry : pluralForm(entry, Number(values["n"]));
  return fillIn(text, values);
}

/** Replaces the placeholders in braces. */
export function fillIn(text: string, values: TextValues): string {
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ""));
}

/** The text for a code of the daemon, or `otherwise` if there is none. */
export function translateCode(
  prefix: string,
  code: string,
  otherwise: string = code,
  values: TextValues = {},
): string {
  const key = `${prefix}.${code}`;
  return texts.value && key in texts.value.catalogue ? t(key as MessageKey, values) : otherwise;
}

/** The translated message of a condition; undefined if the daemon's English text is to be shown. */
export function conditionMessage(code: string): string | undefined {
  const sentences: Readonly<Record<string, string>> = texts.value?.sentences ?? {};
  return sentences[code];
}

/** Whether more than the texts of the start are loaded. */
export function hasMoreTexts(): boolean {
  return texts.value?.isWhole === true;
}

/** What the daemon says in English, in the language of the user; undefined if there is no translation. */
export function translateDaemonText(text: string): string | undefined {
  return texts.value?.translateDaemonText(text);
}

const pluralRules = new Map<Language, Intl.PluralRules>();

function pluralForm(forms: Plural, n: number): string {
  const rules = pluralRules.get(language.value) ?? new Intl.PluralRules(language.value);
  pluralRules.set(language.value, rules);
  return forms[rules.select(n)] ?? forms.other;
}

function languageOf(tag: string): Language | undefined {
  const [first = ""] = tag.toLowerCase().split("-");
  return LANGUAGES.find((one) => one === first);
}

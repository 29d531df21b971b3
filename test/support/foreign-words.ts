import { CONDITION_MESSAGES } from "../../src/domain/condition.ts";
import { EN } from "../../src/panel/messages/en.ts";
import { EN_MORE } from "../../src/panel/messages/en-more.ts";
import type { Plural } from "../../src/panel/messages/catalogue.ts";
import { RO } from "../../src/panel/messages/ro.ts";
import { RO_MORE } from "../../src/panel/messages/ro-more.ts";
import { RO_CONDITION_MESSAGES } from "../../src/panel/messages/ro-condition-messages.ts";
import type { PanelPage } from "./panel-page.ts";

type Texts = Readonly<Record<string, string | Plural>>;

/** Words without which no English sentence of the daemon can do, though no text of the panel may have them. */
const ENGLISH_WORDS = [
  "the and not with from for has have was were are been must may cannot could should would will only than then",
  "already does exist unknown invalid wrong missing failed error because until while another other each every which",
  "found used use needs least most too of is it its be at by on off or if no yes this that there here when still",
].join(" ");
const ROMANIAN_WORDS = [
  "și nu cu din pentru este sunt fost trebuie poate numai decât deja există lipsește eroare deoarece până alt alta",
  "fiecare care găsit folosit cel mai prea sau dacă acest această aici când încă la de pe fără",
].join(" ");

/** Words of both languages, of formats and protocols, names of directories and of people in the tests. */
const ANYWHERE = new Set(
  (
    "santinela gpio mqtt json yaml csv api url http https id ids sync test email sms tls sha ana ion site device local example " +
    "text zigbee tasmota shelly frigate esphome home assistant dc sia ip tcp udp led no nc in a bypass status ro en mb kb gb min ms openapi get " +
    "post put patch delete utf raw pdf qr bcm pin chip cdev onoff root server backups obiective cladiri bunuri persoane"
  ).split(" "),
);

/** E-mail addresses, URLs, paths, names of options and files. */
const ADDRESSES = /\S+[@/_]\S*|[a-z]+(?:\[\d+\])?(?:\.[a-z]\w*)+/gi;

/** The words of a text in lower case. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => word.length > 1);
}

/** The words of all texts of a language; the names of the placeholders are none. */
function vocabularyOf(...catalogues: readonly Texts[]): Set<string> {
  const texts = catalogues.flatMap((one) => Object.values(one));
  const forms = texts.flatMap((text) => (typeof text === "string" ? [text] : Object.values(text)));
  return new Set(forms.flatMap((text) => wordsOf(text.replaceAll(/\{\w+\}/g, " "))));
}

const ENGLISH = new Set([...vocabularyOf(EN, EN_MORE, CONDITION_MESSAGES), ...wordsOf(ENGLISH_WORDS)]);
const ROMANIAN = new Set([...vocabularyOf(RO, RO_MORE, RO_CONDITION_MESSAGES), ...wordsOf(ROMANIAN_WORDS)]);

/** Words that only the other language has. */
const FOREIGN: Readonly<Record<string, (word: string) => boolean>> = {
  RO: (word) => ENGLISH.has(word) && !ROMANIAN.has(word) && !ANYWHERE.has(word),
  EN: (word) => ROMANIAN.has(word) && !ENGLISH.has(word) && !ANYWHERE.has(word),
};

/**
 * What a person reads or hears on the page in the wrong language, as `word: text`. Names of the site, what stands in
 * `code` or `pre` (options, topics, addresses), and what is marked as words of another language do not count.
 * @param language `RO` or `EN`: that of the panel
 * @param names names of the site, its zones and objectives
 */
export async function foreignWords(
  page: PanelPage,
  language: string,
  names: readonly (string | RegExp)[],
): Promise<string[]> {
  const texts = await page.evaluate<string[]>(SHOWN_TEXTS);
  const isForeign = FOREIGN[language];
  if (!isForeign) throw new Error(`no words for ${language}`);
  const faults = texts.flatMap((text) => {
    const own = names.reduce<string>((rest, name) => rest.replaceAll(name, " "), text);
    const found = wordsOf(own.replaceAll(ADDRESSES, " ")).filter((word) => isForeign(word));
    return found.length === 0 ? [] : [`${found.join(" ")}: ${text}`];
  });
  return [...new Set(faults)];
}

/** Every text of the page and every attribute that is shown or read aloud, where the language is that of the page. */
const SHOWN_TEXTS = `(() => {
  const language = document.documentElement.lang;
  const isOwn = (part) =>
    !part.closest("code, pre, script, style, svg, [translate=no]") &&
    part.closest("[lang]").lang === language;
  const parts = [...document.querySelectorAll("body, body *")].filter(isOwn);
  const own = parts.flatMap((part) =>
    [...part.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data));
  const named = parts.flatMap((part) =>
    ["aria-label", "title", "placeholder", "alt", "data-title"].map((name) => part.getAttribute(name)));
  return [document.title, ...own, ...named].filter((text) => text && text.trim() !== "");
})()`;

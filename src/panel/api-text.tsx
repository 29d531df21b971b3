import { signal } from "@preact/signals";
import { language } from "./i18n.ts";

/** Translates a text of the OpenAPI document into Romanian; undefined until it is loaded. */
const toRomanian = signal<((text: string) => string | undefined) | undefined>(undefined);

/** Loads the texts of the OpenAPI document in the language of the user; those of the document are English. */
export async function loadApiTexts(): Promise<void> {
  if (language.value === "ro") toRomanian.value = (await import("./messages/ro-api.ts")).translateApiText;
}

/**
 * A text of the OpenAPI document in the language of the user, with code where it has backticks. What has no translation is marked
 * as English.
 */
export function ApiText({ text }: { readonly text: string }) {
  const said = language.value === "en" || !hasWords(text) ? text : toRomanian.value?.(text);
  const shown = (said ?? text)
    .split("`")
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
  return said === undefined ? <span lang="en">{shown}</span> : <>{shown}</>;
}

/** Whether a text has words outside its code. */
function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(/`[^`]*`/g, ""));
}

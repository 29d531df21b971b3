import { translateDaemonText } from "./i18n.ts";

/**
 * What the daemon says in English, in the language of the user. What has no translation, such as the words of a dispatch
 * centre, stays as it is and is marked as English, so that a screen reader reads it with an English voice.
 */
export function DaemonText({ text }: { readonly text: string }) {
  const said = translateDaemonText(text);
  return said === undefined ? <span lang="en">{text}</span> : <>{said}</>;
}

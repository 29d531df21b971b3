import { withLocalTimes } from "./local-times.ts";
import { translateToRomanian } from "./messages/ro-more.ts";

export { RO_MORE as texts, RO_CONDITION_MESSAGES as sentences } from "./messages/ro-more.ts";

/** What the daemon says in English, in Romanian and in the time zone of the site; undefined for a text that is not known. */
export function translateDaemonText(text: string): string | undefined {
  const said = translateToRomanian(text);
  return said === undefined ? undefined : withLocalTimes(said);
}

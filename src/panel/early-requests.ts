/*
 * Runs within the page itself, before any other script has arrived: sets the chosen theme, so that the first paint has its
 * colours, and asks for the account and the state of the site, or whether there is an account yet. On a slow network this saves
 * two turns. It shares no module with the rest of the panel, so its requests wait in a global.
 */
import { THEME_KEY, TOKEN_KEY, type EarlyRequest } from "./early-request.ts";

// Without a choice the page is blank in the colours of the browser until `theme.ts` runs.
document.documentElement.dataset["theme"] = localStorage.getItem(THEME_KEY) ?? "";

const token = sessionStorage.getItem(TOKEN_KEY) ?? undefined;
const requests = new Map<string, EarlyRequest>();
for (const path of token === undefined ? ["/site/setup"] : pathsOfSession()) {
  const controller = new AbortController();
  const response = fetch(`.${path}`, {
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    cache: "no-store",
    signal: controller.signal,
  }).then(
    (answer) => (answer.ok ? answer : undefined),
    () => undefined,
  );
  requests.set(path, { response, end: () => controller.abort() });
}
globalThis.early = { token, requests };

/** A hidden page has no stream. */
function pathsOfSession(): readonly string[] {
  return document.hidden ? [] : ["/site/account", "/site/events"];
}

/*
 * Runs within the page itself: asks for the account and the state of the site, or whether there is an account yet, before any other
 * script has arrived. On a slow network this saves two turns. It shares no module with the rest of the panel, so its requests
 * wait in a global.
 */
import { TOKEN_KEY, type EarlyRequest } from "./early-request.ts";

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

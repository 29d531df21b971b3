/*
 * Loaded beside the rest of the panel and run before it: a signed-in tab asks for its account and the state of the site while
 * the larger scripts are still on their way. On a slow network this saves two turns.
 */

/** In session storage: the token ends with the tab. */
export const TOKEN_KEY = "santinela.token";

interface EarlyRequest {
  readonly response: Promise<Response | undefined>;
  readonly end: () => void;
}

const begun = new Map<string, EarlyRequest>();
const token = sessionStorage.getItem(TOKEN_KEY);
// A hidden page has no stream.
for (const path of token === null || document.hidden ? [] : ["/site/account", "/site/events"]) {
  const controller = new AbortController();
  const options = {
    headers: { Authorization: `Bearer ${token}` },
    cache: "no-store",
    signal: controller.signal,
  } as const;
  const response = fetch(`.${path}`, options).then(
    (answer) => (answer.ok ? answer : undefined),
    () => undefined,
  );
  begun.set(path, { response, end: () => controller.abort() });
}

/** The request that was sent at the start with this token, once; its response is undefined if it failed. */
export function takeEarlyRequest(path: string, of: string | undefined): EarlyRequest | undefined {
  const one = begun.get(path);
  begun.delete(path);
  if (of === token) return one;
  one?.end();
  return undefined;
}

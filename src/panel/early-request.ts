/** In session storage: the token ends with the tab. */
export const TOKEN_KEY = "santinela.token";

/** In local storage: the theme that was chosen in this browser. */
export const THEME_KEY = "santinela.theme";

export interface EarlyRequest {
  readonly response: Promise<Response | undefined>;
  readonly end: () => void;
}

interface EarlyRequests {
  /** The token that they were sent with. */
  readonly token: string | undefined;
  readonly requests: Map<string, EarlyRequest>;
}

declare global {
  /** Set by `early-requests.ts`; only `var` declares a property of the global object. */
  var early: EarlyRequests | undefined;
}

/** The request that was sent at the start with this token, once; its response is undefined if it failed. */
export function takeEarlyRequest(path: string, token: string | undefined): EarlyRequest | undefined {
  const { early } = globalThis;
  const one = early?.requests.get(path);
  early?.requests.delete(path);
  if (early?.token === token) return one;
  one?.end();
  return undefined;
}

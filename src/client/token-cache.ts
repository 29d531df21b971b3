import type { Clock } from "../domain/clock.ts";
import { validateAccessToken } from "../generated/validators.js";
import type { ApiClient, Reply } from "./api-client.ts";
import { parseJson } from "./json-answer.ts";

export type TokenResult =
  | { readonly ok: true; readonly token: string }
  /** The answer to the sign-in, which the caller classifies like any other. */
  | { readonly ok: false; readonly reply: Reply };

export interface TokenCacheOptions {
  readonly client: Pick<ApiClient, "request">;
  readonly email: string;
  readonly password: string;
  readonly clock: Clock;
}

/** A token is renewed after this part of its lifetime, so that none expires on the way. */
const RENEW_AT = 0.8;

/** The token for a server. In memory only, timed by the monotonic clock, and never asked for twice at once. */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  #current: { readonly token: string; readonly renewAtMs: number } | undefined;
  #signingIn: Promise<TokenResult> | undefined;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  /** A token that is good now, signing in when there is none. */
  async token(): Promise<TokenResult> {
    const current = this.#current;
    if (current && this.#options.clock.monotonicMs() < current.renewAtMs)
      return { ok: true, token: current.token };
    this.#signingIn ??= this.#signIn().finally(() => (this.#signingIn = undefined));
    return this.#signingIn;
  }

  /** Drops a token that the server did not accept; a newer one stays. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  async #signIn(): Promise<TokenResult> {
    const { client, email, password, clock } = this.#options;
    const reply = await client.request({
      method: "POST",
      path: "/auth/token",
      body: JSON.stringify({ email, password }),
    });
    const access = reply.kind === "answered" && reply.status === 200 ? parseJson(reply.body) : undefined;
    if (!validateAccessToken(access)) return { ok: false, reply };
    this.#current = {
      token: access.token,
      renewAtMs: clock.monotonicMs() + access.expiresIn * 1000 * RENEW_AT,
    };
    return { ok: true, token: access.token };
  }
}

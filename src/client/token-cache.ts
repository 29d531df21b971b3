import type { Clock } from "../domain/clock.ts";
import { validateAccessToken } from "../generated/validators.js";
import type { ApiClient, Reply } from "./api-client.ts";
import { parseJson } from "./json-answer.ts";

export type TokenResult =
  /** `isOld`: of the run before, and not accepted in this one yet. */
  | { readonly ok: true; readonly token: string; readonly isOld: boolean }
  /** The answer to the sign-in, which the caller classifies like any other. */
  | { readonly ok: false; readonly reply: Reply };

/** A token that outlives the process. */
export interface KeptToken {
  readonly token: string;
  /** Wall clock, milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Where the token for one account at one server is kept over a restart. */
export interface TokenStore {
  load(): KeptToken | undefined;
  /** @param kept undefined removes it */
  save(kept: KeptToken | undefined): void;
}

export interface TokenCacheOptions {
  readonly client: Pick<ApiClient, "request">;
  readonly email: string;
  readonly password: string;
  readonly clock: Clock;
  /** Without it each run signs in. */
  readonly store?: TokenStore | undefined;
}

/** No token counts for longer, whatever the wall clock of the run before was. */
const LIFETIME_MS_MAX = 3_600_000;
/** A token is renewed after this part of its lifetime, so that none expires on the way. */
const RENEW_AT = 0.8;

/** The token for a server, timed by the monotonic clock, and never asked for twice at once. */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  #current: { readonly token: string; readonly renewAtMs: number; readonly isOld: boolean } | undefined;
  #signingIn: Promise<TokenResult> | undefined;
  #isLoaded = false;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  /** A token that is good now, signing in when there is none. */
  async token(): Promise<TokenResult> {
    if (!this.#isLoaded) this.#load();
    const current = this.#current;
    if (current && this.#options.clock.monotonicMs() < current.renewAtMs)
      return { ok: true, token: current.token, isOld: current.isOld };
    this.#signingIn ??= this.#signIn().finally(() => (this.#signingIn = undefined));
    return this.#signingIn;
  }

  /** Drops a token that the server did not accept; a newer one stays. */
  invalidate(token: string): void {
    if (this.#current?.token !== token) return;
    this.#current = undefined;
    this.#options.store?.save(undefined);
  }

  /** Called when the server has accepted a token. */
  accepted(token: string): void {
    if (this.#current?.token === token && this.#current.isOld)
      this.#current = { ...this.#current, isOld: false };
  }

  /** Takes over the token of the run before. By a clock that is wrong it may have expired: then the server refuses it. */
  #load(): void {
    const { clock, store } = this.#options;
    this.#isLoaded = true;
    const kept = store?.load();
    const leftMs = Math.min(LIFETIME_MS_MAX, (kept?.expiresAtMs ?? 0) - clock.wallMs());
    if (!kept || leftMs <= 0) return;
    this.#current = { token: kept.token, renewAtMs: clock.monotonicMs() + leftMs * RENEW_AT, isOld: true };
  }

  async #signIn(): Promise<TokenResult> {
    const { client, email, password, clock, store } = this.#options;
    const reply = await client.request({
      method: "POST",
      path: "/auth/token",
      body: JSON.stringify({ email, password }),
      // Shows that it is no stranger who asks; a centre that does not look at it loses nothing.
      ...(this.#current ? { token: this.#current.token } : {}),
    });
    const access = reply.kind === "answered" && reply.status === 200 ? parseJson(reply.body) : undefined;
    if (!validateAccessToken(access)) {
      // With a token that is no longer accepted the next sign-in would be refused as well.
      this.#current = undefined;
      return { ok: false, reply };
    }
    const lifetimeMs = access.expiresIn * 1000;
    this.#current = {
      token: access.token,
      renewAtMs: clock.monotonicMs() + lifetimeMs * RENEW_AT,
      isOld: false,
    };
    store?.save({ token: access.token, expiresAtMs: clock.wallMs() + lifetimeMs });
    return { ok: true, token: access.token, isOld: false };
  }
}

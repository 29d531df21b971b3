import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../domain/clock.ts";
import { validateAccessToken } from "../generated/validators.js";
import type { ApiClient, Reply } from "./api-client.ts";
import { parseJson } from "./json-answer.ts";

type TokenResult =
  /** `isOld`: from an earlier run, and not accepted yet in this one. */
  | { readonly ok: true; readonly token: string; readonly isOld: boolean }
  /** The response to the sign-in, which the caller classifies. */
  | { readonly ok: false; readonly reply: Reply };

/** A token that is stored across restarts. */
export interface KeptToken {
  readonly token: string;
  /** Wall clock, milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Stores the token of one account at one server across restarts. */
export interface TokenStore {
  load(): KeptToken | undefined;
  /** @param kept undefined to delete it */
  save(kept: KeptToken | undefined): void;
}

interface TokenCacheOptions {
  readonly client: Pick<ApiClient, "request">;
  readonly email: string;
  readonly password: string;
  readonly clock: Clock;
  /** Without a store each run signs in. */
  readonly store?: TokenStore | undefined;
  /** Called with the headers of each successful sign-in: they tell what the server can. */
  readonly onSignIn?: (headers: IncomingHttpHeaders) => void;
}

/** Maximum lifetime of a stored token, because the wall clock of the earlier run may have been wrong. */
const LIFETIME_MS_MAX = 3_600_000;
/** A token is renewed after this share of its lifetime, so that it does not expire in flight. */
const RENEW_AT = 0.8;

/** The token for a server, timed by the monotonic clock; concurrent calls share one sign-in. */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  #current: { readonly token: string; readonly renewAtMs: number; readonly isOld: boolean } | undefined;
  #signingIn: Promise<TokenResult> | undefined;
  #isLoaded = false;

  constructor(options: TokenCacheOptions) {
    this.#options = options;
  }

  /** Returns a valid token, and signs in if there is none. */
  async token(): Promise<TokenResult> {
    if (!this.#isLoaded) this.#load();
    const current = this.#current;
    if (current && this.#options.clock.monotonicMs() < current.renewAtMs)
      return { ok: true, token: current.token, isOld: current.isOld };
    this.#signingIn ??= this.#signIn().finally(() => (this.#signingIn = undefined));
    return this.#signingIn;
  }

  /** Drops a rejected token; a newer one stays. */
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

  /** Loads the token of an earlier run. If the clock is wrong it may have expired; then the server rejects it. */
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
      // The old token identifies the client, which can exempt it from rate limits; a server may ignore it.
      ...(this.#current ? { token: this.#current.token } : {}),
    });
    const access = reply.kind === "answered" && reply.status === 200 ? parseJson(reply.body) : undefined;
    if (!validateAccessToken(access)) {
      // With a rejected token the next sign-in would be rejected as well.
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
    if (reply.kind === "answered") this.#options.onSignIn?.(reply.headers);
    return { ok: true, token: access.token, isOld: false };
  }
}

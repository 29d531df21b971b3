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
/** After a renewal that the server postpones, as during a rate limit: several times before the token ends. */
const RENEW_AGAIN_MS = 60_000;
/** The server does not know the account or rejects the token: the next sign-in is without it. */
const REJECTIONS: readonly number[] = [400, 401, 403, 422];

/** A token, by the monotonic clock. */
interface CurrentToken {
  readonly token: string;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
  readonly isOld: boolean;
}

/** The token for a server, timed by the monotonic clock; concurrent calls share one sign-in. */
export class TokenCache {
  readonly #options: TokenCacheOptions;
  #current: CurrentToken | undefined;
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
    this.#current = { token: kept.token, ...this.#timesOf(leftMs), isOld: true };
  }

  #timesOf(lifetimeMs: number): Pick<CurrentToken, "renewAtMs" | "endsAtMs"> {
    const nowMs = this.#options.clock.monotonicMs();
    return { renewAtMs: nowMs + lifetimeMs * RENEW_AT, endsAtMs: nowMs + lifetimeMs };
  }

  async #signIn(): Promise<TokenResult> {
    const { client, email, password, clock, store } = this.#options;
    if (this.#current && clock.monotonicMs() >= this.#current.endsAtMs) this.#current = undefined;
    const reply = await client.request({
      method: "POST",
      path: "/auth/token",
      body: JSON.stringify({ email, password }),
      // The old token identifies the client, which can exempt it from rate limits; a server may ignore it.
      ...(this.#current ? { token: this.#current.token } : {}),
    });
    const access = reply.kind === "answered" && reply.status === 200 ? parseJson(reply.body) : undefined;
    if (!validateAccessToken(access)) return this.#notRenewed(reply);
    const lifetimeMs = access.expiresIn * 1000;
    this.#current = { token: access.token, ...this.#timesOf(lifetimeMs), isOld: false };
    store?.save({ token: access.token, expiresAtMs: clock.wallMs() + lifetimeMs });
    if (reply.kind === "answered") this.#options.onSignIn?.(reply.headers);
    return { ok: true, token: access.token, isOld: false };
  }

  /** Uses the token until its end if the server only postpones the renewal, or does not answer: alarms must not wait for it. */
  #notRenewed(reply: Reply): TokenResult {
    const status = reply.kind === "answered" ? reply.status : undefined;
    if (status !== undefined && REJECTIONS.includes(status)) this.#current = undefined;
    const nowMs = this.#options.clock.monotonicMs();
    const isPostponed = status === undefined || status === 429 || status >= 500;
    const current = this.#current;
    if (!isPostponed || !current || nowMs >= current.endsAtMs) return { ok: false, reply };
    this.#current = { ...current, renewAtMs: Math.min(nowMs + RENEW_AGAIN_MS, current.endsAtMs) };
    return { ok: true, token: current.token, isOld: current.isOld };
  }
}

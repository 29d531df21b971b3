import type { ApiClient, ApiRequest, Reply } from "../client/api-client.ts";
import type { TokenCache } from "../client/token-cache.ts";
import type { Clock } from "../domain/clock.ts";
import { classify, type Verdict, type WriteMethod } from "./answer.ts";

export interface CentreOptions {
  readonly client: ApiClient;
  readonly tokens: TokenCache;
  readonly clock: Clock;
}

/** The centre as the push sees it: writes go in, verdicts come out. */
export class Centre {
  readonly #options: CentreOptions;

  constructor(options: CentreOptions) {
    this.#options = options;
  }

  /** Carries out one write, signing in when needed and once more when the token was not taken. */
  async write(request: ApiRequest & { method: WriteMethod }): Promise<Verdict> {
    const first = await this.#withToken(request);
    if (first.link !== "signed-out" || first.code !== "401" || first.token === undefined) return first;
    this.#options.tokens.forget(first.token);
    return this.#withToken(request);
  }

  async #withToken(request: ApiRequest & { method: WriteMethod }): Promise<Verdict & { token?: string }> {
    const { client, tokens, clock } = this.#options;
    const signedIn = await tokens.token();
    if (!signedIn.ok) return signInVerdict(signedIn.reply, clock.wallMs());
    const reply = await client.request({ ...request, token: signedIn.token });
    return { ...classify(request.method, reply, clock.wallMs()), token: signedIn.token };
  }
}

/** A sign-in that failed: the record's own request was never sent. */
function signInVerdict(reply: Reply, wallMs: number): Verdict {
  const verdict = classify("POST", reply, wallMs);
  const isRefusal = reply.kind === "answered" && [400, 401, 403, 422].includes(reply.status);
  const isStrange = reply.kind === "answered" && reply.status < 400;
  const isMissing = verdict.event === "missing";
  const link = isRefusal
    ? "signed-out"
    : isStrange || isMissing || verdict.link === "ok"
      ? "not-the-interface"
      : verdict.link;
  return { ...verdict, event: "not-applied", link, reason: `sign-in: ${verdict.reason}` };
}

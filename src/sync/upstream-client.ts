import type { ApiClient, ApiRequest, Reply } from "../client/api-client.ts";
import type { TokenCache } from "../client/token-cache.ts";
import type { Clock } from "../domain/clock.ts";
import {
  classify,
  classifyRead,
  type ReadOutcome,
  type WriteOutcome,
  type WriteMethod,
} from "./reply-classification.ts";

export interface CentreOptions {
  readonly client: Pick<ApiClient, "request">;
  /** Connections that only alarms use; without them alarms share `client`. */
  readonly urgentClient?: Pick<ApiClient, "request">;
  readonly tokens: TokenCache;
  readonly clock: Clock;
}

/** The centre as the push sees it: writes go in, verdicts come out. */
export class UpstreamClient {
  /** The same centre over the connections of the alarms, which never queue behind other requests. */
  readonly urgent: UpstreamClient;
  readonly #options: CentreOptions;
  /** The most rows that one answer has held since the start: that many at least are never cut off. */
  rowsMax = 0;

  constructor({ urgentClient, ...options }: CentreOptions) {
    this.#options = options;
    this.urgent = urgentClient ? new UpstreamClient({ ...options, client: urgentClient }) : this;
  }

  /** Carries out one write. */
  async write(request: ApiRequest & { method: WriteMethod }): Promise<WriteOutcome> {
    const { reply, isSignIn } = await this.#ask(request);
    const wallMs = this.#options.clock.wallMs();
    return isSignIn ? signInOutcome(reply, wallMs) : classify(request.method, reply, wallMs);
  }

  /**
   * Reads one answer.
   * @param path with its query, starting with a slash
   * @param headers beside the usual ones; with `If-None-Match` the answer may be that nothing has changed
   */
  async read(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ReadOutcome> {
    const { reply, isSignIn } = await this.#ask({ method: "GET", path, headers });
    const wallMs = this.#options.clock.wallMs();
    return isSignIn ? signInOutcome(reply, wallMs) : classifyRead(reply, wallMs, "If-None-Match" in headers);
  }

  /** Sends a request, signing in when needed and once more when the token was not taken. */
  async #ask(request: ApiRequest): Promise<{ reply: Reply; isSignIn: boolean }> {
    const { client, tokens } = this.#options;
    for (let isSecond = false; ; isSecond = true) {
      const signedIn = await tokens.token();
      if (!signedIn.ok) return { reply: signedIn.reply, isSignIn: true };
      const reply = await client.request({ ...request, token: signedIn.token });
      if (isSecond || !isTokenRefused(reply, signedIn.isOld)) {
        if (reply.kind === "answered" && reply.status < 400) tokens.accepted(signedIn.token);
        return { reply, isSignIn: false };
      }
      tokens.invalidate(signedIn.token);
    }
  }
}

/** Of a token that the last run has left, 403 may say the same as 401. */
function isTokenRefused(reply: Reply, isOld: boolean): boolean {
  return reply.kind === "answered" && (reply.status === 401 || (isOld && reply.status === 403));
}

/** A sign-in that failed: the record's own request was never sent. */
function signInOutcome(reply: Reply, wallMs: number): WriteOutcome {
  const { mayBeRecordSpecific: _noRecord, ...outcome } = classify("POST", reply, wallMs);
  const isRefusal = reply.kind === "answered" && [400, 401, 403, 422].includes(reply.status);
  const isStrange = reply.kind === "answered" && reply.status < 400;
  const isMissing = outcome.event === "missing";
  const link = isRefusal
    ? "signed-out"
    : isStrange || isMissing || outcome.link === "ok"
      ? "not-the-interface"
      : outcome.link;
  return { ...outcome, event: "not-applied", link, reason: `sign-in: ${outcome.reason}` };
}

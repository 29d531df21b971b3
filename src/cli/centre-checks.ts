import { ApiClient, type Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { TokenCache } from "../client/token-cache.ts";
import type { Config } from "../config/config.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { itemsOf } from "../sync/reply-classification.ts";
import type { CheckResult } from "./check-result.ts";

/** Timeout of one request; the checks stop at the first timeout. */
const TIMEOUT_MS = 10_000;
const CHECK = "Centre";

/**
 * Checks read-only whether the dispatch centre is reachable, accepts the site's account, returns interventions and knows
 * the objectives of the zones.
 */
export async function centreChecks({ upstream, zones }: Config): Promise<CheckResult[]> {
  if (!upstream) return [{ check: CHECK, status: "ok", text: "none (standalone)" }];
  const { baseUrl, email, password, ca } = upstream;
  const client = new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, ca });
  try {
    const access = await new TokenCache({ client, email, password, clock: new SystemClock() }).token();
    if (!access.ok) return [signInCheck(access.reply, baseUrl)];
    const { token } = access;
    const get: Get = (path) => client.request({ method: "GET", path, token });
    const page = await get("/interventii?_start=0&_end=1");
    if (!isPage(page)) return [pageCheck(page, baseUrl, email)];
    return [
      { check: CHECK, status: "ok", text: `${baseUrl} accepts ${email} and returns interventions` },
      ...(await objectiveChecks(zones, get)),
    ];
  } finally {
    client.close();
  }
}

type Get = (path: string) => Promise<Reply>;

function isPage(reply: Reply): boolean {
  return (
    reply.kind === "answered" && reply.status === 200 && itemsOf(parseJson(reply.body) ?? null) !== undefined
  );
}

function pageCheck(reply: Reply, baseUrl: string, email: string): CheckResult {
  if (reply.kind === "answered" && (reply.status === 401 || reply.status === 403))
    return {
      check: CHECK,
      status: "error",
      text: `${baseUrl} accepts ${email} but denies read access to interventions (${reply.status})`,
      remedy: "Ask the dispatch centre to give the account the operator role.",
    };
  return signInCheck(reply, baseUrl);
}

async function objectiveChecks(zones: Config["zones"], get: Get): Promise<CheckResult[]> {
  const wanted = [...new Set(zones.map(({ objective: { type, id } }) => `${type}/${id}`))];
  const missing: string[] = [];
  for (const path of wanted) {
    const reply = await get(`/${path}`);
    if (reply.kind !== "answered")
      return [
        {
          check: CHECK,
          status: "warning",
          text: `did not respond to GET ${path}: ${reply.error}`,
          remedy: "Try again; a short outage delays trips and loses none.",
        },
      ];
    if (reply.status === 404) missing.push(path);
  }
  if (missing.length === 0) return [];
  return [
    {
      check: CHECK,
      status: "error",
      text: `does not know ${missing.join(", ")}; trips of these zones are blocked`,
      remedy: "Correct the zones' objectives or have them created at the dispatch centre.",
    },
  ];
}

function signInCheck(reply: Reply, baseUrl: string): CheckResult {
  if (reply.kind !== "answered")
    return {
      check: CHECK,
      status: "error",
      text: `${baseUrl} is unreachable: ${reply.error}`,
      remedy: "Check the network, DNS, upstream.baseUrl and upstream.caFile. Trips stay queued.",
    };
  if (reply.status === 401 || reply.status === 403)
    return {
      check: CHECK,
      status: "error",
      text: `${baseUrl} rejects the site's account (${reply.status})`,
      remedy: "Correct upstream.email and the password file, then restart.",
    };
  return {
    check: CHECK,
    status: "error",
    text: `the server at ${baseUrl} is not an Intervention Request Service (${reply.status})`,
    remedy: "Check upstream.baseUrl and any proxy in between.",
  };
}

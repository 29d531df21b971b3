import { ApiClient, type Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { TokenCache } from "../client/token-cache.ts";
import type { Config } from "../config/config.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { itemsOf } from "../sync/reply-classification.ts";
import type { CheckResult } from "./check-result.ts";

/** Longest wait for one answer; after the first that does not come nothing more is asked. */
const TIMEOUT_MS = 10_000;
const CHECK = "Centre";

/**
 * Whether the centre can be reached, lets this site in, gives it a page of its interventions and knows the objectives of
 * its zones. Nothing is changed there.
 */
export async function centreChecks({ upstream, zones }: Config): Promise<CheckResult[]> {
  if (!upstream) return [{ check: CHECK, status: "well", text: "none, this daemon stands alone" }];
  const { baseUrl, email, password, ca } = upstream;
  const client = new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, ca });
  try {
    const access = await new TokenCache({ client, email, password, clock: new SystemClock() }).token();
    if (!access.ok) return [signInFinding(access.reply, baseUrl)];
    const { token } = access;
    const get: Get = (path) => client.request({ method: "GET", path, token });
    const page = await get("/interventii?_start=0&_end=1");
    if (!isPage(page)) return [pageFinding(page, baseUrl, email)];
    return [
      { check: CHECK, status: "well", text: `${baseUrl} lets ${email} in and shows it the interventions` },
      ...(await objectiveFindings(zones, get)),
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

function pageFinding(reply: Reply, baseUrl: string, email: string): CheckResult {
  if (reply.kind === "answered" && (reply.status === 401 || reply.status === 403))
    return {
      check: CHECK,
      status: "fault",
      text: `${baseUrl} lets ${email} in and does not let it read the interventions (${reply.status})`,
      remedy: "Have the account given the role of an operator at the centre.",
    };
  return signInFinding(reply, baseUrl);
}

async function objectiveFindings(zones: Config["zones"], get: Get): Promise<CheckResult[]> {
  const wanted = [...new Set(zones.map(({ objective: { type, id } }) => `${type}/${id}`))];
  const missing: string[] = [];
  for (const path of wanted) {
    const reply = await get(`/${path}`);
    if (reply.kind !== "answered")
      return [
        {
          check: CHECK,
          status: "doubt",
          text: `did not answer when it was asked for ${path}: ${reply.error}`,
          remedy: "Try again; a line that breaks now and then costs time and no trip.",
        },
      ];
    if (reply.status === 404) missing.push(path);
  }
  if (missing.length === 0) return [];
  return [
    {
      check: CHECK,
      status: "fault",
      text: `does not know ${missing.join(", ")}; trips of their zones are blocked there`,
      remedy: "Correct the zones' objectives, or have them made at the centre.",
    },
  ];
}

function signInFinding(reply: Reply, baseUrl: string): CheckResult {
  if (reply.kind !== "answered")
    return {
      check: CHECK,
      status: "fault",
      text: `${baseUrl} cannot be reached: ${reply.error}`,
      remedy: "Check the line, DNS, upstream.baseUrl and upstream.caFile. Trips wait meanwhile.",
    };
  if (reply.status === 401 || reply.status === 403)
    return {
      check: CHECK,
      status: "fault",
      text: `${baseUrl} refuses this site's account (${reply.status})`,
      remedy: "Correct upstream.email and the password file, then restart.",
    };
  return {
    check: CHECK,
    status: "fault",
    text: `what answers at ${baseUrl} is not the interface (${reply.status})`,
    remedy: "Check upstream.baseUrl and what stands between.",
  };
}

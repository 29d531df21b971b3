import { ApiClient, type Reply } from "../client/api-client.ts";
import { TokenCache } from "../client/token-cache.ts";
import type { Config } from "../config/config.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Finding } from "./finding.ts";

const TIMEOUT_MS = 10_000;
const CHECK = "Centre";

/** Whether the centre can be reached, lets this site in and knows the objectives of its zones. Changes nothing there. */
export async function centreFindings({ upstream, zones }: Config): Promise<Finding[]> {
  if (!upstream) return [{ check: CHECK, verdict: "well", text: "none, this daemon stands alone" }];
  const { baseUrl, email, password, ca } = upstream;
  const client = new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, ca });
  try {
    const access = await new TokenCache({ client, email, password, clock: new SystemClock() }).token();
    if (!access.ok) return [signInFinding(access.reply, baseUrl)];
    const wanted = [...new Set(zones.map(({ objective: { type, id } }) => `${type}/${id}`))];
    const missing: string[] = [];
    for (const path of wanted) {
      const reply = await client.request({ method: "GET", path: `/${path}`, token: access.token });
      if (reply.kind === "answered" && reply.status === 404) missing.push(path);
    }
    return [
      { check: CHECK, verdict: "well", text: `${baseUrl} lets ${email} in` },
      ...(missing.length === 0
        ? []
        : [
            {
              check: CHECK,
              verdict: "fault" as const,
              text: `does not know ${missing.join(", ")}; trips of their zones are blocked there`,
              remedy: "Correct the zones' objectives, or have them made at the centre.",
            },
          ]),
    ];
  } finally {
    client.close();
  }
}

function signInFinding(reply: Reply, baseUrl: string): Finding {
  if (reply.kind !== "answered")
    return {
      check: CHECK,
      verdict: "fault",
      text: `${baseUrl} cannot be reached: ${reply.error}`,
      remedy: "Check the line, DNS, upstream.baseUrl and upstream.caFile. Trips wait meanwhile.",
    };
  if (reply.status === 401 || reply.status === 403)
    return {
      check: CHECK,
      verdict: "fault",
      text: `${baseUrl} refuses this site's account (${reply.status})`,
      remedy: "Correct upstream.email and the password file, then restart.",
    };
  return {
    check: CHECK,
    verdict: "fault",
    text: `what answers at ${baseUrl} is not the interface (${reply.status})`,
    remedy: "Check upstream.baseUrl and what stands between.",
  };
}

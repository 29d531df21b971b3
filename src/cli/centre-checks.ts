import type { IncomingHttpHeaders } from "node:http";
import { ApiClient, type Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { TokenCache } from "../client/token-cache.ts";
import type { Config, UpstreamConfig } from "../config/config.ts";
import { refText } from "../domain/objective.ts";
import { hasOtherName, objectivesText, type NamedObjective } from "../domain/objective-names.ts";
import { objectiveOf } from "../domain/test-record.ts";
import { nameIn } from "../ops/centre-objective-names.ts";
import { newKey } from "../ops/secrets.ts";
import { isSiteAddress, siteAddress } from "../service/enrolments.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { CentreTrials } from "../sync/centre-trials.ts";
import { itemsOf } from "../sync/wrapped-body.ts";
import { SITE_REPORTS_HEADER } from "../sync/site-reporter.ts";
import { UpstreamClient } from "../sync/upstream-client.ts";
import { error, ok, warning, type CheckResult } from "./check-result.ts";
import { withDatabase } from "./direct-database.ts";

/** Timeout of one request; the checks stop at the first timeout. */
const TIMEOUT_MS = 10_000;
const CHECK = "Centre";
const NAMES_CHECK = "Objective names";

/**
 * Checks read-only whether the dispatch centre is reachable, accepts the site's account, returns interventions, knows
 * the objectives of the zones, and knows the site by its reference.
 */
export async function centreChecks(config: Config): Promise<CheckResult[]> {
  const { upstream } = config;
  return upstream ? readChecks(upstream, config) : [ok(CHECK, "none (standalone)")];
}

/**
 * Runs the checks of the dispatch centre and, if all are ok, tests it with records that are removed again. The results are
 * stored for the daemon, whether it runs or not.
 */
export async function centreTrialChecks(config: Config): Promise<CheckResult[]> {
  const { upstream, site, zones, dataDir } = config;
  const read = await centreChecks(config);
  if (!upstream || read.some(({ check, status }) => check === CHECK && status !== "ok")) return read;
  const { client, tokens, clock } = connectionTo(upstream);
  const centre = new UpstreamClient({ client, tokens, clock });
  const options = {
    centre,
    clock,
    baseUrl: upstream.baseUrl,
    siteRef: site.ref,
    newKey: () => newKey(clock.wallMs()),
  };
  const { findings } = await withDatabase(dataDir, (database) =>
    new CentreTrials({ ...options, database }).run(objectiveOf(zones)),
  ).finally(() => client.close());
  return [...read, ...findings.map(({ status, text }) => ({ check: CHECK, status, text }))];
}

/** @param onSignIn called with the headers of the sign-in */
function connectionTo(
  { baseUrl, email, password, ca }: UpstreamConfig,
  onSignIn: (headers: IncomingHttpHeaders) => void = () => {},
) {
  const clock = new SystemClock();
  const client = new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, ca });
  return { client, clock, tokens: new TokenCache({ client, email, password, clock, onSignIn }) };
}

async function readChecks(
  upstream: UpstreamConfig,
  { zones, site }: Pick<Config, "zones" | "site">,
): Promise<CheckResult[]> {
  const { baseUrl, email } = upstream;
  let takesReports = false;
  const { client, tokens } = connectionTo(upstream, (headers) => {
    takesReports = headers[SITE_REPORTS_HEADER] !== undefined;
  });
  try {
    const access = await tokens.token();
    if (!access.ok) return [signInCheck(access.reply, baseUrl)];
    const { token } = access;
    const get: Get = (path) => client.request({ method: "GET", path, token });
    const page = await get("/interventii?_start=0&_end=1");
    if (!isPage(page)) return [pageCheck(page, baseUrl, email)];
    return [
      ok(CHECK, `${baseUrl} accepts ${email} and returns interventions`),
      ...(await objectiveChecks(zones, get)),
      ...(takesReports ? await referenceChecks(site.ref, email, get) : []),
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

/** The status of a response that denies access; undefined for any other reply. */
function denialOf(reply: Reply): number | undefined {
  return reply.kind === "answered" && [401, 403].includes(reply.status) ? reply.status : undefined;
}

function pageCheck(reply: Reply, baseUrl: string, email: string): CheckResult {
  const denial = denialOf(reply);
  if (denial === undefined) return signInCheck(reply, baseUrl);
  return error(
    CHECK,
    `${baseUrl} accepts ${email} but denies read access to interventions (${denial})`,
    "Ask the dispatch centre to give the account the operator role.",
  );
}

async function objectiveChecks(zones: Config["zones"], get: Get): Promise<CheckResult[]> {
  const wanted = new Map(zones.map((zone) => [refText(zone.objective), zone]));
  const missing: string[] = [];
  const names: NamedObjective[] = [];
  for (const [path, { objective, objectiveName = null }] of wanted) {
    const reply = await get(`/${path}`);
    if (reply.kind !== "answered")
      return [
        warning(
          CHECK,
          `did not respond to GET ${path}: ${reply.error}`,
          "Try again; a short outage delays trips and loses none.",
        ),
      ];
    if (reply.status === 404) missing.push(path);
    const there = reply.status === 200 ? nameIn(reply.body) : undefined;
    if (there !== undefined) names.push({ ...objective, here: objectiveName, there });
  }
  if (missing.length === 0) return nameChecks(names);
  return [
    ...nameChecks(names),
    error(
      CHECK,
      `does not know ${missing.join(", ")}; trips of these zones are blocked`,
      "Correct the zones' objectives or have them created at the dispatch centre.",
    ),
  ];
}

/** The names of the objectives at the centre: an id that is another building there would send crews to its address. */
function nameChecks(names: readonly NamedObjective[]): CheckResult[] {
  const others = names.filter(hasOtherName);
  const same = names.filter((name) => !hasOtherName(name));
  return [
    ...(same.length > 0 ? [ok(NAMES_CHECK, objectivesText(same))] : []),
    ...(others.length > 0
      ? [
          warning(
            NAMES_CHECK,
            `other names at the dispatch centre (configuration ≠ dispatch centre): ${objectivesText(others)}`,
            "The same id may be another building there. Compare the addresses, then correct the zones' objectives or their names.",
          ),
        ]
      : []),
  ];
}

/** Whether a centre that takes reports has the site under another reference, as after a change of `site.ref`. */
async function referenceChecks(siteRef: string, email: string, get: Get): Promise<CheckResult[]> {
  const account = await get("/site/account");
  const enrolled =
    account.kind === "answered" ? (parseJson(account.body) as { site?: unknown } | null) : null;
  if (typeof enrolled?.site === "string") return referenceCheck(siteRef, enrolled.site);
  // An account of no site, or a centre of an earlier release. Only the account of a site may not see the whole fleet; for any other,
  // the list has the sites of others.
  if (denialOf(await get("/sites/summary")) === undefined) return [];
  const own = await get("/sites?_start=0&_end=1");
  const [site] = (own.kind === "answered" && itemsOf(parseJson(own.body) ?? null)) || [];
  const reported = (site as { report?: { ref?: unknown } } | undefined)?.report?.ref;
  if (typeof reported === "string") return referenceCheck(siteRef, reported);
  if (!isSiteAddress(email) || email.toLowerCase() === siteAddress(siteRef)) return [];
  // For a site that has not reported yet. The address is in lower case, whatever the reference.
  const ref = email.toLowerCase().slice(0, email.lastIndexOf("@"));
  return referenceCheck(siteRef, ref, "the reference with which santinela sites invite was called");
}

/** @param ref of the enrolment @param remedy what to set, if `ref` may differ from it in upper and lower case */
function referenceCheck(siteRef: string, ref: string, remedy?: string): CheckResult[] {
  if (ref === siteRef) return [];
  const isCaseAlone = ref.toLowerCase() === siteRef.toLowerCase();
  return [
    error(
      CHECK,
      `has this account for site ${ref}, and site.ref is ${siteRef}: it rejects the reports of this site and calls it silent`,
      remedy === undefined
        ? `Set site.ref to ${ref}${isCaseAlone ? ", with the same upper and lower case" : ", or enrol the site again under its new reference"}.`
        : `Set site.ref to ${remedy} (here in lower case: ${ref}), or enrol the site again under its new reference. Upper and lower case count.`,
    ),
  ];
}

function signInCheck(reply: Reply, baseUrl: string): CheckResult {
  if (reply.kind !== "answered")
    return error(
      CHECK,
      `${baseUrl} is unreachable: ${reply.error}`,
      "Check the network, DNS, upstream.baseUrl and upstream.caFile. Trips stay queued.",
    );
  if (denialOf(reply) !== undefined)
    return error(
      CHECK,
      `${baseUrl} rejects the site's account (${reply.status})`,
      "Correct upstream.email and the password file, then run santinela reload.",
    );
  return error(
    CHECK,
    `the server at ${baseUrl} is not an Intervention Request Service (${reply.status})`,
    "Check upstream.baseUrl and any proxy in between.",
  );
}

import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { hasOtherClock, SITE_LEVELS } from "../domain/site-state.ts";
import type { SiteView } from "../generated/types.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { tableText } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

interface SitesOptions extends JsonOption {
  readonly level?: string;
  readonly search?: string;
}

/** Conditions and zones named in one line. */
const NAMED_MAX = 3;

/** `sites`, and the accounts of sites. */
export function addSitesCommand(root: CommandGroup): void {
  const sites = root
    .add(
      "sites",
      "list the sites that report to this dispatch centre, the most serious first; needs a running daemon",
      () => listSites,
    )
    .option("--level <level>", `only sites of this level: ${SITE_LEVELS.join(", ")}`)
    .option("--search <text>", "only sites with this text in name or reference")
    .option("--json", "print JSON in the format of GET /sites");
  const below = root.below(sites);
  addSiteCommands(below);
  const code = () => import("./site-access.ts");
  below
    .add(
      "invite",
      "create a one-time code by which a site gets its account; needs a running daemon",
      async () => (await code()).invite,
    )
    .argument("<site>", "site.ref of the site")
    .requiredOption("--objective <objectives...>", "the objectives that the site may use, each as type/id")
    .option("--hours <number>", "how long the code can be used (default: 72)")
    .option("--transfer", "let another device take over the account of a site that is enrolled")
    .option("--json", "print JSON");
  below
    .add(
      "access",
      "list the sites that have an account or a code; needs a running daemon",
      async () => (await code()).listAccess,
    )
    .option("--json", "print JSON in the format of GET /enrolments");
  below
    .add(
      "revoke",
      "disable the account of a site at once, such as after a theft; needs a running daemon",
      async () => (await code()).revoke,
    )
    .argument("<site>", "site.ref of the site");
}

/** The commands about one site. */
function addSiteCommands(below: CommandGroup): void {
  const code = () => import("./site.ts");
  below
    .add(
      "show",
      "show the state of one site with its newest changes; needs a running daemon",
      async () => (await code()).showSite,
    )
    .argument("<site>", "site.ref of the site")
    .option("--json", "print JSON in the format of GET /sites/:id");
  below
    .add(
      "remove",
      "remove a site that no longer exists from the list; its interventions and its account stay; needs a running daemon",
      async () => (await code()).removeSite,
    )
    .argument("<site>", "site.ref of the site")
    .option("--yes", "do not ask for confirmation");
}

/** `enrol`. */
export function addEnrolCommand(root: CommandGroup): void {
  root
    .addUnloaded(
      "enrol",
      "get the account of this site at a dispatch centre with a one-time code",
      async () => (await import("./enrol.ts")).enrol,
    )
    .argument("<code>", "the one-time code")
    .requiredOption("--centre <url>", "base URL of the dispatch centre's API")
    .option("--ca-file <file>", "the certificate authority of the centre, if it is not a public one");
}

/** Lists the sites of the running daemon. */
async function listSites(
  { dataDir, http, site: { timezone } }: Config,
  { stdout }: Terminal,
  { level, search, json }: SitesOptions,
): Promise<void> {
  if (level !== undefined && !SITE_LEVELS.some((known) => known === level))
    throw new AppError("usage", `${level} is not a level; use one of ${SITE_LEVELS.join(", ")}`);
  const sites = await new ControlClient(dataDir).all<SiteView>(`${http.basePath}/sites`, {
    ...(level === undefined ? {} : { level }),
    ...(search === undefined ? {} : { q: search }),
  });
  if (json) return void stdout.write(jsonText(sites));
  const rows = sites.map((site) => [
    site.report.ref,
    site.report.name,
    site.level,
    localTime(site.reportedAt, timezone),
    troubleOf(site, timezone),
  ]);
  stdout.write(tableText(["SITE", "NAME", "LEVEL", "LAST REPORT", "WHY"], rows));
}

/** Reasons whose conditions, faults or records follow. */
const LISTED_BELOW = /^(?:zone-fault|battery-low|condition-.*|backlog)$/;

/** Why a site has its level; empty for a site without problems. */
export function troubleOf(site: SiteView, timeZone: string): string {
  const { silentSince, interventionId, clockOffsetMs, report } = site;
  const { reasons = [], conditions = [], faults = [], moreFaults = 0, backlog } = report;
  const repair = interventionId === null ? "" : `, intervention ${interventionId}`;
  return [
    ...(silentSince === null ? [] : [`silent since ${localTime(silentSince, timeZone)}${repair}`]),
    ...(hasOtherClock(site) ? [`clock differs by ${Math.round(Math.abs(clockOffsetMs) / 1000)} s`] : []),
    ...reasons
      .filter(({ code }) => !LISTED_BELOW.test(code))
      .map(({ code, count, names = [] }) => `${code}: ${names.length === 0 ? count : names.join(", ")}`),
    ...conditions.slice(0, NAMED_MAX),
    ...faults.slice(0, NAMED_MAX).map(({ zone, fault }) => `${fault}: ${zone}`),
    ...(faults.length > NAMED_MAX ? [`${faults.length - NAMED_MAX + moreFaults} more faults`] : []),
    ...(backlog && silentSince === null
      ? [`${backlog.records} records queued for ${backlog.oldestS} s`]
      : []),
  ].join("; ");
}

import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { plainLine } from "../domain/single-line.ts";
import type { SiteDetail, SiteView } from "../generated/types.ts";
import type { JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { confirm } from "./prompt.ts";
import { troubleOf } from "./sites.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** Changes shown of one site; `--json` has all. */
const CHANGES_SHOWN = 20;

/** Shows the state of one site with its newest changes. @throws AppError `bad-data` for an unknown reference */
export async function showSite(
  { dataDir, http, site: { timezone } }: Config,
  { stdout }: Terminal,
  { json }: JsonOption,
  ref: string,
): Promise<void> {
  const client = new ControlClient(dataDir);
  const { id } = await siteOf(client, http.basePath, ref);
  const detail = await client.get<SiteDetail>(`${http.basePath}/sites/${id}`);
  stdout.write(json ? jsonText(detail) : siteText(detail, timezone));
}

/**
 * Removes a site that no longer exists from the list of the centre.
 * @throws AppError `bad-data` for an unknown reference, `usage` or `conflict` if it is not confirmed
 */
export async function removeSite(
  { dataDir, http }: Config,
  terminal: Terminal,
  options: { readonly yes?: boolean },
  ref: string,
): Promise<void> {
  const client = new ControlClient(dataDir);
  const { id, interventionId, report } = await siteOf(client, http.basePath, ref);
  const question = `This removes the state and the history of site ${ref} (${plainLine(report.name)}). Continue?`;
  await confirm(terminal, question, options);
  await client.delete(`${http.basePath}/sites/${id}`);
  const repair =
    interventionId === null ? "" : `Intervention ${interventionId} about its silence stays open.\n`;
  terminal.stdout.write(
    `site ${ref} is removed. Its interventions and its account stay.\n${repair}If it reports again, it is listed again; santinela sites revoke ${ref} locks it out.\n`,
  );
}

/** The site with a reference: the search also finds others whose name or reference contains it. */
async function siteOf(client: ControlClient, basePath: string, ref: string): Promise<SiteView> {
  const found = await client.all<SiteView>(`${basePath}/sites`, { q: ref });
  const site = found.find(({ report }) => report.ref === ref);
  if (site) return site;
  throw new AppError("bad-data", `no site with the reference ${ref} has reported here`, {
    hint: "santinela sites lists those that have.",
  });
}

function siteText({ site, silentS, history }: SiteDetail, timezone: string): string {
  const { report, level, since, reportedAt, clockOffsetMs } = site;
  const facts = [
    ["level", `${level} since ${localTime(since, timezone)}`],
    ["reasons", troubleOf(site, timezone)],
    ["last report", localTime(reportedAt, timezone)],
    ["silent after", `${silentS} s without a report`],
    ["version", `${report.version}, running for ${report.upS} s`],
    ["clock", `${clockOffsetMs} ms ahead of this centre`],
    ["free disk space", report.diskFreeMb === undefined ? "" : `${report.diskFreeMb} MB`],
    ["card wear", report.cardWear === undefined ? "" : `${report.cardWear} %`],
  ] as const;
  const changes = history
    .slice(0, CHANGES_SHOWN)
    .map(({ at, event, detail }) => `  ${localTime(at, timezone)}  ${SENTENCES[event](detail)}`);
  return [
    `${report.name} (${report.ref})`,
    ...facts.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`])),
    "newest changes:",
    ...changes,
  ]
    .map((line) => `${plainLine(line)}\n`)
    .join("");
}

const SENTENCES: Readonly<Record<SiteDetail["history"][number]["event"], (detail: string) => string>> = {
  "first-report": (detail) => `The site reported for the first time, with level ${detail}.`,
  level: (detail) => `The level changed to ${detail}.`,
  silent: () => "The site became silent.",
  reporting: () => "The site reported again.",
  restarted: () => "The daemon of the site restarted.",
  version: (detail) => `The site runs version ${detail}.`,
};

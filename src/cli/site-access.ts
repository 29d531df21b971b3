import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { refFrom } from "../domain/objective.ts";
import type { EnrolmentCode, SiteAccess } from "../generated/types.ts";
import type { JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { tableText } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

interface InviteOptions extends JsonOption {
  readonly objective: readonly string[];
  readonly hours?: string;
  readonly transfer?: boolean;
}

/** As the schema of `site.ref`. */
const SITE_REFERENCE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;

/** Creates a one-time code for a site at the running centre, and prints what to do with it. */
export async function invite(
  { dataDir, http, site: { timezone } }: Config,
  { stdout }: Terminal,
  { objective, hours, transfer = false, json }: InviteOptions,
  site: string,
): Promise<void> {
  if (hours !== undefined && !/^[1-9]\d{0,2}$/.test(hours))
    throw new AppError("usage", `--hours takes a number of hours, 1 to 720, not ${hours}`);
  if (!SITE_REFERENCE.test(site))
    throw new AppError("usage", `${JSON.stringify(site)} is not the reference of a site (site.ref)`, {
      hint: "A reference has up to 32 letters without diacritics, digits and . _ - and begins with a letter or a digit, such as hala-sud.",
    });
  const wrong = objective.find((text) => refFrom(text) === undefined);
  if (wrong !== undefined)
    throw new AppError(
      "usage",
      `--objective takes type/id, such as obiective/cladiri/12, not ${JSON.stringify(wrong)}`,
      { hint: "santinela objectives list shows them." },
    );
  const validH = hours === undefined ? {} : { validH: Number(hours) };
  const body = { site, objectives: objective, ...validH, ...(transfer ? { transfer } : {}) };
  const issued = await new ControlClient(dataDir).post<EnrolmentCode>(`${http.basePath}/enrolments`, body);
  if (json) return void stdout.write(jsonText(issued));
  stdout.write(
    `one-time code for site ${issued.site}, until ${localTime(issued.expiresAt, timezone)}: ${issued.code}\nAt the site: santinela enrol ${issued.code} --centre <base URL of this centre>\n`,
  );
}

/** Lists the sites that have an account or a code. */
export async function listAccess(
  { dataDir, http, site: { timezone } }: Config,
  { stdout }: Terminal,
  { json }: JsonOption,
): Promise<void> {
  const sites = await new ControlClient(dataDir).all<SiteAccess>(`${http.basePath}/enrolments`);
  if (json) return void stdout.write(jsonText(sites));
  const rows = sites.map(({ site, state, email, objectives, codeExpiresAt }) => [
    site,
    state,
    email ?? "",
    localTime(codeExpiresAt, timezone),
    objectives.join(", "),
  ]);
  stdout.write(tableText(["SITE", "ACCESS", "ACCOUNT", "CODE UNTIL", "OBJECTIVES"], rows));
}

/** Disables the account of a site at once. */
export async function revoke(
  { dataDir, http }: Config,
  { stdout }: Terminal,
  _options: unknown,
  site: string,
): Promise<void> {
  await new ControlClient(dataDir).delete(`${http.basePath}/enrolments/${encodeURIComponent(site)}`);
  stdout.write(`${site} can no longer sign in; its tokens have ended\n`);
}

import { isTimeZone } from "../domain/calendar.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { PLACEHOLDERS, unknownPlaceholders } from "../domain/trip-text.ts";
import { HTTP_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, ZoneObjective } from "../generated/types.ts";
import { cronProblem } from "./cron-fields.ts";
import { reportDc09 } from "./dc09.ts";
import { gateWarnings } from "./gate-checks.ts";
import { reportTransmitters, transmitterWarnings } from "./transmitter.ts";
import { reportLines, reportLoops } from "./line-checks.ts";
import { reportOutputs } from "./outputs.ts";
import { messageWarnings, reportMessages } from "./messages.ts";
import { isLoopback, mqttWarnings, reportMqtt } from "./mqtt.ts";
import { reportOnBattery } from "./on-battery.ts";
import { reportDatabase } from "./postgres.ts";
import type { ConfigProblem, Report } from "./problems.ts";
import { nearestTimeZone } from "./suggestions.ts";
import { reportTopics, topicWarnings } from "./topics.ts";
import { reportDuplicates, reportZones, zoneWarnings } from "./zone-checks.ts";

/** Errors that the schema cannot detect, such as unknown names and duplicates. */
export function semanticProblems(value: Configuration): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report: Report = (path, message) => void problems.push({ path, message });
  reportSite(value, report);
  reportUrls(value, report);
  reportHttp(value, report);
  reportDatabase(value, report);
  reportMqtt(value, report);
  reportDc09(value, report);
  reportTransmitters(value, report);
  reportOnBattery(value, report);
  reportObjectives(value, report);
  reportProfileTexts(value, report);
  reportZones(value, report);
  reportLines(value, report);
  reportLoops(value, report);
  reportOutputs(value, report);
  reportMessages(value.zones ?? [], report);
  reportTopics(value, report);
  return problems;
}

/**
 * Warnings about valid but probably unintended options.
 * @param knows whether the site has the name of an objective that is not in the configuration
 */
export function semanticWarnings(
  value: Configuration,
  knows: (objective: ZoneObjective) => boolean,
): string[] {
  const { http, upstream, upstreams = [], mqtt, zones = [], dataDir } = value;
  const host = http?.host ?? "127.0.0.1";
  const warnings: string[] = [];
  if (dataDir?.startsWith("~/") === true)
    warnings.push(`dataDir: ~ is the name of a directory here, not the home directory. Write the whole path`);
  if (!isLoopback(host) && (http?.tls ?? "off") === "off")
    warnings.push(
      `http.host is ${host} and http.tls is off: passwords and records cross the network unencrypted`,
    );
  if (upstream?.baseUrl.startsWith("http:") && !isLoopback(new URL(upstream.baseUrl).hostname))
    warnings.push(
      "upstream.baseUrl is plain http: the site's password and its records cross the network unencrypted",
    );
  if (upstreams.some(({ dc09 }) => dc09.plain === true))
    warnings.push(
      "upstreams[0].dc09.plain is set: alarms cross the network unencrypted, and anyone on the path can forge their acknowledgements",
    );
  return [
    ...warnings,
    ...mqttWarnings(mqtt),
    ...transmitterWarnings(value),
    ...zoneWarnings(value, knows),
    ...gateWarnings(zones),
    ...messageWarnings(zones),
    ...topicWarnings(zones),
  ];
}

function reportSite({ site, upstream }: Configuration, report: Report): void {
  if (site?.timezone !== undefined && !isTimeZone(site.timezone))
    report(
      ["site", "timezone"],
      `${JSON.stringify(site.timezone)} is not an IANA time zone. ${timeZoneRemedy(site.timezone)}`,
    );
  for (const option of ["schedule", "objectives"] as const) {
    const expression = upstream?.[option];
    const isOff = option === "objectives" && expression === "off";
    const problem = expression === undefined || isOff ? undefined : cronProblem(expression);
    if (problem !== undefined) report(["upstream", option], problem);
  }
}

function timeZoneRemedy(name: string): string {
  const zone = nearestTimeZone(name);
  return zone === undefined ? "Use a name such as Europe/Bucharest" : `Did you mean ${zone}?`;
}

/** URLs are shown in logs, conditions and to all viewers, so they must not contain a password. */
function reportUrls({ upstream, mqtt }: Configuration, report: Report): void {
  const broker = mqtt === "off" ? undefined : mqtt?.url;
  for (const [path, text, remedy] of [
    [["upstream", "baseUrl"], upstream?.baseUrl, "upstream.email and upstream.passwordFile"],
    [["mqtt", "url"], broker, "mqtt.username and mqtt.passwordFile"],
  ] as const) {
    if (text === undefined) continue;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url) report(path, "is not a URL. Use a URL such as https://host:port");
    else if (url.username !== "" || url.password !== "")
      report(path, `a URL must not contain a user name or password. Use ${remedy}`);
  }
}

function reportHttp({ http = {} }: Configuration, report: Report): void {
  const { host, tls, connectionsMax = HTTP_DEFAULTS.connectionsMax } = http;
  // It carries passwords and tokens.
  if (host !== undefined && !isLoopback(host) && tls === undefined)
    report(
      ["http", "host"],
      `${host} is beyond loopback, so http.tls is required. Use tls: own for encryption, or tls: off for plain HTTP`,
    );
  // A total below the default for one address is valid: the total is then the limit.
  const { connectionsPerAddressMax: perAddress = 0 } = http;
  if (perAddress > connectionsMax)
    report(
      ["http", "connectionsPerAddressMax"],
      `${perAddress} connections per address exceed http.connectionsMax (${connectionsMax}). Lower this option or raise http.connectionsMax`,
    );
}

function reportObjectives({ objectives }: Configuration, report: Report): void {
  for (const type of OBJECTIVE_TYPES)
    reportDuplicates(
      (objectives?.[type] ?? []).map(({ id }) => id),
      (id, index) => report(["objectives", type, index, "id"], `duplicate objective ${id} in ${type}`),
    );
}

/** Texts of profiles may use known placeholders only. */
function reportProfileTexts({ profiles = {} }: Configuration, report: Report): void {
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(", ");
  for (const [profile, texts] of Object.entries(profiles))
    for (const field of ["name", "description"] as const)
      for (const unknown of unknownPlaceholders(texts[field] ?? ""))
        report(["profiles", profile, field], `unknown placeholder {${unknown}}. Known: ${known}`);
}

/** Sections that only a site has. */
const OF_A_SITE = [
  "zones",
  "profiles",
  "dc09",
  "gpio",
  "mqtt",
  "homeAssistant",
  "upstream",
  "upstreams",
  "onBattery",
] as const;

/** Sections in the configuration of a dispatch centre that would have no effect. */
export function centreProblems(value: Configuration): ConfigProblem[] {
  return OF_A_SITE.filter((section) => value[section] !== undefined).map((section) => ({
    path: [section],
    message: `a dispatch centre has no ${section}. Remove it, or run santinela serve for a site`,
  }));
}

/** Sections in the configuration of a site that only a dispatch centre has. */
export function siteProblems({ database }: Configuration): ConfigProblem[] {
  if (database === undefined) return [];
  const message =
    "only a dispatch centre has it: a site keeps its records in its own SQLite. Remove it, or run santinela centre";
  return [{ path: ["database"], message }];
}

import { isTimeZone } from "../domain/calendar.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { resolveGate } from "../domain/gate.ts";
import { PLACEHOLDERS, unknownPlaceholders } from "../domain/trip-text.ts";
import { PROFILE_OF_KIND, resolveProfiles } from "../domain/zone-rules.ts";
import { HTTP_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, Zone } from "../generated/types.ts";
import { messageProblems, messageWarnings } from "./messages.ts";
import { incidentProblems, incidentWarnings } from "./incidents.ts";
import { homeAssistantProblems, isLoopback, mqttProblems, mqttWarnings } from "./mqtt.ts";
import type { ConfigProblem } from "./problems.ts";
import { isSchedule } from "./schedule.ts";
import { topicProblems, unpublishableTopicProblems } from "./topics.ts";

/** Errors that the schema cannot detect, such as unknown names and duplicates. */
export function semanticProblems(value: Configuration): ConfigProblem[] {
  const zones = value.zones ?? [];
  return [
    ...siteProblems(value),
    ...addressProblems(value),
    ...httpProblems(value),
    ...mqttProblems(value.mqtt),
    ...homeAssistantProblems(value),
    ...objectiveProblems(value),
    ...profileProblems(value),
    ...textProblems(value),
    ...duplicates(
      zones.map(({ id }) => id),
      (index) => ["zones", index, "id"],
      (id) => `duplicate zone ${id}`,
    ),
    ...duplicates(
      zones.map(({ input }) => ("gpio" in input ? input.gpio : undefined)),
      (index) => ["zones", index, "input", "gpio"],
      (line) => `line ${line} is already used by another zone`,
    ),
    ...messageProblems(zones),
    ...zones.flatMap(zoneProblems),
    ...gateProblems(zones),
    ...incidentProblems(zones),
    ...topicProblems(zones),
    ...unpublishableTopicProblems(value),
  ];
}

/** Warnings about valid but probably unintended options. */
export function semanticWarnings(value: Configuration): string[] {
  const host = value.http?.host ?? "127.0.0.1";
  const known = new Set(
    OBJECTIVE_TYPES.flatMap((type) => (value.objectives?.[type] ?? []).map(({ id }) => `${type}/${id}`)),
  );
  const unknown = (value.zones ?? []).filter(
    ({ objective }) => !known.has(`${objective.type}/${objective.id}`),
  );
  return [
    ...(isLoopback(host) || (value.http?.tls ?? "off") !== "off"
      ? []
      : [`http.host is ${host} and http.tls is off: passwords and records cross the network unencrypted`]),
    ...(value.upstream?.baseUrl.startsWith("http:") && !isLoopback(new URL(value.upstream.baseUrl).hostname)
      ? ["upstream.baseUrl is plain http: the site's password and its records cross the network unencrypted"]
      : []),
    ...mqttWarnings(value.mqtt),
    ...unknown.map(
      ({ id, objective }) =>
        `zone ${id}: objective ${objective.id} of ${objective.type} is not in objectives; import it, otherwise a placeholder name is used`,
    ),
    ...(value.zones ?? []).flatMap(zoneWarnings(value)),
    ...messageWarnings(value.zones ?? []),
    ...incidentWarnings(value.zones ?? []),
  ];
}

function zoneWarnings({ profiles }: Configuration): (zone: Zone) => string[] {
  const known = resolveProfiles(profiles ?? {});
  return ({ id, kind, profile }) => {
    const { police } = known.get(profile ?? PROFILE_OF_KIND[kind]) ?? {};
    return kind === "motion" && police === true
      ? [`zone ${id}: a single motion detector requests the police without confirmation by a second zone`]
      : [];
  };
}

function siteProblems({ site, upstream }: Configuration): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (site?.timezone !== undefined && !isTimeZone(site.timezone))
    problems.push({
      path: ["site", "timezone"],
      message: `${JSON.stringify(site.timezone)} is not an IANA time zone. Use a name such as Europe/Bucharest`,
    });
  for (const option of ["schedule", "objectives"] as const) {
    const expression = upstream?.[option];
    const isOff = option === "objectives" && expression === "off";
    if (expression !== undefined && !isOff && !isSchedule(expression))
      problems.push({
        path: ["upstream", option],
        message: `${JSON.stringify(expression)} is not a cron expression. Use five fields such as "*/5 * * * *"`,
      });
  }
  return problems;
}

/** URLs are shown in logs, conditions and to all viewers, so they must not contain a password. */
function addressProblems({ upstream, mqtt }: Configuration): ConfigProblem[] {
  const broker = mqtt === "off" ? undefined : mqtt?.url;
  return [
    ...addressProblem(["upstream", "baseUrl"], upstream?.baseUrl, "upstream.email and upstream.passwordFile"),
    ...addressProblem(["mqtt", "url"], broker, "mqtt.username and mqtt.passwordFile"),
  ];
}

function addressProblem(path: string[], address: string | undefined, remedy: string): ConfigProblem[] {
  if (address === undefined) return [];
  if (!URL.canParse(address)) return [{ path, message: "is not a URL. Use a URL such as https://host:port" }];
  const { username, password } = new URL(address);
  if (username === "" && password === "") return [];
  return [{ path, message: `a URL must not contain a user name or password. Use ${remedy}` }];
}

function httpProblems(value: Configuration): ConfigProblem[] {
  return [...plainHttpProblems(value), ...connectionProblems(value)];
}

/** A total below the default for one address is valid: the total is then the limit. */
function connectionProblems({ http }: Configuration): ConfigProblem[] {
  const { connectionsMax = HTTP_DEFAULTS.connectionsMax, connectionsPerAddressMax: perAddress = 0 } =
    http ?? {};
  if (perAddress <= connectionsMax) return [];
  return [
    {
      path: ["http", "connectionsPerAddressMax"],
      message: `${perAddress} connections per address exceed http.connectionsMax (${connectionsMax}). Lower this option or raise http.connectionsMax`,
    },
  ];
}

/** Plain HTTP beyond loopback must be configured explicitly, because it carries passwords and tokens. */
function plainHttpProblems({ http }: Configuration): ConfigProblem[] {
  if (http?.host === undefined || isLoopback(http.host) || http.tls !== undefined) return [];
  return [
    {
      path: ["http", "host"],
      message: `${http.host} is beyond loopback, so http.tls is required. Use tls: own for encryption, or tls: off for plain HTTP`,
    },
  ];
}

function objectiveProblems({ objectives }: Configuration): ConfigProblem[] {
  return OBJECTIVE_TYPES.flatMap((type) =>
    duplicates(
      (objectives?.[type] ?? []).map(({ id }) => id),
      (index) => ["objectives", type, index, "id"],
      (id) => `duplicate objective ${id} in ${type}`,
    ),
  );
}

function profileProblems({ profiles, zones = [] }: Configuration): ConfigProblem[] {
  const known = [...resolveProfiles(profiles ?? {}).keys()];
  return zones.flatMap(({ profile }, index) =>
    profile === undefined || known.includes(profile)
      ? []
      : [
          {
            path: ["zones", index, "profile"],
            message: `unknown profile ${profile}. Known: ${known.join(", ")}`,
          },
        ],
  );
}

/** Texts of profiles may use known placeholders only. */
function textProblems({ profiles = {} }: Configuration): ConfigProblem[] {
  return Object.entries(profiles).flatMap(([profile, texts]) =>
    (["name", "description"] as const).flatMap((field) =>
      unknownPlaceholders(texts[field] ?? "").map((unknown) => ({
        path: ["profiles", profile, field],
        message: `unknown placeholder {${unknown}}. Known: ${PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}`,
      })),
    ),
  );
}

function zoneProblems(zone: Zone, index: number): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (resolveGate(zone.gate) === undefined)
    problems.push({
      path: ["zones", index, "gate", "schedule"],
      message: 'invalid schedule. Use a form such as "mon-fri 18:00-07:00, sat-sun"',
    });
  if ((zone.minOpenMs ?? 0) > MIN_OPEN_MS_MAX && zone.allowSlow !== true)
    problems.push({
      path: ["zones", index, "minOpenMs"],
      message: `EN 50131 requires signals of ${MIN_OPEN_MS_MAX} ms to be processed. Use at most that, or allowSlow: true to allow a slower zone`,
    });
  return problems;
}

/** The line of a gate must not be a zone's input, and all zones that share it must use the same settings. */
function gateProblems(zones: readonly Zone[]): ConfigProblem[] {
  const zoneLines = zones.flatMap(({ input }) => ("gpio" in input ? [input.gpio] : []));
  const settings = new Map<number, string>();
  return zones.flatMap(({ gate }, index) => {
    if (typeof gate !== "object" || !("gpio" in gate)) return [];
    const path = ["zones", index, "gate", "gpio"];
    if (zoneLines.includes(gate.gpio))
      return [{ path, message: `line ${gate.gpio} is the input of a zone; a gate needs a separate line` }];
    const { contact = "nc", bias = "as-is" } = gate;
    const first = settings.get(gate.gpio) ?? `${contact} ${bias}`;
    settings.set(gate.gpio, first);
    return first === `${contact} ${bias}`
      ? []
      : [
          {
            path,
            message: `line ${gate.gpio} is also the gate of another zone, with a different contact or bias`,
          },
        ];
  });
}

/** Milliseconds; EN 50131-1, 8.3.1: longer signals must be processed. */
const MIN_OPEN_MS_MAX = 400;

function duplicates<T>(
  values: readonly T[],
  path: (index: number) => (string | number)[],
  message: (value: T) => string,
): ConfigProblem[] {
  return values.flatMap((value, index) =>
    value !== undefined && values.indexOf(value) < index
      ? [{ path: path(index), message: message(value) }]
      : [],
  );
}

import { isTimeZone } from "../domain/calendar.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { resolveGate } from "../domain/gate.ts";
import { PLACEHOLDERS, unknownPlaceholders } from "../domain/text-template.ts";
import { PROFILE_OF_KIND, resolveProfiles } from "../domain/zone-rules.ts";
import { HTTP_DEFAULTS } from "../generated/defaults.ts";
import type { Configuration, Zone } from "../generated/types.ts";
import { messageProblems, messageWarnings } from "./messages.ts";
import { incidentProblems, incidentWarnings } from "./incidents.ts";
import { homeAssistantProblems, isLoopback, mqttProblems, mqttWarnings } from "./mqtt.ts";
import type { ConfigProblem } from "./problems.ts";
import { isSchedule } from "./schedule.ts";
import { topicProblems, unspokenTopicProblems } from "./topics.ts";

/** What the schema cannot see: names that must exist, things that must not be there twice. */
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
    ...twice(
      zones.map(({ id }) => id),
      (index) => ["zones", index, "id"],
      (id) => `there is already a zone ${id}`,
    ),
    ...twice(
      zones.map(({ input }) => ("gpio" in input ? input.gpio : undefined)),
      (index) => ["zones", index, "input", "gpio"],
      (line) => `line ${line} is already used by another zone`,
    ),
    ...messageProblems(zones),
    ...zones.flatMap(zoneProblems),
    ...gateProblems(zones),
    ...incidentProblems(zones),
    ...topicProblems(zones),
    ...unspokenTopicProblems(value),
  ];
}

/** What is allowed but probably not meant. */
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
        `zone ${id}: objective ${objective.id} of ${objective.type} is not in objectives; import it, or its name is made up`,
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
      ? [`zone ${id}: a single motion detector calls the police without a second zone's confirmation`]
      : [];
  };
}

function siteProblems({ site, upstream }: Configuration): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (site?.timezone !== undefined && !isTimeZone(site.timezone))
    problems.push({
      path: ["site", "timezone"],
      message: `${JSON.stringify(site.timezone)} is no IANA time zone. Write one such as Europe/Bucharest`,
    });
  for (const option of ["schedule", "objectives"] as const) {
    const expression = upstream?.[option];
    const isOff = option === "objectives" && expression === "off";
    if (expression !== undefined && !isOff && !isSchedule(expression))
      problems.push({
        path: ["upstream", option],
        message: `${JSON.stringify(expression)} is no cron expression. Write five fields such as "*/5 * * * *"`,
      });
  }
  return problems;
}

/** An address is shown in logs, conditions and to everybody who may look at the site; a password has no place in it. */
function addressProblems({ upstream, mqtt }: Configuration): ConfigProblem[] {
  const broker = mqtt === "off" ? undefined : mqtt?.url;
  return [
    ...addressProblem(["upstream", "baseUrl"], upstream?.baseUrl, "upstream.email and upstream.passwordFile"),
    ...addressProblem(["mqtt", "url"], broker, "mqtt.username and mqtt.passwordFile"),
  ];
}

function addressProblem(path: string[], address: string | undefined, remedy: string): ConfigProblem[] {
  if (address === undefined) return [];
  if (!URL.canParse(address))
    return [{ path, message: "is no address. Write one such as https://host:port" }];
  const { username, password } = new URL(address);
  if (username === "" && password === "") return [];
  return [{ path, message: `an address must not hold a name or a password. Put them into ${remedy}` }];
}

function httpProblems(value: Configuration): ConfigProblem[] {
  return [...plainHttpProblems(value), ...connectionProblems(value)];
}

/** A smaller default for one address is no mistake of the configuration: then the total is the limit. */
function connectionProblems({ http }: Configuration): ConfigProblem[] {
  const { connectionsMax = HTTP_DEFAULTS.connectionsMax, connectionsPerAddressMax: perAddress = 0 } =
    http ?? {};
  if (perAddress <= connectionsMax) return [];
  return [
    {
      path: ["http", "connectionsPerAddressMax"],
      message: `${perAddress} connections of one address are more than the ${connectionsMax} of http.connectionsMax. Lower this one or raise that one`,
    },
  ];
}

/** Passwords and tokens go over plain HTTP only where the configuration allows it. */
function plainHttpProblems({ http }: Configuration): ConfigProblem[] {
  if (http?.host === undefined || isLoopback(http.host) || http.tls !== undefined) return [];
  return [
    {
      path: ["http", "host"],
      message: `${http.host} is beyond loopback, so http.tls must be said. Write tls: own for encryption, or tls: off if plain HTTP is meant`,
    },
  ];
}

function objectiveProblems({ objectives }: Configuration): ConfigProblem[] {
  return OBJECTIVE_TYPES.flatMap((type) =>
    twice(
      (objectives?.[type] ?? []).map(({ id }) => id),
      (index) => ["objectives", type, index, "id"],
      (id) => `there is already an objective ${id} in ${type}`,
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
            message: `there is no profile ${profile}. Known: ${known.join(", ")}`,
          },
        ],
  );
}

/** Own texts speak only of what the list allows. */
function textProblems({ profiles = {} }: Configuration): ConfigProblem[] {
  return Object.entries(profiles).flatMap(([profile, texts]) =>
    (["name", "description"] as const).flatMap((field) =>
      unknownPlaceholders(texts[field] ?? "").map((unknown) => ({
        path: ["profiles", profile, field],
        message: `there is no placeholder {${unknown}}. Known: ${PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}`,
      })),
    ),
  );
}

function zoneProblems(zone: Zone, index: number): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (resolveGate(zone.gate) === undefined)
    problems.push({
      path: ["zones", index, "gate", "schedule"],
      message: 'this schedule cannot be read. Write it like "mon-fri 18:00-07:00, sat-sun"',
    });
  if ((zone.minOpenMs ?? 0) > MIN_OPEN_MS_MAX && zone.allowSlow !== true)
    problems.push({
      path: ["zones", index, "minOpenMs"],
      message: `EN 50131 requires a signal of ${MIN_OPEN_MS_MAX} ms to be processed. Set at most this value, or allowSlow: true for a slower zone`,
    });
  return problems;
}

/** A line of a gate is no zone's, and says the same to every zone that follows it. */
function gateProblems(zones: readonly Zone[]): ConfigProblem[] {
  const wires = zones.flatMap(({ input }) => ("gpio" in input ? [input.gpio] : []));
  const keys = new Map<number, string>();
  return zones.flatMap(({ gate }, index) => {
    if (typeof gate !== "object" || !("gpio" in gate)) return [];
    const path = ["zones", index, "gate", "gpio"];
    if (wires.includes(gate.gpio))
      return [{ path, message: `line ${gate.gpio} is a zone's input; a gate needs one of its own` }];
    const { contact = "nc", bias = "as-is" } = gate;
    const first = keys.get(gate.gpio) ?? `${contact} ${bias}`;
    keys.set(gate.gpio, first);
    return first === `${contact} ${bias}`
      ? []
      : [{ path, message: `line ${gate.gpio} is the gate of another zone with another contact or bias` }];
  });
}

/** Milliseconds; EN 50131-1, 8.3.1: a signal that lasts longer must be processed. */
const MIN_OPEN_MS_MAX = 400;

function twice<T>(
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

import { isTimeZone } from "../domain/calendar.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { resolveProfiles } from "../domain/zone-rules.ts";
import type { Configuration, MqttInput, Zone } from "../generated/types.ts";
import { isLoopback, mqttProblems, mqttWarnings } from "./mqtt.ts";
import type { Problem } from "./problems.ts";
import { isSchedule } from "./schedule.ts";
import { topicProblems } from "./topics.ts";

/** What the schema cannot see: names that must exist, things that must not be there twice. */
export function meaningProblems(value: Configuration): Problem[] {
  const zones = value.zones ?? [];
  return [
    ...siteProblems(value),
    ...addressProblems(value),
    ...httpProblems(value),
    ...mqttProblems(value.mqtt),
    ...objectiveProblems(value),
    ...profileProblems(value),
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
    ...sameReadings(zones),
    ...topicProblems(zones),
  ];
}

/** What is allowed but probably not meant. */
export function meaningWarnings(value: Configuration): string[] {
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
  ];
}

function siteProblems({ site, upstream }: Configuration): Problem[] {
  const problems: Problem[] = [];
  if (site?.timezone !== undefined && !isTimeZone(site.timezone))
    problems.push({
      path: ["site", "timezone"],
      message: `${JSON.stringify(site.timezone)} is no IANA time zone. Write one such as Europe/Bucharest`,
    });
  if (upstream?.schedule !== undefined && !isSchedule(upstream.schedule))
    problems.push({
      path: ["upstream", "schedule"],
      message: `${JSON.stringify(upstream.schedule)} is no cron expression. Write five fields such as "*/5 * * * *"`,
    });
  return problems;
}

/** An address is shown in logs, conditions and to everybody who may look at the site; a password has no place in it. */
function addressProblems({ upstream, mqtt }: Configuration): Problem[] {
  const broker = mqtt === "off" ? undefined : mqtt?.url;
  return [
    ...addressProblem(["upstream", "baseUrl"], upstream?.baseUrl, "upstream.email and upstream.passwordFile"),
    ...addressProblem(["mqtt", "url"], broker, "mqtt.username and mqtt.passwordFile"),
  ];
}

function addressProblem(path: string[], address: string | undefined, remedy: string): Problem[] {
  if (address === undefined) return [];
  if (!URL.canParse(address))
    return [{ path, message: "is no address. Write one such as https://host:port" }];
  const { username, password } = new URL(address);
  if (username === "" && password === "") return [];
  return [{ path, message: `an address must not hold a name or a password. Put them into ${remedy}` }];
}

/** Passwords and tokens go over plain HTTP only where somebody has said so. */
function httpProblems({ http }: Configuration): Problem[] {
  if (http?.host === undefined || isLoopback(http.host) || http.tls !== undefined) return [];
  return [
    {
      path: ["http", "host"],
      message: `${http.host} is beyond loopback, so http.tls must be said. Write tls: own for encryption, or tls: off if plain HTTP is meant`,
    },
  ];
}

function objectiveProblems({ objectives }: Configuration): Problem[] {
  return OBJECTIVE_TYPES.flatMap((type) =>
    twice(
      (objectives?.[type] ?? []).map(({ id }) => id),
      (index) => ["objectives", type, index, "id"],
      (id) => `there is already an objective ${id} in ${type}`,
    ),
  );
}

function profileProblems({ profiles, zones = [] }: Configuration): Problem[] {
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

/** Two zones that the very same value of a message would open. */
function sameReadings(zones: readonly Zone[]): Problem[] {
  const readings = zones.flatMap(({ input }) =>
    "mqtt" in input ? [input.open.map((value) => readingName(input, value))] : [[]],
  );
  return readings.flatMap((names, index) =>
    readings.slice(0, index).some((earlier) => earlier.some((name) => names.includes(name)))
      ? [
          {
            path: ["zones", index, "input", "mqtt"],
            message: "another zone already opens at the same value of this topic and path",
          },
        ]
      : [],
  );
}

function readingName({ mqtt, path = "" }: MqttInput, value: unknown): string {
  return JSON.stringify([mqtt, path, String(value).toLowerCase()]);
}

function twice<T>(
  values: readonly T[],
  path: (index: number) => (string | number)[],
  message: (value: T) => string,
): Problem[] {
  return values.flatMap((value, index) =>
    value !== undefined && values.indexOf(value) < index
      ? [{ path: path(index), message: message(value) }]
      : [],
  );
}

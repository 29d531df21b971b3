import { filterFault, overlap } from "../domain/topic-filter.ts";
import type { Configuration, Zone } from "../generated/types.ts";
import type { ConfigProblem } from "./problems.ts";

/** A topic filter with its path in the configuration. */
interface ConfiguredFilter {
  readonly filter: string;
  readonly path: readonly (string | number)[];
}

/** Errors in the topics of the zones: invalid, missing and overlapping filters. */
export function topicProblems(zones: readonly Zone[]): ConfigProblem[] {
  const placed = zones.flatMap((zone, index) => filtersIn(zone, ["zones", index]));
  const faulty = placed.flatMap(({ filter, path }) => {
    const fault = filterFault(filter);
    return fault === undefined ? [] : [{ path, message: `${JSON.stringify(filter)}: ${fault}` }];
  });
  // Overlaps are checked only if all filters are valid.
  return [...faulty, ...(faulty.length > 0 ? [] : overlaps(placed)), ...zones.flatMap(senseProblems)];
}

/** Topics that no account at the built-in broker may publish, so that their zones would never receive a message. */
export function unpublishableTopicProblems({ zones = [], mqtt }: Configuration): ConfigProblem[] {
  const accounts = mqtt === undefined || mqtt === "off" ? [] : (mqtt.accounts ?? []);
  const hasOneForAll = typeof mqtt === "object" && mqtt.username !== undefined;
  const allowed = accounts.map(({ publish }) => publish);
  if (accounts.length === 0 || hasOneForAll || allowed.includes(undefined)) return [];
  const canBePublished = (filter: string): boolean =>
    allowed.some((filters) => filters?.some((one) => overlap(one, filter)));
  return zones
    .flatMap((zone, index) => filtersIn(zone, ["zones", index]))
    .filter(({ filter }) => !canBePublished(filter))
    .map(({ filter, path }) => ({
      path,
      message: `no account at the built-in broker may publish ${filter}. Add it to publish of an account in mqtt.accounts`,
    }));
}

function filtersIn(
  { input, tamper, battery, availability, bridge, gate }: Zone,
  zone: ConfiguredFilter["path"],
): ConfiguredFilter[] {
  return Object.entries({ input, tamper, battery, availability, bridge, gate }).flatMap(([key, sense]) =>
    typeof sense === "object" && "mqtt" in sense && sense.mqtt !== undefined
      ? [{ filter: sense.mqtt, path: [...zone, key, "mqtt"] }]
      : [],
  );
}

/** A broker may deliver a message once for each matching filter, so overlapping filters would double a change. */
function overlaps(placed: readonly ConfiguredFilter[]): ConfigProblem[] {
  return placed.flatMap(({ filter, path }, index) => {
    const other = placed
      .slice(0, index)
      .find((earlier) => earlier.filter !== filter && overlap(earlier.filter, filter));
    return other === undefined
      ? []
      : [
          {
            path,
            message: `overlaps with the filter ${other.filter} of another zone or value. Make both equal or narrower`,
          },
        ];
  });
}

function senseProblems({ input, tamper, battery }: Zone, index: number): ConfigProblem[] {
  const ownTopic = "mqtt" in input;
  const problems: ConfigProblem[] = [];
  for (const [key, sense] of Object.entries({ tamper, battery }))
    if (sense !== undefined && sense.mqtt === undefined && !ownTopic)
      problems.push({
        path: ["zones", index, key],
        message: "mqtt is missing: the input of the zone is not MQTT",
      });
  if (battery !== undefined && battery.low === undefined && battery.below === undefined)
    problems.push({
      path: ["zones", index, "battery"],
      message: "needs low (values that mean low) or below (percentage)",
    });
  return problems;
}

import { filterFault, hasWildcard, overlap } from "../domain/topic-filter.ts";
import type { Configuration, Zone } from "../generated/types.ts";
import type { Report } from "./problems.ts";

/** A topic filter with its path in the configuration. */
interface ConfiguredFilter {
  readonly filter: string;
  readonly path: readonly (string | number)[];
}

/** Errors in the topics of the zones: invalid, missing, overlapping and unpublishable filters. */
export function reportTopics({ zones = [], outputs = [], mqtt }: Configuration, report: Report): void {
  const placed = zones.flatMap((zone, index) => filtersIn(zone, ["zones", index]));
  const faults = placed.map(({ filter }) => filterFault(filter));
  for (const [at, { filter, path }] of placed.entries())
    if (faults[at] !== undefined) report(path, `${JSON.stringify(filter)}: ${faults[at]}`);
  // Overlaps are checked only if all filters are valid.
  if (faults.every((fault) => fault === undefined)) reportOverlaps(placed, report);
  for (const [index, zone] of zones.entries()) reportStatusSources(zone, ["zones", index], report);
  reportUnpublishable(placed, mqtt, report);
  const readable = placed.filter((_one, at) => faults[at] === undefined);
  reportOutputTopics(outputs, zones, readable, report);
}

/** Warnings about topics and paths that hardly any device has. Not errors: a site must start after an upgrade. */
export function topicWarnings(zones: readonly Zone[]): string[] {
  const doubts = zones.flatMap((zone) => [
    ...filtersIn(zone, []).map(({ filter }) => [zone.id, filter, topicDoubt(filter)]),
    ...pathsIn(zone).map((path) => [
      zone.id,
      path,
      path.endsWith("/") ? "the path ends with a slash, so it names an empty key" : undefined,
    ]),
  ]);
  return [
    ...doubts.flatMap(([id, text, doubt]) =>
      doubt === undefined ? [] : [`zone ${id}: ${JSON.stringify(text)}: ${doubt}`],
    ),
    ...zones
      .filter(hasUnusedOneSensor)
      .map(({ id }) => `zone ${id}: oneSensor changes nothing, because no topic of the zone has a wildcard`),
  ];
}

function hasUnusedOneSensor({ input, tamper, battery }: Zone): boolean {
  if (!("mqtt" in input) || input.oneSensor !== true) return false;
  return ![input, tamper, battery].some((sense) => sense?.mqtt !== undefined && hasWildcard(sense.mqtt));
}

function topicDoubt(filter: string): string | undefined {
  if (filter.trim() !== filter) return "the topic begins or ends with a blank, which counts";
  const levels = filter.split("/");
  return levels[0] === "" || levels.at(-1) === ""
    ? "the topic begins or ends with a slash, so it has an empty level"
    : undefined;
}

function pathsIn({ input, tamper, battery, availability, bridge, gate }: Zone): string[] {
  return [input, tamper, battery, availability, bridge, gate].flatMap((sense) =>
    typeof sense === "object" && "path" in sense && sense.path !== undefined ? [sense.path] : [],
  );
}

/** The first level of the topics that the daemon itself publishes and reads. */
const OWN_LEVEL = "santinela";

/** An output on a topic that a zone reads would trip its own zone, and two on one topic would switch each other. */
function reportOutputTopics(
  outputs: NonNullable<Configuration["outputs"]>,
  zones: readonly Zone[],
  read: readonly ConfiguredFilter[],
  report: Report,
): void {
  const users = new Map<string, string>();
  for (const [index, { name, mqtt: topic }] of outputs.entries()) {
    if (topic === undefined) continue;
    const problem = (text: string): void =>
      report(["outputs", index, "mqtt"], `${text}. Use another topic, such as santinela-outputs/${name}`);
    const zone = zones[Number(read.find(({ filter }) => overlap(filter, topic))?.path[1] ?? -1)];
    const user = users.get(topic);
    const [level = ""] = topic.split("/");
    if (zone) problem(`topic ${topic} is read by zone ${zone.id}: the output would trip or clear it`);
    else if (user !== undefined) problem(`topic ${topic} is also used by output ${user}`);
    else if (level === OWN_LEVEL || level.startsWith("$"))
      problem(`topics below ${level} belong to the daemon or the broker`);
    users.set(topic, name);
  }
}

/** Topics that no account at the built-in broker may publish, so that their zones would never receive a message. */
function reportUnpublishable(
  placed: readonly ConfiguredFilter[],
  mqtt: Configuration["mqtt"],
  report: Report,
): void {
  if (mqtt === undefined || mqtt === "off" || mqtt.username !== undefined) return;
  const allowed = (mqtt.accounts ?? []).map(({ publish }) => publish);
  if (allowed.length === 0 || allowed.includes(undefined)) return;
  for (const { filter, path } of placed)
    if (!allowed.some((filters) => filters?.some((one) => overlap(one, filter))))
      report(
        path,
        `no account at the built-in broker may publish ${filter}. Add it to publish of an account in mqtt.accounts`,
      );
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
function reportOverlaps(placed: readonly ConfiguredFilter[], report: Report): void {
  for (const [index, { filter, path }] of placed.entries()) {
    const other = placed
      .slice(0, index)
      .find((earlier) => earlier.filter !== filter && overlap(earlier.filter, filter));
    if (other)
      report(
        path,
        `overlaps with the filter ${other.filter} of another zone or value. Make both equal or narrower`,
      );
  }
}

function reportStatusSources(
  { input, tamper, battery }: Zone,
  zone: ConfiguredFilter["path"],
  report: Report,
): void {
  for (const [key, sense] of Object.entries({ tamper, battery }))
    if (sense !== undefined && sense.mqtt === undefined && !("mqtt" in input))
      report([...zone, key], "mqtt is missing: the input of the zone is not MQTT");
  if (battery !== undefined && battery.low === undefined && battery.below === undefined)
    report([...zone, "battery"], "needs low (values that mean low) or below (percentage)");
}

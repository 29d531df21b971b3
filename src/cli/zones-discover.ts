import type { Config } from "../config/config.ts";
import { discoveredSensors, type DiscoveredSensor } from "../domain/discovered-sensor.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { proposedZones, type ProposedZone } from "../domain/proposed-zone.ts";
import { listenTo, type BrokerAddress } from "../inputs/broker-probe.ts";
import { PAYLOAD_BYTES_MAX } from "../inputs/message-content.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { Terminal } from "./terminal.ts";

export interface DiscoverOptions {
  /** First levels of the discovery topics. */
  readonly prefix: string;
  readonly waitS: number;
  readonly json: boolean;
}

/** More announcements than any house has; beyond, somebody plays with the broker. */
const ANNOUNCEMENTS_MAX = 10_000;

/**
 * Prints zones for the sensors that have announced themselves at the broker, ready to be pasted into the configuration.
 * @throws AppError `unavailable` when the broker cannot be reached
 */
export async function discoverZones(
  config: Config,
  { prefix, waitS, json }: DiscoverOptions,
  { stdout, stderr }: Terminal,
): Promise<void> {
  const announced = new Map<string, readonly DiscoveredSensor[]>();
  const take = ({ topic, payload }: { topic: string; payload: Buffer }): void => {
    const isKnown = announced.has(topic) || announced.size < ANNOUNCEMENTS_MAX;
    if (isKnown && payload.byteLength <= PAYLOAD_BYTES_MAX)
      announced.set(topic, discoveredSensors(topic.slice(prefix.length + 1), parsed(payload)));
  };
  try {
    await listenTo(brokerOf(config), [`${prefix}/#`], new SystemClock(), waitS * 1000, take);
  } catch (error) {
    throw config.mqtt.mode === "built-in" ? noBuiltInBroker(error) : error;
  }
  // This installation may announce its own zones; they are no sensors of it.
  const own = `santinela/${config.site.ref}/`;
  const sensors = [...announced.values()].flat().filter(({ topic }) => !topic.startsWith(own));
  const zones = proposedZones(sensors, config.zones);
  if (json) stdout.write(`${JSON.stringify(zones, null, 2)}\n`);
  else if (zones.length > 0) stdout.write(yamlOf(zones, config));
  if (!json && zones.length > 0 && config.zones.length > 0)
    stderr.write(
      `${config.file ?? "the configuration"} has a zones: list already. Put these lines into it; a second one in the same file is refused\n`,
    );
  const others = sensors.length - zones.length;
  stderr.write(
    zones.length > 0
      ? `${zones.length} zones; ${others} other sensors are part of them, known already, or no zone\n`
      : `no new sensor has announced itself below ${prefix}/. A bridge does so with its Home Assistant discovery switched on\n`,
  );
}

function noBuiltInBroker(cause: unknown): AppError {
  return new AppError("unavailable", "the built-in broker does not answer", {
    hint: "It is a part of the daemon: start that, then run this again.",
    cause,
  });
}

function brokerOf({ mqtt }: Config): BrokerAddress {
  if (mqtt.mode === "off")
    throw new AppError("configuration", "mqtt is off", { hint: "Write mqtt.url, or remove mqtt: off." });
  if (mqtt.mode === "external") return mqtt;
  const { host, port, credentials } = mqtt;
  const address = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  const url = `mqtt://${address.includes(":") ? `[${address}]` : address}:${port}`;
  return { url, ...(credentials === undefined ? {} : { credentials }) };
}

function parsed(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch {
    // An announcement that was withdrawn is empty; what else is no JSON is not one.
    return undefined;
  }
}

/**
 * JSON is YAML, so whatever a device calls itself stays one value. Where the configuration has zones, these are entries
 * for its list: a second `zones:` in one file is a mistake.
 */
function yamlOf(zones: readonly ProposedZone[], { objectives, zones: known }: Config): string {
  const first = OBJECTIVE_TYPES.flatMap((type) =>
    (objectives[type] ?? []).map(({ id }) => ({ type, id })),
  )[0];
  const objective = first ?? { type: "obiective/cladiri", id: 1 };
  const lines = zones.flatMap(({ id, name, kind, doubts, ...more }) => [
    ...doubts.map((doubt) => `  # ${doubt.replaceAll(/\p{Cc}/gu, " ")}`),
    `  - id: ${id}`,
    `    name: ${JSON.stringify(name)}`,
    `    kind: ${kind}`,
    `    objective: { type: ${objective.type}, id: ${objective.id} } # which?`,
    ...Object.entries(more).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
  ]);
  return [...(known.length === 0 ? ["zones:"] : []), ...lines, ""].join("\n");
}

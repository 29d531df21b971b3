import type { Config } from "../config/config.ts";
import { discoveredSensors, type DiscoveredSensor } from "../domain/discovered-sensor.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { proposedZones, type ProposedZone } from "../domain/proposed-zone.ts";
import { listenTo, type BrokerAddress } from "../inputs/broker-probe.ts";
import { PAYLOAD_BYTES_MAX } from "../inputs/message-content.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { secondsOption, type JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";
import { counted } from "./table.ts";

/** More than any installation has; protects memory from a flooded broker. */
const ANNOUNCEMENTS_MAX = 10_000;

/**
 * Prints zones for the sensors announced on the broker, ready to paste into the configuration.
 * @throws AppError `unavailable` if the broker is unreachable
 */
export async function discoverZones(
  config: Config,
  { stdout, stderr }: Terminal,
  { prefix, wait, json }: JsonOption & { readonly prefix: string; readonly wait: string },
): Promise<void> {
  const waitS = secondsOption("--wait", wait);
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
  // This installation may announce its own zones; they are not sensors.
  const own = `santinela/${config.site.ref}/`;
  const sensors = [...announced.values()].flat().filter(({ topic }) => !topic.startsWith(own));
  const zones = proposedZones(sensors, config.zones);
  if (json) stdout.write(jsonText(zones));
  else if (zones.length > 0) stdout.write(yamlOf(zones, config));
  if (!json && zones.length > 0 && config.zones.length > 0)
    stderr.write(
      `${config.file ?? "the configuration"} already has a zones: list. Add these lines to it; a second list in the same file is an error\n`,
    );
  const others = sensors.length - zones.length;
  stderr.write(
    zones.length > 0
      ? `${counted(zones.length, "new zone")}; sensors that belong to them, are configured already or are no zones: ${others}\n`
      : `no new sensor found under ${prefix}/. Enable Home Assistant discovery on the bridge\n`,
  );
}

function noBuiltInBroker(cause: unknown): AppError {
  return new AppError("unavailable", "the built-in broker does not respond", {
    hint: "Start the daemon, which runs the broker, then repeat the command.",
    cause,
  });
}

function brokerOf({ mqtt }: Config): BrokerAddress {
  if (mqtt.mode === "off")
    throw new AppError("configuration", "mqtt is off", { hint: "Set mqtt.url or remove mqtt: off." });
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
    // A withdrawn announcement is empty; other texts that are not JSON are not announcements.
    return undefined;
  }
}

/**
 * Values are JSON, which is valid YAML, so that any device name stays one value. If the configuration already has zones,
 * only the list entries are printed.
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

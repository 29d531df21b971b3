import { openBrokerAddress } from "../config/broker-address.ts";
import type { Config } from "../config/config.ts";
import { proposedZoneLines } from "../config/proposed-zones.ts";
import { writtenZones, type WrittenZones } from "../config/written-zones.ts";
import { pause } from "../domain/clock.ts";
import type { DiscoveryOptions } from "../domain/discovery/device.ts";
import { leftOutText } from "../domain/discovery/left-out.ts";
import { proposedZones, type ProposedZone } from "../domain/discovery/proposed-zone.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { DiscoverySession } from "../inputs/discovery-session.ts";
import { SystemClock } from "../ops/system-clock.ts";
import type { StatusView } from "../site/status-view.ts";
import { ControlClient } from "./control-client.ts";
import { readableLines } from "./readable-lines.ts";
import { freeLines } from "./free-lines.ts";
import { secondsOption, type JsonOption } from "./command-group.ts";
import { jsonText, type Terminal } from "./terminal.ts";
import { counted } from "../domain/headline-text.ts";

/**
 * Prints zones for the sensors found at the broker, ready to paste into the configuration.
 * @throws AppError `unavailable` if the broker is unreachable
 */
export async function discoverZones(
  config: Config,
  { stdout, stderr }: Terminal,
  { prefix, wait, json }: JsonOption & { readonly prefix: string; readonly wait: string },
): Promise<void> {
  const waitMs = secondsOption("--wait", wait) * 1000;
  const { ref } = config.site;
  const options = { replyTo: `santinela/discovery/${ref}/cli`, prefix, own: `santinela/${ref}/` };
  const { devices, leftOut, readable } = await devicesAt(config, options, waitMs);
  const { list, disabled } = writtenZones(config);
  const zones = proposedZones(devices, [...config.zones, ...disabled]);
  if (json) stdout.write(jsonText(zones));
  else if (zones.length > 0) stdout.write(yamlOf(zones, config, list));
  if (!json && zones.length > 0 && list !== "none")
    stderr.write(
      `${config.file ?? "the configuration"} already has ${PLACE_IN[list]}; a second list in the same file is an error\n`,
    );
  const known = devices.flatMap(({ proposals }) => proposals).length - zones.length;
  const silent = devices.filter(({ proposals }) => proposals.length === 0).length;
  stderr.write(
    zones.length > 0
      ? `${counted(zones.length, "new zone")}; sensors that are configured already: ${known}; devices without a zone: ${silent}\n`
      : `no new sensor found in ${counted(devices.length, "device")}\n`,
  );
  for (const line of readable) stderr.write(`${line}\n`);
  for (const one of leftOut) stderr.write(`not complete: ${leftOutText(one)}\n`);
  stderr.write(
    `listened for ${wait} s. A sensor that was asleep is missing: open it while --wait 60 listens\n`,
  );
  for (const text of await freeLines(config)) stderr.write(`${text}\n`);
}

const PLACE_IN = {
  empty: "an empty list of zones. Replace `zones: []` by these lines",
  entries: "a zones: list. Add these lines to it",
} as const;

async function devicesAt(config: Config, discovery: DiscoveryOptions, waitMs: number) {
  if (config.mqtt.mode === "off")
    throw new AppError("configuration", "mqtt is off", { hint: "Set mqtt.url or remove mqtt: off." });
  const status = () => new ControlClient(config.dataDir).get<StatusView>("/site/status");
  const broker = await openBrokerAddress(config.mqtt, async () => (await status()).brokerPort);
  if (!broker) throw unreachable(config, "it does not listen");
  const clock = new SystemClock();
  const session = new DiscoverySession({ broker, clock, discovery });
  try {
    await session.start();
    await pause(clock, waitMs);
    const { state, reason } = session.state;
    if (state !== "listening") throw unreachable(config, reason ?? "no response");
    const found = session.found();
    return { ...found, readable: readableLines(found.devices, session, discovery) };
  } finally {
    await session.stop();
  }
}

function unreachable({ mqtt }: Config, reason: string): AppError {
  return mqtt.mode === "built-in"
    ? new AppError("unavailable", "the built-in broker does not respond", {
        hint: "Start the daemon, which runs the broker, then repeat the command.",
      })
    : new AppError("unavailable", `the MQTT broker cannot be reached: ${reason}`, {
        hint: "Check that it runs and that mqtt.url, username, passwordFile and tls are correct.",
      });
}

/** If the configuration already has zones, only the list entries are printed. */
function yamlOf(zones: readonly ProposedZone[], { objectives }: Config, list: WrittenZones["list"]): string {
  const first = OBJECTIVE_TYPES.flatMap((type) =>
    (objectives[type] ?? []).map(({ id }) => ({ type, id })),
  )[0];
  const lines = proposedZoneLines(zones, first ?? { type: "obiective/cladiri", id: 1 }, true);
  return [...(list === "entries" ? [] : ["zones:"]), ...lines, ""].join("\n");
}
